/** Turns what the Language Model API throws into a ModelError: what happened, and what helps. */
import { ModelError, type ModelErrorReason } from '../../agent/model.ts';
import { refusalReason } from '../../providers/refusal-reason.ts';
import { excerpt, redact } from '../../providers/redact.ts';

const OTHER_MODEL = "Choose another model with 'Espalier: Choose model…'.";

/** By the code of a LanguageModelError. */
const BY_CODE: Record<string, { reason: ModelErrorReason; what: string; hint: string }> = {
	NoPermissions: {
		reason: 'auth',
		what: 'Espalier may not use',
		hint: "Try again and allow it when VS Code asks, or look at 'Manage Language Model Access' in the account menu.",
	},
	NotFound: { reason: 'notFound', what: 'VS Code has no model', hint: OTHER_MODEL },
	Blocked: {
		reason: 'billing',
		what: 'The provider blocks requests to',
		hint: `Its quota may be used up, or an administrator may have turned it off. ${OTHER_MODEL}`,
	},
};

/** By what the words of other errors are about. */
const BY_REASON: Partial<Record<ModelErrorReason, { what: string; hint: string }>> = {
	overflow: {
		what: 'The context is larger than the window of',
		hint: 'Compact the session, or choose a model with a larger window.',
	},
	billing: { what: 'The quota is used up for', hint: OTHER_MODEL },
	rateLimit: { what: 'The provider is limiting requests to', hint: 'Wait a little and try again.' },
	server: { what: 'The provider failed to run', hint: 'Try again in a moment.' },
};
const OFF_TOPIC = {
	what: 'The provider finds the conversation off topic for',
	hint: `Reword the prompt. ${OTHER_MODEL}`,
};
const OTHERWISE = {
	what: 'There was no whole answer from',
	hint: `Try again; if it stays, look at the log of the extension that provides the model. ${OTHER_MODEL}`,
};

/**
 * The ModelError for whatever a request or its stream threw.
 * @param label the model's name for people
 */
export function lmError(error: unknown, label: string): ModelError {
	if (error instanceof ModelError) return error;
	const { messages, names } = wordsOf(error);
	const text = [...messages, ...names].join(' · ');
	const byCode = BY_CODE[codeOf(error)];
	// Blocked stands for quotas of all kinds: where the words name a limit on speed, waiting helps.
	const reason =
		byCode && !(byCode.reason === 'billing' && isAboutSpeed(text)) ? byCode.reason : reasonOf(text);
	const { what, hint } = isOffTopic(text)
		? OFF_TOPIC
		: byCode?.reason === reason
			? byCode
			: (BY_REASON[reason] ?? OTHERWISE);
	const detail = excerpt(redact(messages[0] ?? '', []));
	return new ModelError(reason, `${what} ${label}${detail ? `: ${detail}` : '.'}`, {
		hint,
		cause: error,
	});
}

function reasonOf(text: string): ModelErrorReason {
	if (isOffTopic(text)) return 'badRequest';
	if (isAboutSpeed(text)) return 'rateLimit';
	if (/quota ?exceeded/i.test(text)) return 'billing';
	return refusalReason(undefined, text, false);
}

function isOffTopic(text: string): boolean {
	return /off[_ -]?topic/i.test(text);
}

function isAboutSpeed(text: string): boolean {
	return /rate[_ -]?limit|too many requests/i.test(text);
}

function codeOf(error: unknown): string {
	return error instanceof Error && 'code' in error && typeof error.code === 'string'
		? error.code
		: '';
}

/** The messages, the innermost first: it is the provider's own; and the names, which may tell the kind. */
function wordsOf(error: unknown): { messages: string[]; names: string[] } {
	const messages: string[] = [];
	const names: string[] = [];
	let at = error;
	for (let depth = 0; depth < 8 && at !== undefined && at !== null; depth++) {
		if (!(at instanceof Error)) {
			messages.unshift(typeof at === 'string' ? at : (JSON.stringify(at) ?? ''));
			break;
		}
		if (at.message) messages.unshift(at.message);
		names.push(at.name, codeOf(at));
		at = at.cause;
	}
	return { messages, names };
}
