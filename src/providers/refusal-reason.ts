/** Says what a server's refusal is about, from its status and its words. */
import type { ModelErrorReason } from '../agent/model.ts';
import { isOverflowText, isRateLimitText } from './overflow.ts';

export type RefusalReason = Exclude<ModelErrorReason, 'connection' | 'timeout' | 'certificate'>;

/** Money or a contingent is used up, whatever else is said. */
const usedUp =
	/insufficient[ _-](?:quota|credit|balance|fund)|(?:credit|available) balance|out of (?:credit|budget)|payment required|billing[ _](?:hard[ _])?limit|spend(?:ing)? limit|can only afford/i;

/** Said of money, and by some servers of rates as well: then they also say how long to wait. */
const perhapsUsedUp =
	/quota|billing|\bcredits?\b|\b(?:daily|weekly|monthly)\b.{0,40}\blimit|usage limit/i;
const namesWait =
	/(?:wait|try again|retry)\b.{0,40}\b(?:\d|second|minute|moment)|per[ _-](?:second|minute)/i;

/** Failures of the server that come without a status, inside a stream. */
const serverFailure =
	/overloaded|over capacity|at capacity|unavailable|internal[ _](?:server[ _])?error|server[ _](?:had an )?error/i;

/**
 * The reason of a refusal.
 * @param status the HTTP status, or undefined for an error inside a stream.
 * @param text the server's words: message, code and type, or a page.
 * @param asksToWait true where its headers name a time for the next try.
 */
export function refusalReason(
	status: number | undefined,
	text: string,
	asksToWait: boolean,
): RefusalReason {
	if (isOverflowText(status, text)) return 'overflow';
	if (isBilling(status, text, asksToWait)) return 'billing';
	if (status === 429) return 'rateLimit';
	if (status === 401 || status === 403 || status === 407) return 'auth';
	if (status === 404) return 'notFound';
	if (status === 408 || (status !== undefined && status >= 500)) return 'server';
	if (isRateLimitText(text)) return 'rateLimit';
	if (status !== undefined) return 'badRequest';
	return serverFailure.test(text) ? 'server' : 'badAnswer';
}

function isBilling(status: number | undefined, text: string, asksToWait: boolean): boolean {
	if (status === 402 || usedUp.test(text)) return true;
	if (status !== undefined && status >= 500) return false;
	return perhapsUsedUp.test(text) && !asksToWait && !namesWait.test(text);
}
