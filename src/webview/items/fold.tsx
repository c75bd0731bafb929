/** A section that the reader opens; closed, its content is not in the page at all. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useStore } from '../store.ts';

interface Props {
	/** Remembered with what the reader opened. */
	id: string;
	/** Extra class for the looks. */
	kind?: string;
	/** Open where the reader has not said otherwise. */
	startsOpen?: boolean;
	summary: ComponentChildren;
	children: ComponentChildren;
}

export function Fold({ id, kind = '', startsOpen = false, summary, children }: Props) {
	const { link } = useStore();
	const [open, setOpen] = useState(() => startsOpen || link.isOpen(id));
	// What was live gets the id of what is stored, and stays as it is.
	useEffect(() => link.setOpen(id, open), [id]);
	return (
		<details
			class={`fold ${kind}`}
			open={open}
			onToggle={(event) => {
				const now = event.currentTarget.open;
				link.setOpen(id, now);
				setOpen(now);
			}}
		>
			<summary>{summary}</summary>
			{open && <div class="fold-body">{children}</div>}
		</details>
	);
}
