/**
 * Owns telling an errand, one short order that was carried out at once, from a turn that matters later.
 * "Rename this", "don't allocate in that loop" sound like rules, but are done once they are done.
 */
import { SPECIFIC, STANDING, VALUE } from './cues.ts';
import type { Turn } from './turns.ts';

const ERRAND_CHARS = 110;
const ERRAND_CALLS = 4;
const ERRAND_FILES = 2;
const ANSWER_CHARS = 260;
/** A correction, and an order with an exclamation mark or a value in it, say how things are to be, however short. */
const CORRECTION =
	/^(?:no|nope|nah|actually|instead|rather|não|nein|non|いや|いいえ|违|不)(?![\p{L}])/iu;

/** True where the turn's request and answer are told well enough as one thing done. */
export function isErrand(turn: Turn): boolean {
	const { request, statements, actions, closed } = turn;
	if (!request || !closed || request.lists.length > 0) return false;
	const answer = statements.at(-1) ?? '';
	return (
		request.text.length <= ERRAND_CHARS &&
		request.sentences.length <= 1 &&
		actions.calls <= ERRAND_CALLS &&
		actions.changed.size > 0 &&
		actions.changed.size <= ERRAND_FILES &&
		answer.length <= ANSWER_CHARS &&
		!CORRECTION.test(request.text) &&
		!VALUE.test(request.text) &&
		!/!\s*$/.test(request.text) &&
		!(STANDING.test(request.text) && SPECIFIC.test(request.text))
	);
}
