/** Decides whether a model's answer is a summary: only a finished, non-empty text of bounded size is. */
import type { AssistantMessage } from '../../agent/messages.ts';
import type { ModelError } from '../../agent/model.ts';
import { UserError } from '../../util/errors.ts';
import { estimateTextTokens } from '../../util/tokens.ts';
import { neutralizeTags } from './neutralize.ts';

const UNCHANGED = 'The session is unchanged.';
const OFFLINE_HINT = 'The offline summary needs no model: choose "Use offline summary".';

/** How many times the limit a summary may take: estimates are rough, and some servers ignore it a little. */
export const SIZE_TOLERANCE = 2;

/** A summarizer failed at its work; another one may succeed. */
export class SummaryFailure extends UserError {}

/** The error for a summary that did not come about. */
export function summaryFailure(
	reason: string,
	message: string,
	options: { hint?: string; cause?: unknown } = {},
): SummaryFailure {
	const hint = options.hint ? `${options.hint} ${OFFLINE_HINT}` : OFFLINE_HINT;
	return new SummaryFailure(reason, message, { kept: UNCHANGED, hint, cause: options.cause });
}

/** A failed request, told in terms of the summary that was asked for. */
export function requestFailure(error: ModelError): SummaryFailure {
	return summaryFailure(error.reason, `No summary was made. ${error.message}`, {
		hint: error.hint,
		cause: error,
	});
}

/** Some models put their thinking, or tags around the whole, into the text. */
function withoutWrapping(text: string): string {
	const told = text.replace(/^(?:\s*<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$))+/i, '').trim();
	const isWrapped = /^<summary>/i.test(told) && /<\/summary>$/i.test(told);
	return isWrapped ? told.slice('<summary>'.length, -'</summary>'.length).trim() : told;
}

function unfinished(message: AssistantMessage, name: string): UserError | undefined {
	switch (message.stopReason) {
		case 'length':
			return summaryFailure(
				'length',
				`${name} reached its output limit before the summary was complete.`,
				{ hint: 'Raise espalier.compaction.reserveTokens, or choose another model for summaries.' },
			);
		case 'error':
			return summaryFailure('error', message.errorMessage ?? `${name} ended with an error.`);
		case 'aborted':
			return summaryFailure('aborted', `The answer of ${name} was cut off.`);
		case 'toolUse':
			return summaryFailure('toolCall', `${name} called a tool instead of writing a summary.`);
		case 'stop':
			return undefined;
	}
}

/**
 * The summary in a model's answer.
 * @param name the model's name, for messages.
 * @param maxTokens the limit that the model was given.
 * @throws UserError (length, toolCall, error, aborted, empty, tooLong) for anything else.
 */
export function summaryOf(message: AssistantMessage, name: string, maxTokens: number): string {
	const failure = unfinished(message, name);
	if (failure) throw failure;
	if (message.content.some((part) => part.type === 'toolCall'))
		throw summaryFailure('toolCall', `${name} called a tool instead of writing a summary.`);
	const text = withoutWrapping(
		message.content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
	);
	// A fence without anything in it, a lone dot or invisible characters tell nothing either.
	if (!/[\p{L}\p{N}]/u.test(text)) {
		const thought = message.content.some((part) => part.type === 'thinking');
		throw summaryFailure(
			'empty',
			thought
				? `${name} thought about the summary but wrote none.`
				: `${name} returned an empty summary.`,
		);
	}
	if (estimateTextTokens(text) > maxTokens * SIZE_TOLERANCE)
		throw summaryFailure('tooLong', `${name} wrote a summary far longer than was asked for.`);
	return neutralizeTags(text);
}
