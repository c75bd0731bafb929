/** Turns what fetch and the socket throw into a ModelError that names the cause plainly. */
import { ModelError, type ModelErrorReason } from '../agent/model.ts';
import { errorText } from '../util/errors.ts';
import { excerpt, redact } from './redact.ts';

const runningHint = 'Is the server running, and is its address right?';

/** System error codes, as found on the error or on one of its causes. */
const codeSentences: Record<string, { what: string; hint: string; reason?: ModelErrorReason }> = {
	ECONNREFUSED: { what: 'refused the connection', hint: runningHint },
	ENOTFOUND: { what: 'has a name that could not be resolved', hint: 'Check the address.' },
	EAI_AGAIN: {
		what: 'has a name that could not be resolved',
		hint: 'Check the network and the address.',
	},
	ECONNRESET: { what: 'closed the connection', hint: 'Try again.' },
	EPIPE: { what: 'closed the connection', hint: 'Try again.' },
	UND_ERR_SOCKET: { what: 'closed the connection', hint: 'Try again.' },
	ETIMEDOUT: { what: 'did not answer in time', hint: runningHint },
	UND_ERR_CONNECT_TIMEOUT: { what: 'did not answer in time', hint: runningHint },
	UND_ERR_HEADERS_TIMEOUT: {
		what: 'did not answer in time',
		hint: runningHint,
		reason: 'timeout',
	},
	UND_ERR_BODY_TIMEOUT: {
		what: 'stopped sending its answer',
		hint: 'Try again.',
		reason: 'timeout',
	},
	EHOSTUNREACH: { what: 'cannot be reached', hint: 'Check the network and the address.' },
	ENETUNREACH: { what: 'cannot be reached', hint: 'Check the network and the address.' },
};

const certificateCode = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/;

/** The error and its causes, the outermost first; refused connections to several addresses included. */
export function* causes(error: unknown): Generator<Error> {
	for (let current = error, depth = 0; current instanceof Error && depth < 8; depth++) {
		yield current;
		if (current instanceof AggregateError) yield* current.errors.filter((e) => e instanceof Error);
		current = current.cause;
	}
}

/**
 * The ModelError for a connection that failed.
 * @param server how sentences name the server: "The model server at host:port".
 * @param secrets what no message may show.
 * @param started true where part of the answer had arrived.
 */
export function connectionFailure(
	error: unknown,
	server: string,
	secrets: readonly string[],
	started: boolean,
): ModelError {
	const chain = [...causes(error)];
	for (const { code } of chain as { code?: unknown }[]) {
		if (typeof code !== 'string') continue;
		const sentence = codeSentences[code];
		if (sentence) {
			const { what, hint, reason = 'connection' } = sentence;
			const when = started && what.startsWith('closed') ? ' in the middle of its answer' : '';
			return new ModelError(reason, `${server} ${what}${when} (${code}).`, { hint });
		}
		if (certificateCode.test(code))
			return new ModelError(
				'certificate',
				`${server} has a certificate that is not trusted (${code}).`,
				{ hint: 'Check the address, or install the certificate on this machine.' },
			);
	}
	const innermost = redact(errorText(chain.at(-1) ?? error), secrets);
	return new ModelError(
		'connection',
		`The connection to ${server.replace(/^The /, 'the ')} failed: ${excerpt(innermost)}`,
		{ hint: runningHint },
	);
}
