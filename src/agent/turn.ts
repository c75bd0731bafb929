/**
 * The agent loop: asks the model, runs the tools that it calls, and asks again until it calls none. Each
 * message is handed on whole, and is stored before anything follows from it.
 */
import { isAbort } from '../util/errors.ts';
import { streamAnswer, type Answer, type AnswerListener } from './loop.ts';
import type { AssistantMessage, ToolCall, ToolResultMessage } from './messages.ts';
import type { Model, ModelError, ModelRequest } from './model.ts';
import { silentOverflow } from './silent-overflow.ts';
import { runToolCall, type ToolListener, type ToolParts } from './tool-call.ts';
import type { ToolOutcome } from './tool.ts';

export interface TurnListener extends AnswerListener, ToolListener {
	toolStarted(call: ToolCall): void;
	toolEnded(call: ToolCall, result: ToolResultMessage): void;
}

export interface TurnParts extends ToolParts {
	model: Model;
	/** The next request, from the session as it is then: what may be done between two is done here. */
	nextRequest(signal: AbortSignal): Promise<ModelRequest>;
	/** Stores a message; the loop goes on when it is stored. What it throws ends the turn. */
	append(message: AssistantMessage | ToolResultMessage): Promise<void>;
	/** Stores an answer that failed, does what helps, and says whether the model is asked again. */
	failed(answer: FailedAnswer, signal: AbortSignal): Promise<'again' | 'end'>;
	listener: TurnListener;
}

export interface FailedAnswer {
	message: AssistantMessage;
	error: ModelError;
}

export interface TurnEnd {
	/** `aborted`: the signal fired, in an answer or in a tool. */
	ended: 'complete' | 'aborted' | 'failed';
	error?: ModelError;
}

const CUT_OFF =
	'Not run: the answer reached its output limit, so this call may be incomplete. Call again in smaller steps.';
const STOPPED_BEFORE = 'Not run: the turn was stopped before this call.';

/**
 * Runs one turn. The calls of an answer run one after the other, in their order. Where the signal fires,
 * the running tool is stopped, and each call that is left gets a result that says that it was not run, so
 * that no call stays unanswered but after a crash (the request builder repairs that).
 * Without tools it is one answer, whatever that calls.
 * @throws what `nextRequest`, `append` and `failed` throw, but an AbortError once the signal has fired
 */
export async function runTurn(parts: TurnParts, signal: AbortSignal): Promise<TurnEnd> {
	try {
		return await loop(parts, signal);
	} catch (error) {
		if (signal.aborted && isAbort(error)) return { ended: 'aborted' };
		throw error;
	}
}

async function loop(parts: TurnParts, signal: AbortSignal): Promise<TurnEnd> {
	for (;;) {
		const request = await parts.nextRequest(signal);
		const answer = await streamAnswer(parts.model, request, parts.listener, signal);
		const { message, error } = checked(answer, parts.model);
		if (error) {
			if ((await parts.failed({ message, error }, signal)) === 'again') continue;
			return { ended: 'failed', error };
		}
		await parts.append(message);
		if (message.stopReason === 'aborted') return { ended: 'aborted' };
		const calls = message.content.filter((part) => part.type === 'toolCall');
		if (calls.length === 0 || parts.tools.length === 0 || message.stopReason === 'error')
			return { ended: 'complete' };
		for (const call of calls) await answerCall(call, message, parts, signal);
		if (signal.aborted) return { ended: 'aborted' };
	}
}

/** The answer; one without a word where the window is full is a failed one. */
function checked(answer: Answer, { contextWindow }: Model): Answer {
	const error = answer.error ?? silentOverflow(answer.message, contextWindow);
	if (!error || answer.error) return answer;
	const message = { ...answer.message, stopReason: 'error' as const, errorMessage: error.message };
	return { message, error };
}

async function answerCall(
	call: ToolCall,
	{ stopReason }: AssistantMessage,
	parts: TurnParts,
	signal: AbortSignal,
): Promise<void> {
	const { listener } = parts;
	listener.toolStarted(call);
	const outcome = signal.aborted
		? notRun(STOPPED_BEFORE)
		: stopReason === 'length'
			? notRun(CUT_OFF)
			: await runToolCall(call, parts, signal);
	const result: ToolResultMessage = {
		role: 'toolResult',
		toolCallId: call.id,
		toolName: call.name,
		...outcome,
		timestamp: Date.now(),
	};
	await parts.append(result);
	listener.toolEnded(call, result);
}

function notRun(text: string): ToolOutcome {
	return { content: [{ type: 'text', text }], isError: true };
}
