/** Owns the lines under "Done": which turns keep their outcome, and which only what was asked. */
import type { Limits } from './limits.ts';
import type { TurnFact } from './outline.ts';
import { EARLIER_SEPARATOR, LABELS, OUTCOME_ARROW } from './sections.ts';
import { clip } from './text.ts';

/** Characters of outcome that an old turn keeps. */
const MAJOR_CHARS = 110;

const ACHIEVED =
	/\b(?:add(?:s|ed)?|creat|implement|replac|fix(?:ed|es)|support|introduc|remov|renam|mov(?:ed|es)|port(?:ed)?|now (?:has|have|uses?|returns?))/i;

/**
 * How much an old turn's outcome is worth keeping. Judged on what a clipped copy still has, so that a
 * turn is not demoted only because it went through an earlier summary.
 */
function weightOf(turn: TurnFact): number {
	const outcome = turn.outcome.slice(0, MAJOR_CHARS);
	return (
		outcome.length +
		Math.min(turn.request.length, 80) +
		(ACHIEVED.test(outcome) ? 60 : 0) -
		(/^\(interrupted\)/.test(outcome) ? 80 : 0)
	);
}

/** The old turns that keep an outcome: the weightiest, of equal ones the newest. */
function majorTurns(older: readonly TurnFact[], count: number): Set<TurnFact> {
	const ranked = older
		.map((turn, index) => ({ turn, index, weight: weightOf(turn) }))
		.filter(({ turn }) => turn.outcome.length >= 40)
		.sort((one, other) => other.weight - one.weight || other.index - one.index);
	return new Set(ranked.slice(0, count).map(({ turn }) => turn));
}

function turnLine(turn: TurnFact, requestChars: number, outcomeChars: number): string {
	const request = clip(turn.request.replaceAll(OUTCOME_ARROW, ' -> '), requestChars);
	const outcome = clip(turn.outcome, outcomeChars);
	return `[x] ${request && outcome ? request + OUTCOME_ARROW + outcome : request || outcome}`;
}

/** The newest turns in full, older major ones shorter, of the others just what was asked. */
export function doneLines(done: readonly TurnFact[], limits: Limits): string[] {
	const full = limits.fullTurns > 0 ? done.slice(-limits.fullTurns) : [];
	const older = done.slice(0, done.length - full.length);
	const major = majorTurns(older, limits.majorTurns);
	const minor = older.filter((turn) => !major.has(turn) && saysSomething(turn));
	const kept = new Set(minor.slice(Math.max(0, minor.length - limits.briefTurns)));
	const lines: string[] = [];
	let brief: string[] = [];
	const flush = (): void => {
		if (brief.length > 0) lines.push(`${LABELS.earlier} ${brief.join(EARLIER_SEPARATOR)}`);
		brief = [];
	};
	for (const turn of older) {
		if (major.has(turn)) {
			flush();
			lines.push(turnLine(turn, limits.brief + 40, MAJOR_CHARS));
		} else if (kept.has(turn)) {
			brief.push(
				clip((turn.request || turn.outcome).replaceAll(EARLIER_SEPARATOR, '/'), limits.brief),
			);
			// A few to a line, so that no bullet gets out of hand.
			if (brief.length >= 8) flush();
		}
	}
	flush();
	for (const turn of full) lines.push(turnLine(turn, limits.request, limits.outcome));
	return lines;
}

/** False for exclamations and single short words, which mean nothing out of their place. */
function saysSomething({ request, outcome }: TurnFact): boolean {
	const text = request || outcome;
	return text.length >= 10 || /\d/.test(text) || /[^\p{Script=Latin}\s\p{P}]/u.test(text);
}
