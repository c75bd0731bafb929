/** One item of the conversation, whatever its kind. */
import type { ChatItem } from '../protocol/chat-item.ts';
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
	hideError: boolean;
}

/** Drawn anew only when its item changes. */
export const Row = pure(({ item, running, hideError }: Props) => (
	<article class={`item ${item.kind}`} data-id={item.id}>
		<ErrorBoundary fallback={<p class="failed">This entry cannot be shown.</p>}>
			<Content item={item} running={running} hideError={hideError} />
		</ErrorBoundary>
	</article>
));

function Content({ item, running, hideError }: Props) {
	switch (item.kind) {
		case 'user':
			return <User item={item} />;
		case 'assistant':
			return <Assistant item={item} running={running} hideError={hideError} />;
		case 'compaction':
			return <Compaction item={item} />;
		case 'branchSummary':
			return <BranchSummary item={item} />;
		case 'bash':
			return <Bash item={item} />;
		case 'note':
			return <Note item={item} />;
		case 'looseResult':
			return <LooseResult item={item} />;
	}
}
