/** Owns judging whether a step that was open has been done since, by the words the two share. */
import type { TurnFact } from './outline.ts';
import { sharedWords, significantWords } from './text.ts';

/** A step counts as done where this share of its words is in something done since. */
const DONE_SHARE = 0.7;
/** Fewer words than this prove nothing. */
const LEAST_WORDS = 3;

/** The words of a finished turn, to hold open steps against. */
export function wordsOfTurn(turn: TurnFact): Set<string> {
	return significantWords(`${turn.request} ${turn.outcome}`);
}

/** True where one of the finished turns speaks of most of what `step` speaks of. */
export function isFinished(step: string, done: readonly ReadonlySet<string>[]): boolean {
	const words = significantWords(step);
	return words.size >= LEAST_WORDS && done.some((other) => sharedWords(words, other) >= DONE_SHARE);
}
