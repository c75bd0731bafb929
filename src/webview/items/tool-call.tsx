/** A tool call: folded to one line, with what it asks and prints while it is at work. */
import type { LooseResultItem, ToolCallView, ToolResultView } from '../../protocol/chat-item.ts';
import type { LiveRun } from '../../protocol/live-run.ts';
import { plural } from '../format.ts';
import { Fold } from './fold.tsx';
import { LiveOutput } from './live-output.tsx';
import { Question } from './question.tsx';
import { PlainText } from './shown-text.tsx';

interface State {
	mark: string;
	label: string;
	kind: string;
}

type ToolRun = Extract<LiveRun, { kind: 'tool' }>;

const OUTCOMES: Record<ToolResultView['outcome'], State> = {
	done: { mark: '✓', label: 'done', kind: 'good' },
	failed: { mark: '✗', label: 'failed', kind: 'bad' },
	refused: { mark: '⊘', label: 'refused', kind: 'bad' },
};

function stateOf(call: ToolCallView, run: ToolRun | undefined, turnGoesOn: boolean): State {
	if (call.result) return OUTCOMES[call.result.outcome];
	if (run?.question) return { mark: '?', label: 'asks you', kind: 'asks' };
	if (run) return { mark: '○', label: 'running', kind: 'busy' };
	if (turnGoesOn) return { mark: '·', label: 'waiting', kind: 'idle' };
	return { mark: '–', label: 'interrupted', kind: 'idle' };
}

interface Props {
	call: ToolCallView;
	entryId: string;
	/** The turn goes on: calls without a result are still to come. */
	running: boolean;
	runs: readonly LiveRun[];
}

export function ToolCall({ call, entryId, running, runs }: Props) {
	const run = runs.find(
		(each): each is ToolRun => each.kind === 'tool' && each.callId === call.callId,
	);
	const state = stateOf(call, run, running);
	const atWork = call.result ? undefined : run;
	return (
		<div class={`tool-card ${state.kind}`}>
			<Fold
				id={`${entryId}/${call.callId}`}
				kind="tool"
				summary={<Line state={state} name={call.name} summary={call.summary} />}
			>
				<PlainText kind="output" shown={call.arguments} entryId={entryId} />
				{call.result && <Result result={call.result} />}
			</Fold>
			{atWork?.question && <Question key={atWork.question.requestId} question={atWork.question} />}
			{atWork && <LiveOutput output={atWork.output} />}
		</div>
	);
}

/** A result that has lost its call, in damaged files. */
export function LooseResult({ item }: { item: LooseResultItem }) {
	const state = OUTCOMES[item.result.outcome];
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
			<span class={`mark ${state.kind}`} aria-hidden="true">
				{state.mark}
			</span>
			<span class="tool-name">{name}</span>
			<code class="tool-summary">{summary}</code>
			<span class="tool-state">{state.label}</span>
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
