/** Turns a server's refusal (status and text) into a ModelError with a reason, a sentence and a hint. */
import { ModelError } from '../../agent/model.ts';
import { namedWindow } from '../named-limits.ts';
import { excerpt, redact } from '../redact.ts';
import { refusalReason, type RefusalReason } from '../refusal-reason.ts';
import { retryAfterMs, waitText } from '../retry-after.ts';

/** What error messages may name, and what they must never show. */
export interface Endpoint {
	/** "host:port". */
	host: string;
	model: string;
	secrets: readonly string[];
	/** The header of the key, where it is no bearer token. */
	keyHeader?: 'api-key';
}

const connectHint = "Check the key with 'Espalier: Connect a model'.";

interface Wording {
	what: (endpoint: Endpoint) => string;
	hint: (endpoint: Endpoint) => string;
}

const wordings: Record<RefusalReason, Wording> = {
	overflow: {
		what: ({ model }) => `The context is larger than the window of ${model}`,
		hint: () => 'Compact the session, or choose a model with a larger window.',
	},
	auth: {
		what: ({ host }) => `The model server at ${host} refused the key`,
		hint: () => connectHint,
	},
	notFound: {
		what: ({ host, model }) => `The model server at ${host} does not know ${model} or this address`,
		hint: () => 'Check the model name, and that the base URL is complete (most end in /v1).',
	},
	billing: {
		what: ({ host }) => `The account at ${host} has used up its quota or credit`,
		hint: () => 'Check the quota and the credit of the account behind the key.',
	},
	rateLimit: {
		what: ({ host }) => `The model server at ${host} is limiting requests`,
		hint: () => 'Wait a little and try again.',
	},
	server: {
		what: ({ host }) => `The model server at ${host} failed`,
		hint: () => 'Try again in a moment; if it stays, look at the log of the server.',
	},
	badRequest: {
		what: ({ host }) => `The model server at ${host} did not accept the request`,
		hint: () => 'Check the model name and the model settings.',
	},
	badAnswer: {
		what: ({ host }) => `The model server at ${host} reported an error in its answer`,
		hint: () => 'Try again; if it stays, look at the log of the server.',
	},
};

function hintOf(
	reason: RefusalReason,
	endpoint: Endpoint,
	status: number | undefined,
	waitMs: number | undefined,
) {
	if (status === 413 && reason === 'badRequest')
		return 'The request has too many bytes for this server: compact the session or leave out images.';
	if (reason === 'rateLimit' && waitMs)
		return `The server asks to wait ${waitText(waitMs)} before the next try.`;
	return wordings[reason].hint(endpoint);
}

export interface RefusalDetails {
	/** Absent for an error inside a stream that names no code. */
	status?: number;
	/** The server's own words: message, code and type, or a page. */
	text: string;
	/** Of the refusal; absent for an error inside a stream. */
	headers?: Headers | undefined;
}

/** The error for a refused request, or for an error event inside a stream. */
export function refusal(details: RefusalDetails, endpoint: Endpoint): ModelError {
	const { status, text, headers } = details;
	const waitMs = headers && retryAfterMs(headers, status === 429);
	const reason = refusalReason(status, text, waitMs !== undefined);
	const said = excerpt(redact(text, endpoint.secrets));
	const code = status === undefined ? '' : ` (status ${status})`;
	return new ModelError(
		reason,
		`${wordings[reason].what(endpoint)}${code}${said ? `: ${said}` : '.'}`,
		{
			status,
			hint: hintOf(reason, endpoint, status, waitMs),
			retryAfterMs: waitMs,
			...(reason === 'overflow' ? { namedWindow: namedWindow(text) } : {}),
		},
	);
}

/** The text of an error body, in the shapes that OpenAI-compatible servers use. */
export function errorBodyText(body: unknown): string {
	if (typeof body === 'string') return body;
	if (typeof body !== 'object' || body === null) return '';
	const { error, message, detail, code, type, metadata } = body as Record<string, unknown>;
	if (typeof error === 'object' && error !== null) return errorBodyText(error);
	const parts = [error, message, detail, code, type]
		.map((part) => (typeof part === 'string' ? part : part && JSON.stringify(part)))
		.filter(Boolean);
	// OpenRouter puts the words of the provider behind it here.
	if (typeof metadata === 'object' && metadata !== null && 'raw' in metadata)
		parts.push(String(metadata.raw));
	return parts.length > 0 ? [...new Set(parts)].join(' · ') : JSON.stringify(body);
}

/** A numeric HTTP status inside an error body, where the server put one there. */
export function errorBodyStatus(body: unknown): number | undefined {
	if (typeof body !== 'object' || body === null) return undefined;
	const { code, status, error } = body as Record<string, unknown>;
	const number = Number(code ?? status);
	if (Number.isInteger(number) && number >= 400 && number < 600) return number;
	return error === undefined ? undefined : errorBodyStatus(error);
}

/** The value of a JSON text; undefined where it is none. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined; // Not JSON: callers report the text as it is.
	}
}
