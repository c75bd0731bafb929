/** Turns what fetch, the socket and the SDK throw into a ModelError that names the cause plainly. */
import { ModelError } from '../../agent/model.ts';
import { errorText } from '../../util/errors.ts';
import { excerpt, redact } from '../redact.ts';
import { errorBodyStatus, errorBodyText, refusal, type Endpoint } from './refusals.ts';

const runningHint = 'Is the server running, and is the base URL right?';

/** System error codes, as found on the error or on one of its causes. */
const codeSentences: Record<string, { what: string; hint: string }> = {
	ECONNREFUSED: { what: 'refused the connection', hint: runningHint },
	ENOTFOUND: { what: 'has a name that could not be resolved', hint: 'Check the base URL.' },
	EAI_AGAIN: {
		what: 'has a name that could not be resolved',
		hint: 'Check the network and the base URL.',
	},
	ECONNRESET: { what: 'closed the connection', hint: 'Try again.' },
	EPIPE: { what: 'closed the connection', hint: 'Try again.' },
	UND_ERR_SOCKET: { what: 'closed the connection', hint: 'Try again.' },
	ETIMEDOUT: { what: 'did not answer in time', hint: runningHint },
	UND_ERR_CONNECT_TIMEOUT: { what: 'did not answer in time', hint: runningHint },
	UND_ERR_HEADERS_TIMEOUT: { what: 'did not answer in time', hint: runningHint },
	UND_ERR_BODY_TIMEOUT: { what: 'stopped sending its answer', hint: 'Try again.' },
	EHOSTUNREACH: { what: 'cannot be reached', hint: 'Check the network and the base URL.' },
	ENETUNREACH: { what: 'cannot be reached', hint: 'Check the network and the base URL.' },
};

const certificateCode = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/;

/** The error and its causes, the outermost first; refused connections to several addresses included. */
function* causes(error: unknown): Generator<Error> {
	for (let current = error, depth = 0; current instanceof Error && depth < 8; depth++) {
		yield current;
		if (current instanceof AggregateError) yield* current.errors.filter((e) => e instanceof Error);
		current = current.cause;
	}
}

function connectionError(error: unknown, endpoint: Endpoint, started: boolean): ModelError {
	const chain = [...causes(error)];
	const server = `The model server at ${endpoint.host}`;
	for (const { code } of chain as { code?: unknown }[]) {
		if (typeof code !== 'string') continue;
		const sentence = codeSentences[code];
		if (sentence) {
			const when =
				started && sentence.what.startsWith('closed') ? ' in the middle of its answer' : '';
			return new ModelError('connection', `${server} ${sentence.what}${when} (${code}).`, {
				hint: sentence.hint,
			});
		}
		if (certificateCode.test(code))
			return new ModelError(
				'connection',
				`${server} has a certificate that is not trusted (${code}).`,
				{
					hint: 'Check the base URL, or install the certificate on this machine.',
				},
			);
	}
	const innermost = redact(errorText(chain.at(-1) ?? error), endpoint.secrets);
	return new ModelError(
		'connection',
		`The connection to the model server at ${endpoint.host} failed: ${excerpt(innermost)}`,
		{ hint: runningHint },
	);
}

interface ApiErrorShape extends Error {
	status?: number;
	error?: unknown;
	headers?: Headers;
}

/** An answer of the server that the SDK turned into an error: a status, or an error event. */
function isApiError(error: unknown): error is ApiErrorShape {
	return error instanceof Error && 'status' in error && 'error' in error && 'headers' in error;
}

/**
 * The ModelError for anything that a request or its stream threw.
 * @param started true where part of the answer had arrived.
 */
export function toModelError(error: unknown, endpoint: Endpoint, started: boolean): ModelError {
	for (const cause of causes(error)) if (cause instanceof ModelError) return cause;
	if (error instanceof SyntaxError)
		return new ModelError(
			'badAnswer',
			`The model server at ${endpoint.host} sent a stream event that is not JSON.`,
			{ hint: 'Is the base URL that of an OpenAI-compatible server?' },
		);
	// The SDK's own connection errors have the same fields, but nothing in them.
	if (isApiError(error) && (error.status !== undefined || error.error !== undefined)) {
		const status = error.status ?? errorBodyStatus(error.error);
		const bare = /^\d{3} (?:status code \(no body\)$)?/;
		const text = errorBodyText(error.error) || error.message.replace(bare, '');
		const retryAfter = error.headers?.get('retry-after') ?? undefined;
		return refusal(
			{ status, text, retryAfter: retryAfter && /^\d+$/.test(retryAfter) ? retryAfter : undefined },
			endpoint,
		);
	}
	return connectionError(error, endpoint, started);
}
