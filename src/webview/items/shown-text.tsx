/** Texts that may have been cut for display, with the way to all of it. */
import type { ShownText } from '../../protocol/chat-item.ts';
import { plural } from '../format.ts';
import { Markdown } from '../markdown-view.tsx';
import { useStore } from '../store.ts';

interface Props {
	shown: ShownText;
	/** The entry that holds the whole text. */
	entryId: string;
}

/** Output, code and what a person typed: exactly as it is. */
export function PlainText({ shown, entryId, kind }: Props & { kind: 'typed' | 'output' }) {
	return (
		<>
			{kind === 'typed' ? (
				<div class="typed">{shown.text}</div>
			) : (
				<pre class="output" tabIndex={0}>
					{shown.text}
				</pre>
			)}
			<Rest cut={shown.cut} entryId={entryId} />
		</>
	);
}

/** What models write. */
export function MarkdownText({ shown, entryId }: Props) {
	return (
		<>
			<Markdown text={shown.text} />
			<Rest cut={shown.cut} entryId={entryId} />
		</>
	);
}

function Rest({ cut, entryId }: { cut: number; entryId: string }) {
	const { post } = useStore();
	if (cut === 0) return null;
	return (
		<p class="rest">
			{`… ${plural(cut, 'more character')} `}
			<button type="button" class="link" onClick={() => post({ type: 'openEntry', id: entryId })}>
				Show all
			</button>
		</p>
	);
}
