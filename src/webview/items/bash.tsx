/** A command that the person ran, and a note that an extension left. */
import { useRef } from 'preact/hooks';
import type { BashItem, NoteItem } from '../../protocol/chat-item.ts';
import type { LiveRun } from '../../protocol/live-run.ts';
import { Fold } from './fold.tsx';
import { LiveOutput } from './live-output.tsx';
import { MarkdownText, PlainText } from './shown-text.tsx';

export function Bash({ item, runs }: { item: BashItem; runs: readonly LiveRun[] }) {
	const run = runs.find(({ id }) => id === item.id);
	const wasLive = useRef(run !== undefined);
	const facts = [item.outcome, item.inContext ? null : 'not shown to the model'];
	return (
		<>
			<h2 class="role">
				{run ? 'You are running' : 'You ran'}
				<span class="quiet">{facts.filter(Boolean).join(' · ')}</span>
			</h2>
			<pre class="output" tabIndex={0}>{`$ ${item.command}`}</pre>
			{(item.output.text || run?.output.text) && (
				<Fold id={item.id} summary="Output" startsOpen={wasLive.current}>
					{run ? (
						<LiveOutput output={run.output} />
					) : (
						<PlainText kind="output" shown={item.output} entryId={item.id} />
					)}
				</Fold>
			)}
		</>
	);
}

export function Note({ item }: { item: NoteItem }) {
	return (
		<>
			<h2 class="role">
				Note<span class="quiet">{item.label}</span>
			</h2>
			<MarkdownText shown={item.text} entryId={item.id} />
		</>
	);
}
