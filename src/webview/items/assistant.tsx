/** An answer: text, folded thinking and tool calls in their order, and how it ended. */
import type { AssistantItem, AssistantPart } from '../../protocol/chat-item.ts';
import type { LiveRun } from '../../protocol/live-run.ts';
import { Fold } from './fold.tsx';
import { MarkdownText } from './shown-text.tsx';
import { ToolCall } from './tool-call.tsx';

interface Props {
	item: AssistantItem;
	/** More is coming: text, or results of the calls. */
	running: boolean;
	/** What of its calls is at work. */
	runs: readonly LiveRun[];
	/** The failure is told elsewhere. */
	hideError: boolean;
}

export function Assistant({ item, running, runs, hideError }: Props) {
	return (
		<>
			<h2 class="role">
				Assistant
				{item.model && <span class="quiet">{item.model}</span>}
			</h2>
			{item.parts.map((part, index) => (
				<Part key={index} {...{ part, item, index, running, runs }} />
			))}
			<Ending item={item} hideError={hideError} />
		</>
	);
}

function Part(props: {
	part: AssistantPart;
	item: AssistantItem;
	index: number;
	running: boolean;
	runs: readonly LiveRun[];
}) {
	const { part, item, index, running, runs } = props;
	switch (part.type) {
		case 'text':
			return <MarkdownText shown={part.text} entryId={item.id} />;
		case 'thinking':
			return (
				<Fold id={`${item.id}/${index}`} kind="thinking" summary="Thinking">
					<MarkdownText shown={part.text} entryId={item.id} />
				</Fold>
			);
		case 'tool':
			return <ToolCall call={part} entryId={item.id} running={running} runs={runs} />;
	}
}

function Ending({ item, hideError }: { item: AssistantItem; hideError: boolean }) {
	switch (item.status) {
		case 'aborted':
			return <p class="quiet">Stopped. What had come is kept.</p>;
		case 'cut':
			return <p class="quiet">The answer ended at the model’s output limit.</p>;
		case 'error':
			if (hideError) return null;
			return <p class="failed">{item.error ?? 'The answer ended with an error.'}</p>;
		default:
			return null;
	}
}
