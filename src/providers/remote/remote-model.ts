/**
 * The Model port over a summary endpoint: one POST of `{ systemPrompt, prompt, maxTokens }` for each
 * request, answered with `{ summary }`.
 */
import { emptyUsage, type AssistantMessage, type LlmMessage } from '../../agent/messages.ts';
import {
	ModelError,
	type Model,
	type ModelRequest,
	type ModelStreamEvent,
} from '../../agent/model.ts';
import { abortError } from '../../util/errors.ts';
import { connectionFailure } from '../connection-failure.ts';
import { readText } from './read-text.ts';
import { badAnswer, redirected, refused, summaryIn, type RemoteServer } from './remote-answer.ts';

export interface RemoteModelConfig {
	/** The address that prompts are posted to. */
	endpoint: string;
	/** Sent as a bearer token; absent for endpoints that want none. */
	apiKey?: string | undefined;
	/** Tokens. */
	contextWindow: number;
	/** How long one answer may take, in ms; 300,000 where absent. */
	timeoutMs?: number;
}

const PROVIDER = 'remote';
const DEFAULT_TIMEOUT_MS = 300_000;
/** Bytes of an answer that are read at most: a summary is far smaller. */
const READ_LIMIT = 4_000_000;

/**
 * A model behind a summary endpoint. Nothing is sent before the first request; an address or a key
 * that cannot work fails there, as a ModelError. Redirects are not followed, so that neither the
 * conversation nor the key goes elsewhere. It knows text alone: images and tool calls are left out.
 */
export function createRemoteModel(config: RemoteModelConfig): Model {
	const address = config.endpoint.trim();
	const url = URL.canParse(address) ? new URL(address) : undefined;
	const known = url && url.host !== '' ? url : undefined;
	const id = known ? `${known.origin}${known.pathname}` : 'unknown';
	return {
		provider: PROVIDER,
		id,
		label: `${PROVIDER}/${known?.host ?? 'unknown'}`,
		contextWindow: config.contextWindow,
		async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelStreamEvent> {
			const summary = await ask(requireUrl(known), config, request, signal);
			yield { type: 'done', message: answerMessage(id, summary) };
		},
	};
}

function requireUrl(url: URL | undefined): URL {
	const hint = 'Correct the setting espalier.compaction.remoteEndpoint.';
	if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
		throw new ModelError(
			'badRequest',
			'The remote endpoint must be an address that begins with http:// or https://.',
			{ hint },
		);
	if (url.username || url.password)
		throw new ModelError(
			'badRequest',
			'The address of the remote endpoint must not hold a user name or a password.',
			{ hint },
		);
	return url;
}

async function ask(
	url: URL,
	config: RemoteModelConfig,
	request: ModelRequest,
	signal: AbortSignal,
): Promise<string> {
	const timeoutMs = config.timeoutMs ?? DEFAULT_TIMEOUT_MS;
	const apiKey = config.apiKey?.trim() || undefined;
	// What stands in the search part is often a key, too.
	const secrets = [...(apiKey ? [apiKey] : []), ...url.searchParams.values()];
	const server: RemoteServer = { name: `The remote endpoint at ${url.host}`, secrets };
	const controller = new AbortController();
	const timeout = AbortSignal.timeout(timeoutMs);
	let started = false;
	try {
		const response = await fetch(url, {
			method: 'POST',
			headers: headersOf(apiKey),
			body: JSON.stringify({
				systemPrompt: request.systemPrompt ?? '',
				prompt: promptOf(request.messages),
				...(request.maxOutputTokens ? { maxTokens: request.maxOutputTokens } : {}),
			}),
			redirect: 'manual',
			signal: AbortSignal.any([signal, timeout, controller.signal]),
		});
		started = true;
		if (response.status >= 300 && response.status < 400) throw redirected(response, server);
		const { text, complete } = await readText(response, READ_LIMIT);
		if (!response.ok) throw refused(response, text, server);
		if (!complete) throw badAnswer(response, `more than ${READ_LIMIT / 1e6} MB`, '', server);
		return summaryIn(response, text, server);
	} catch (error) {
		if (signal.aborted) throw abortError(`The request to ${url.host}`);
		if (error instanceof ModelError) throw error;
		if (timeout.aborted)
			throw new ModelError(
				'timeout',
				`${server.name} had not answered after ${Math.round(timeoutMs / 1000)} s.`,
				{ hint: 'Is the server busy? Try again.' },
			);
		throw connectionFailure(error, server.name, secrets, started);
	} finally {
		// Closes the socket where the answer was not read to its end.
		controller.abort();
	}
}

function headersOf(apiKey: string | undefined): Headers {
	if (apiKey && !/^[\x21-\x7e]+$/.test(apiKey))
		throw new ModelError('auth', 'The key holds characters that no key can have.');
	const headers = new Headers({
		'user-agent': 'espalier',
		'content-type': 'application/json',
		accept: 'application/json',
	});
	if (apiKey) headers.set('authorization', `Bearer ${apiKey}`);
	return headers;
}

/** The messages' text, oldest first; the model summarizer sends one message. */
function promptOf(messages: readonly LlmMessage[]): string {
	return messages
		.flatMap(({ content }) =>
			typeof content === 'string'
				? [content]
				: content.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
		)
		.join('\n\n');
}

function answerMessage(id: string, summary: string): AssistantMessage {
	return {
		role: 'assistant',
		content: [{ type: 'text', text: summary }],
		api: PROVIDER,
		provider: PROVIDER,
		model: id,
		usage: emptyUsage(),
		stopReason: 'stop',
		timestamp: Date.now(),
	};
}
