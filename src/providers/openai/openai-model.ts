/** The Model port over any OpenAI-compatible server: one streamed chat completion for each request. */
import type OpenAI from 'openai';
import type { AssistantMessage } from '../../agent/messages.ts';
import {
	ModelError,
	type Model,
	type ModelRequest,
	type ModelStreamEvent,
} from '../../agent/model.ts';
import { abortError } from '../../util/errors.ts';
import { Answer } from './answer.ts';
import type { Chunk } from './chunk.ts';
import { createClient } from './client.ts';
import { toModelError } from './connection-errors.ts';
import { cutPromptWarning, estimatePrompt } from './cut-prompt.ts';
import { connectionOf, type Connection, type OpenAIModelConfig } from './endpoint.ts';
import { createIdleTimer } from './idle-timer.ts';
import { errorBodyStatus, errorBodyText, refusal, type Endpoint } from './refusals.ts';
import { RequestQuirks } from './request-quirks.ts';
import { readServerEvents, type ServerEvent } from './server-events.ts';
import { toChatMessages } from './to-chat-messages.ts';
import { explainToolRefusal, toolsField } from './tools.ts';

export type { OpenAIModelConfig } from './endpoint.ts';

const DEFAULT_PROVIDER = 'openai-compatible';
/** Node's fetch gives up after the same time, so that a longer one has no effect. */
const DEFAULT_TIMEOUT_MS = 300_000;
/** What servers send behind the last event. */
const DONE = '[DONE]';
/** The name of events that tell of an error. */
const ERROR = 'error';

type RequestBody = OpenAI.ChatCompletionCreateParamsStreaming;

interface Call {
	client: OpenAI;
	endpoint: Endpoint;
	quirks: RequestQuirks;
	/** Asked again after a refusal that taught something. */
	body: () => RequestBody;
	timeoutMs: number;
	onWindowNamed: ((tokens: number) => void) | undefined;
	/** The whole message of a complete answer. */
	finish: (answer: Answer) => AssistantMessage;
}

/** Fails where the stream ended in a way that leaves no usable answer. */
function checkEnding(answer: Answer, events: number, endpoint: Endpoint): void {
	const { host } = endpoint;
	const reason = answer.finishReason;
	if (events === 0)
		throw new ModelError(
			'server',
			`The model server at ${host} answered 200 with an event stream that holds no events.`,
			{ status: 200, hint: 'Try again; if it stays, look at the log of the server.' },
		);
	if (!reason)
		throw new ModelError('connection', `The answer from ${host} broke off before its end.`, {
			hint: 'Try again.',
		});
	if (reason === 'model_context_window_exceeded') throw refusal({ text: reason }, endpoint);
	if (reason === 'error' || reason === 'network_error')
		throw new ModelError('server', `The model server at ${host} ended its answer with an error.`, {
			hint: 'Try again.',
		});
}

/** Sends the request, again where the server refused a field that it can do without. */
async function open(call: Call, signal: AbortSignal): Promise<Response> {
	const { client, endpoint, quirks, body } = call;
	for (;;) {
		try {
			return await client.chat.completions.create(body(), { signal }).asResponse();
		} catch (error) {
			const refused = toModelError(error, endpoint, false);
			if (quirks.learn(refused)) continue;
			// Aborts and time-outs are told apart from what they did to the connection elsewhere.
			if (refused.status === undefined) throw error;
			throw body().tools ? explainToolRefusal(refused, endpoint) : refused;
		}
	}
}

type ErrorChunk = Chunk & { error?: unknown };

/** An error event's words count, whether they are JSON or not. */
function errorChunk(data: string): ErrorChunk {
	try {
		return JSON.parse(data) as ErrorChunk;
	} catch {
		return { error: { message: data } };
	}
}

/**
 * The chunk that an event holds.
 * @throws ModelError for an error event; SyntaxError where the event is not JSON
 */
function chunkIn({ name, data }: ServerEvent, headers: Headers, endpoint: Endpoint): Chunk {
	const chunk = name === ERROR ? errorChunk(data) : (JSON.parse(data) as ErrorChunk);
	if (name === ERROR || chunk.error || chunk.object === 'error')
		throw refusal(
			{ status: errorBodyStatus(chunk), text: errorBodyText(chunk), headers },
			endpoint,
		);
	return chunk;
}

async function* streamAnswer(
	prepare: () => Promise<Call>,
	signal: AbortSignal,
): AsyncGenerator<ModelStreamEvent> {
	const call = await prepare();
	const { endpoint, timeoutMs } = call;
	const controller = new AbortController();
	const abort = () => controller.abort();
	const idle = createIdleTimer(timeoutMs, abort);
	const answer = new Answer();
	let count = 0;
	signal.addEventListener('abort', abort, { once: true });
	try {
		signal.throwIfAborted();
		idle.start();
		const response = await open(call, controller.signal);
		reading: for await (const events of readServerEvents(response)) {
			// Stopped while the consumer works: only the server's silence counts.
			idle.stop();
			for (const event of events) {
				if (event.data.trim() === DONE) break reading;
				if (event.data.trim() === '') continue;
				const chunk = chunkIn(event, response.headers, endpoint);
				count++;
				for (const news of answer.add(chunk)) yield news;
				signal.throwIfAborted();
			}
			idle.start();
		}
		idle.stop();
		controller.signal.throwIfAborted();
		checkEnding(answer, count, endpoint);
		yield { type: 'done', message: call.finish(answer) };
	} catch (error) {
		if (signal.aborted) throw abortError(`The request to ${endpoint.host}`);
		// The answer is whole, whatever became of the connection behind it.
		if (answer.finishReason !== '' && !(error instanceof ModelError)) {
			yield { type: 'done', message: call.finish(answer) };
			return;
		}
		if (idle.expired)
			throw new ModelError(
				'timeout',
				`The model server at ${endpoint.host} sent nothing for ${Math.round(timeoutMs / 1000)} s.`,
				{ hint: 'Is the server busy, or still loading the model? Try again.' },
			);
		const failure = toModelError(error, endpoint, count > 0);
		if (failure.namedWindow !== undefined) call.onWindowNamed?.(failure.namedWindow);
		throw failure;
	} finally {
		idle.stop();
		signal.removeEventListener('abort', abort);
		// Closes the socket where the consumer left early.
		controller.abort();
	}
}

function lower(a: number | undefined, b: number | undefined): number | undefined {
	return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/**
 * A model behind a Chat Completions endpoint (OpenAI, OpenRouter, vLLM, llama.cpp, LM Studio,
 * Ollama, LiteLLM). Nothing is sent and the SDK is not loaded before the first request; a base URL
 * or key that cannot work fails there too, as a ModelError.
 */
export function createOpenAIModel(config: OpenAIModelConfig): Model {
	const provider = config.provider ?? DEFAULT_PROVIDER;
	let connected:
		{ connection: Connection; client: Promise<OpenAI>; quirks: RequestQuirks } | undefined;
	const connect = () => {
		const connection = connectionOf(config);
		const quirks = new RequestQuirks(connection.endpoint.host);
		return { connection, quirks, client: createClient(connection) };
	};
	const prepare = async (request: ModelRequest): Promise<Call> => {
		connected ??= connect();
		const { connection, quirks } = connected;
		const asked = lower(request.maxOutputTokens, config.maxOutputTokens);
		// The server's own limit is not sent where none was asked for: it keeps to it anyway.
		const limit = asked && lower(asked, config.servedOutputTokens);
		const messages = () =>
			toChatMessages(request.systemPrompt, request.messages, quirks.sendsReasoning);
		return {
			client: await connected.client,
			quirks,
			endpoint: connection.endpoint,
			timeoutMs: config.timeoutMs ?? DEFAULT_TIMEOUT_MS,
			onWindowNamed: config.onWindowNamed,
			body: () => ({
				model: config.model,
				messages: messages(),
				stream: true,
				...toolsField(request.tools),
				...quirks.fields(limit),
			}),
			finish: (answer) => {
				const message = answer.finish({ api: 'openai-completions', provider, model: config.model });
				const { input, cacheRead, cacheWrite } = message.usage;
				const read = input + cacheRead + cacheWrite;
				const warning =
					config.log && cutPromptWarning(config.model, read, estimatePrompt(messages()));
				if (warning) config.log?.warn(warning);
				return message;
			},
		};
	};
	return {
		provider,
		id: config.model,
		contextWindow: config.contextWindow,
		stream: (request, signal) => streamAnswer(() => prepare(request), signal),
	};
}
