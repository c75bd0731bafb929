/** Takes the summary out of a remote endpoint's answer, or says what is wrong with it. */
import { ModelError } from '../../agent/model.ts';
import { excerpt, redact } from '../redact.ts';
import { refusalReason, type RefusalReason } from '../refusal-reason.ts';
import { retryAfterMs, waitText } from '../retry-after.ts';
import { errorBodyText, parseJson } from '../openai/refusals.ts';

export interface RemoteServer {
	/** How sentences name it: "The remote endpoint at host:port". */
	name: string;
	/** What no message may show. */
	secrets: readonly string[];
}

/** Characters of an unexpected answer that are looked at. */
const ENOUGH = 40_000;

const ADDRESS_HINT = 'Is espalier.compaction.remoteEndpoint the address of a summary endpoint?';

const HINTS: Record<RefusalReason, string> = {
	overflow: 'The prompt is too large for this endpoint.',
	auth: 'Check the key of the remote endpoint.',
	notFound: ADDRESS_HINT,
	billing: 'Check the quota and the credit of the account behind the key.',
	rateLimit: 'Wait a little and try again.',
	server: 'Try again in a moment; if it stays, look at the log of the server.',
	badRequest: ADDRESS_HINT,
	badAnswer: ADDRESS_HINT,
};

/**
 * The summary in a 2xx answer; it may be empty, which the summarizer refuses.
 * @throws ModelError (badAnswer) for anything that is no `{ summary: string }`
 */
export function summaryIn(response: Response, text: string, server: RemoteServer): string {
	const json = parseJson(text);
	if (typeof json !== 'object' || json === null) {
		const type = response.headers.get('content-type') ?? 'no content type';
		throw badAnswer(response, `${excerpt(type, 60)} that is no JSON object`, text, server);
	}
	if ('summary' in json && typeof json.summary === 'string') return json.summary;
	throw badAnswer(response, 'JSON without a summary', text, server);
}

export function badAnswer(
	{ status }: Response,
	what: string,
	text: string,
	server: RemoteServer,
): ModelError {
	const said = saidBy(text, server);
	return new ModelError(
		'badAnswer',
		`${server.name} answered ${status} with ${what}${said ? `: "${said}"` : '.'}`,
		{ status, hint: ADDRESS_HINT },
	);
}

/** The error for an answer that is no 2xx. */
export function refused(response: Response, text: string, server: RemoteServer): ModelError {
	const { status, headers } = response;
	const json = parseJson(text);
	const words = (typeof json === 'object' ? errorBodyText(json) : text).slice(0, ENOUGH);
	const retryAfter = retryAfterMs(headers, status === 429);
	// Here no part of the request but its prompt has any size.
	const reason =
		status === 413 ? 'overflow' : refusalReason(status, words, retryAfter !== undefined);
	const said = saidBy(words, server);
	const asked = retryAfter && `The server asks to wait ${waitText(retryAfter)}.`;
	return new ModelError(
		reason,
		`${server.name} answered with status ${status}${said ? `: ${said}` : '.'}`,
		{ status, hint: asked || HINTS[reason], retryAfterMs: retryAfter },
	);
}

export function redirected(response: Response, server: RemoteServer): ModelError {
	const { status, headers } = response;
	const location = saidBy(headers.get('location') ?? '', server);
	return new ModelError(
		'badRequest',
		`${server.name} redirects to ${location || 'another address'} (status ${status}). ` +
			'Redirects are not followed, so that nothing goes elsewhere.',
		{ status, hint: 'Set espalier.compaction.remoteEndpoint to the final address.' },
	);
}

function saidBy(text: string, { secrets }: RemoteServer): string {
	return excerpt(redact(text.slice(0, ENOUGH), secrets));
}
