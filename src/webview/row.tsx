/** One item of the conversation, whatever its kind. */
import type { ChatItem } from '../protocol/chat-item.ts';
import type { LiveRun } from '../protocol/live-run.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { Assistant } from './items/assistant.tsx';
import { Bash, Note } from './items/bash.tsx';
import { BranchSummary, Compaction } from './items/summary-card.tsx';
import { LooseResult } from './items/tool-call.tsx';
import { User } from './items/user.tsx';
import { pure } from './pure.ts';

interface Props {
	item: ChatItem;
	running: boolean;
	/** What of it is at work. */
	runs: readonly LiveRun[];
	hideError: boolean;
}

/** Drawn anew only when its item changes. */
export const Row = pure(({ item, running, runs, hideError }: Props) => (
	<article class={`item ${item.kind}`} data-id={item.id}>
		<ErrorBoundary fallback={<p class="failed">This entry cannot be shown.</p>}>
			<Content item={item} running={running} runs={runs} hideError={hideError} />
		</ErrorBoundary>
	</article>
));

function Content({ item, running, runs, hideError }: Props) {
	switch (item.kind) {
		case 'user':
			return <User item={item} />;
		case 'assistant':
			return <Assistant item={item} running={running} runs={runs} hideError={hideError} />;
		case 'compaction':
			return <Compaction item={item} />;
		case 'branchSummary':
			return <BranchSummary item={item} />;
		case 'bash':
			return <Bash item={item} runs={runs} />;
		case 'note':
			return <Note item={item} />;
		case 'looseResult':
			return <LooseResult item={item} />;
	}
}
