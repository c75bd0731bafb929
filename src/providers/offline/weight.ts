/** Owns weighing texts of one kind against each other, so that what says least gives way first. */
import { REASON, SPECIFIC, STANDING } from './cues.ts';
import type { TurnFact } from './outline.ts';

/** More characters than this make a text no weightier. */
const TELLING_CHARS = 120;
const NEWEST_TURNS = 12;

/** How much a rule or a decision says, judged on what a clipped copy still has. */
export function weightOf(text: string): number {
	return (
		Math.min(text.length, TELLING_CHARS) / 2 +
		(STANDING.test(text) ? 40 : 0) +
		(REASON.test(text) ? 40 : 0) +
		(SPECIFIC.test(text) ? 30 : 0)
	);
}

/** How much an old turn is worth telling: a user's long words first, then what came of it. */
export function weightOfTurn({ request, outcome, small }: TurnFact): number {
	const sentences = Math.min(request.split(/[.!?;。！？]\s*(?=\S)/u).length, 4);
	return (
		Math.min(request.length, 160) +
		Math.min(outcome.length, 100) / 2 +
		sentences * 20 +
		(SPECIFIC.test(request) ? 20 : 0) +
		(REASON.test(`${request} ${outcome}`) ? 20 : 0) -
		(/^\(interrupted\)/.test(outcome) ? 80 : 0) -
		(small ? 200 : 0)
	);
}

/** The `count` weightiest items, of equal ones the newest, in the order that they came in. */
export function heaviest<T>(items: readonly T[], count: number, weigh: (item: T) => number): T[] {
	if (items.length <= count) return [...items];
	const kept = new Set(
		items
			.map((item, index) => ({ index, weight: weigh(item) }))
			.sort((one, other) => other.weight - one.weight || other.index - one.index)
			.slice(0, Math.max(0, count))
			.map(({ index }) => index),
	);
	return items.filter((_, index) => kept.has(index));
}

/** The newest turns whatever they are, so that the end of the story is whole, and the weightiest before. */
export function weightiestTurns(turns: readonly TurnFact[], count: number): TurnFact[] {
	const newest = Math.min(NEWEST_TURNS, count);
	const older = turns.slice(0, Math.max(0, turns.length - newest));
	return [...heaviest(older, count - newest, weightOfTurn), ...turns.slice(older.length)];
}
