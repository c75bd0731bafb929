/** What a call or a command prints while it runs: the end of it, which stays in view unless the reader leaves it. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Tail } from '../../protocol/live-run.ts';
import { plural } from '../format.ts';

/** Pixels from the end that still count as the end. */
const AT_END_PX = 4;

export function LiveOutput({ output }: { output: Tail }) {
	const view = useRef<HTMLPreElement>(null);
	const follows = useRef(true);
	const { text, cut } = output;
	useLayoutEffect(() => {
		if (view.current && follows.current) view.current.scrollTop = view.current.scrollHeight;
	}, [text]);
	if (!text) return null;
	return (
		<>
			{cut > 0 && <p class="rest live-rest">{`… ${plural(cut, 'earlier character')}`}</p>}
			<pre
				class="output live"
				ref={view}
				tabIndex={0}
				aria-label="Output so far"
				onScroll={({ currentTarget: { scrollHeight, clientHeight, scrollTop } }) => {
					follows.current = scrollHeight - clientHeight - scrollTop < AT_END_PX;
				}}
			>
				{text}
			</pre>
		</>
	);
}
