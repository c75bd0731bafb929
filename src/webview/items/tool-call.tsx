/** A tool call with its result, folded to one line. */
import type { LooseResultItem, ToolCallView, ToolResultView } from '../../protocol/chat-item.ts';
import { plural } from '../format.ts';
import { Fold } from './fold.tsx';
import { PlainText } from './shown-text.tsx';

interface State {
	mark: string;
	label: string;
	kind: string;
}

function stateOf(result: ToolResultView | null, running: boolean): State {
	if (result?.failed) return { mark: '✗', label: 'failed', kind: 'bad' };
	if (result) return { mark: '✓', label: 'done', kind: 'good' };
	if (running) return { mark: '…', label: 'running', kind: 'busy' };
	return { mark: '–', label: 'interrupted', kind: 'idle' };
}

interface Props {
	call: ToolCallView;
	entryId: string;
	running: boolean;
}

export function ToolCall({ call, entryId, running }: Props) {
	const state = stateOf(call.result, running);
	return (
		<Fold
			id={`${entryId}/${call.callId}`}
			kind="tool"
			summary={<Line state={state} name={call.name} summary={call.summary} />}
		>
			<PlainText kind="output" shown={call.arguments} entryId={entryId} />
			{call.result ? <Result result={call.result} /> : <p class="quiet">{state.label}</p>}
		</Fold>
	);
}

/** A result that has lost its call, in damaged files. */
export function LooseResult({ item }: { item: LooseResultItem }) {
	const state = stateOf(item.result, false);
	return (
		<Fold
			id={item.id}
			kind="tool"
			summary={<Line state={state} name={item.name} summary="result without its call" />}
		>
			<Result result={item.result} />
		</Fold>
	);
}

function Line({ state, name, summary }: { state: State; name: string; summary: string }) {
	return (
		<span class="tool-line">
			<span class={`mark ${state.kind}`} role="img" aria-label={state.label} title={state.label}>
				{state.mark}
			</span>
			<span class="tool-name">{name}</span>
			<code class="tool-summary">{summary}</code>
		</span>
	);
}

function Result({ result }: { result: ToolResultView }) {
	return (
		<>
			{result.text.text ? (
				<PlainText kind="output" shown={result.text} entryId={result.entryId} />
			) : (
				<p class="quiet">No output.</p>
			)}
			{result.images > 0 && <p class="quiet">{plural(result.images, 'image')}</p>}
		</>
	);
}
