/** One answer of a model: streamed, and whole at the end whatever happened on the way. */
import { untilAborted } from '../util/async.ts';
import { isAbort } from '../util/errors.ts';
import {
	emptyUsage,
	type AssistantMessage,
	type ThinkingContent,
	type TextContent,
} from './messages.ts';
import { ModelError, type Model, type ModelRequest } from './model.ts';

export interface AnswerListener {
	text(delta: string): void;
	thinking(delta: string): void;
}

export interface Answer {
	/** Complete, or what had come when it failed or was aborted, with that stop reason. */
	message: AssistantMessage;
	/** Why the answer is not complete; absent for complete and for aborted answers. */
	error?: ModelError;
}

/**
 * Asks the model once and passes the stream on. Never throws: a failed or aborted answer is a message
 * with its stop reason, holding what came before.
 */
export async function streamAnswer(
	model: Model,
	request: ModelRequest,
	listener: AnswerListener,
	signal: AbortSignal,
): Promise<Answer> {
	let text = '';
	let thinking = '';
	try {
		for await (const event of whileListening(model.stream(request, signal), signal)) {
			if (event.type === 'done') return { message: event.message };
			if (event.type === 'text') {
				text += event.delta;
				listener.text(event.delta);
			} else if (event.type === 'thinking') {
				thinking += event.delta;
				listener.thinking(event.delta);
			}
		}
		throw new ModelError('badAnswer', `The answer of ${model.id} ended before it was complete.`);
	} catch (error) {
		const aborted = signal.aborted || isAbort(error);
		const failure = toModelError(error);
		const message: AssistantMessage = {
			role: 'assistant',
			content: partialContent(thinking, text),
			api: model.api ?? 'openai-completions',
			provider: model.provider,
			model: model.id,
			usage: emptyUsage(),
			stopReason: aborted ? 'aborted' : 'error',
			errorMessage: aborted ? 'Stopped by the user.' : failure.message,
			timestamp: Date.now(),
		};
		return aborted ? { message } : { message, error: failure };
	}
}

/** The stream's events until the signal fires, even where the model is deaf to it. */
async function* whileListening<T>(
	stream: AsyncIterable<T>,
	signal: AbortSignal,
): AsyncGenerator<T> {
	signal.throwIfAborted();
	const iterator = stream[Symbol.asyncIterator]();
	try {
		for (;;) {
			const next = await untilAborted(iterator.next(), signal);
			if (next.done) return;
			yield next.value;
		}
	} finally {
		// Not awaited: a model that hangs would keep us here.
		iterator.return?.().catch(() => undefined);
	}
}

function partialContent(thinking: string, text: string): (ThinkingContent | TextContent)[] {
	return [
		...(thinking ? [{ type: 'thinking' as const, thinking }] : []),
		...(text ? [{ type: 'text' as const, text }] : []),
	];
}

function toModelError(error: unknown): ModelError {
	if (error instanceof ModelError) return error;
	const detail = error instanceof Error ? error.message : String(error);
	return new ModelError('badAnswer', `The model's answer could not be read: ${detail}`, {
		cause: error,
	});
}
