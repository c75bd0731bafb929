/** The agent loop on a session: requests are built from it, and messages and events go back to it. */
import type { Model, ModelError, ModelRequest, ToolDefinition } from '../agent/model.ts';
import type { RetryPolicy } from '../agent/retry.ts';
import type { Tool } from '../agent/tool.ts';
import { runTurn, type FailedAnswer, type TurnEnd, type TurnListener } from '../agent/turn.ts';
import { isAbort } from '../util/errors.ts';
import type { Emitter } from '../util/emitter.ts';
import type { TokenCounter } from '../util/tokens.ts';
import type { AgentSetup } from './agent-setup.ts';
import type { AgentSessionEvent, ToolEvent, TurnPhase } from './agent-events.ts';
import { withBlobs, type BlobStore } from './blobs.ts';
import { buildRequest } from './request-builder.ts';
import type { SessionManager } from './session-manager.ts';
import { TurnRetry } from './turn-retry.ts';
import type { UnsavedAnswers } from './unsaved-answers.ts';

export interface SessionTurn {
	manager: SessionManager;
	model: Model;
	events: Emitter<AgentSessionEvent>;
	toolEvents: Emitter<ToolEvent>;
	unsaved: UnsavedAnswers;
	setup: AgentSetup;
	blobs?: BlobStore | undefined;
	/** Tokens that messages may take in a request beside the tokens of prompt and tools. */
	room: (overheadTokens: number) => number | undefined;
	counter: () => Promise<TokenCounter>;
	retry: RetryPolicy;
	/** What is to be in the session before the next request: steering prompts, a compaction that is due. */
	beforeRequest: (signal: AbortSignal) => Promise<void>;
	/** Makes the context smaller after an overflow. @returns true where the request is to be made again */
	recover: (error: ModelError, signal: AbortSignal) => Promise<boolean>;
	/** A tool has changed a file. */
	edited: () => void;
	enter: (phase: TurnPhase) => void;
}

/** Tools whose success is progress (spec: loop guard). */
const EDITING_TOOLS: ReadonlySet<string> = new Set(['write', 'edit']);

/**
 * Runs one turn on the session as it stands.
 * @throws UserError where a message could not be saved, or the session not be read
 */
export function runSessionTurn(turn: SessionTurn, signal: AbortSignal): Promise<TurnEnd> {
	const { model, setup, unsaved } = turn;
	const retry = new TurnRetry(turn.retry);
	return runTurn(
		{
			model,
			tools: setup.tools ?? [],
			approval: setup.approval,
			async nextRequest() {
				await turn.beforeRequest(signal);
				turn.enter('answering');
				return nextRequest(turn);
			},
			async append(message) {
				if (message.role === 'assistant') retry.succeeded();
				await unsaved.save(message);
			},
			failed: (answer) => answerFailure(turn, retry, answer, signal),
			listener: tellEvents(turn),
		},
		signal,
	);
}

/**
 * Stores a failed answer and does what helps against its failure. One without a word is not stored where
 * the request is made again: it would say nothing.
 */
async function answerFailure(
	turn: SessionTurn,
	retry: TurnRetry,
	{ message, error }: FailedAnswer,
	signal: AbortSignal,
): Promise<'again' | 'end'> {
	const due = signal.aborted ? undefined : retry.next(error);
	const isStored = !due || message.content.length > 0;
	if (isStored) await turn.unsaved.save(message);
	if (!due)
		return error.reason === 'overflow' && (await turn.recover(error, signal)) ? 'again' : 'end';
	turn.enter('retrying');
	turn.events.emit({ type: 'retryScheduled', retry: due });
	try {
		await retry.wait(due, signal);
	} catch (stopped) {
		if (!isStored && isAbort(stopped)) await turn.unsaved.save(message);
		throw stopped;
	}
	return 'again';
}

async function nextRequest(turn: SessionTurn): Promise<ModelRequest> {
	const { manager, blobs, setup } = turn;
	const { systemPrompt, tools = [] } = setup;
	const context = (await manager.readContext()).messages;
	const count = await turn.counter();
	const { messages } = buildRequest(blobs ? await withBlobs(context, blobs) : context, {
		room: turn.room(overheadTokens(setup, count)),
		count,
	});
	return {
		messages,
		...(systemPrompt ? { systemPrompt } : {}),
		...(tools.length > 0 ? { tools: toolDefinitions(tools) } : {}),
	};
}

/** What a model is told of the tools. */
export function toolDefinitions(tools: readonly Tool[]): ToolDefinition[] {
	return tools.map(({ name, description, parameters }) => ({
		name,
		description,
		parameters: { ...parameters },
	}));
}

/** Tokens that every request takes besides its messages. */
export function overheadTokens(
	{ systemPrompt, tools = [] }: AgentSetup,
	count: TokenCounter,
): number {
	const definitions = tools.length > 0 ? count(JSON.stringify(toolDefinitions(tools))) : 0;
	return definitions + (systemPrompt ? count(systemPrompt) : 0);
}

function tellEvents({ events, toolEvents, enter, edited }: SessionTurn): TurnListener {
	return {
		text: (delta) => events.emit({ type: 'textDelta', delta }),
		thinking: (delta) => events.emit({ type: 'thinkingDelta', delta }),
		toolStarted({ id, name, arguments: args }) {
			enter('tool');
			toolEvents.emit({ type: 'toolStarted', toolCallId: id, toolName: name, arguments: args });
		},
		toolOutput: ({ id }, delta) => toolEvents.emit({ type: 'toolOutput', toolCallId: id, delta }),
		toolEnded({ id, name }, { isError }) {
			if (!isError && EDITING_TOOLS.has(name)) edited();
			toolEvents.emit({ type: 'toolEnded', toolCallId: id, isError });
		},
	};
}
