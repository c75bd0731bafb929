/** Owns the lines under "Done": which turns keep their outcome, and which only what was asked. */
import type { Limits } from './limits.ts';
import type { TurnFact } from './outline.ts';
import { EARLIER_SEPARATOR, LABELS, OUTCOME_ARROW } from './sections.ts';
import { clip } from './text.ts';
import { heaviest, weightOfTurn } from './weight.ts';

function turnLine(turn: TurnFact, requestChars: number, outcomeChars: number): string {
	const request = clip(turn.request.replaceAll(OUTCOME_ARROW, ' -> '), requestChars);
	const outcome = clip(turn.outcome, outcomeChars);
	const mark = turn.small ? `${LABELS.small} ` : '';
	return `[x] ${mark}${request && outcome ? request + OUTCOME_ARROW + outcome : request || outcome}`;
}

/** The newest turns in full, older weighty ones shorter, of the others just what was asked. */
export function doneLines(done: readonly TurnFact[], limits: Limits): string[] {
	const older = done.slice(0, Math.max(0, done.length - limits.fullTurns));
	const major = new Set(
		heaviest(
			older.filter(
				({ request, outcome, small }) => outcome.length >= 40 || (!small && request.length >= 40),
			),
			limits.majorTurns,
			weightOfTurn,
		),
	);
	const minor = older.filter((turn) => !major.has(turn) && saysSomething(turn));
	const kept = new Set(heaviest(minor, limits.briefTurns, weightOfTurn));
	const lines: string[] = [];
	let brief: string[] = [];
	const flush = (): void => {
		if (brief.length > 0) lines.push(`${LABELS.earlier} ${brief.join(EARLIER_SEPARATOR)}`);
		brief = [];
	};
	for (const turn of older) {
		if (major.has(turn)) {
			flush();
			lines.push(turnLine(turn, limits.request, limits.majorOutcome));
		} else if (kept.has(turn)) {
			brief.push(
				clip((turn.request || turn.outcome).replaceAll(EARLIER_SEPARATOR, '/'), limits.brief),
			);
			// A few to a line, so that no bullet gets out of hand.
			if (brief.length >= 8) flush();
		}
	}
	flush();
	for (const turn of done.slice(older.length))
		lines.push(turnLine(turn, limits.request, limits.outcome));
	return lines;
}

/** False for exclamations and single short words, which mean nothing out of their place. */
function saysSomething({ request, outcome }: TurnFact): boolean {
	const text = request || outcome;
	return text.length >= 10 || /\d/.test(text) || /[^\p{Script=Latin}\s\p{P}]/u.test(text);
}
