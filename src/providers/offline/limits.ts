/** Owns how a summary shrinks: what is clipped, condensed and dropped first as the budget gets tighter. */

/**
 * Counts of lines and characters for each kind of fact, at four sizes of a summary: roomy, usual,
 * tight, and the least. What can be found again by looking (files, fixed errors) and small turns give
 * way from roomy to usual; requests, rules, decisions, lists, open failures and next steps are clipped
 * late and dropped last.
 */
const SIZES = {
	goal: [600, 400, 220, 80],
	/** The newest turns told with their outcome. */
	fullTurns: [60, 3, 1, 1],
	/** Older turns of weight, which keep a short outcome. */
	majorTurns: [40, 16, 4, 0],
	request: [220, 180, 110, 60],
	outcome: [240, 160, 80, 40],
	majorOutcome: [160, 90, 40, 30],
	/** The other turns, condensed to the request. */
	briefTurns: [120, 24, 2, 0],
	brief: [100, 56, 40, 32],
	constraints: [80, 40, 20, 3],
	constraint: [280, 190, 110, 80],
	decisions: [40, 24, 10, 0],
	decision: [300, 220, 110, 80],
	withdrawn: [6, 4, 1, 0],
	open: [20, 16, 8, 1],
	openChars: [400, 240, 140, 80],
	lists: [8, 8, 4, 1],
	listEntry: [90, 80, 32, 16],
	changedFiles: [60, 10, 8, 3],
	readFiles: [30, 0, 0, 0],
	checks: [8, 4, 3, 0],
	focusNotes: [14, 8, 4, 1],
	notes: [24, 8, 2, 0],
	findings: [16, 10, 2, 0],
	stale: [6, 4, 1, 0],
	fixed: [8, 1, 0, 0],
	note: [220, 150, 100, 80],
} as const;

type Kind = keyof typeof SIZES;
export type Limits = Record<Kind, number>;

const KINDS = Object.keys(SIZES) as Kind[];
/** Steps from each size to the next; a summary is rendered anew at each until it fits. */
const STEPS_BETWEEN = 16;

/** From roomy to the least. */
export function shrinkingLimits(): Limits[] {
	const all: Limits[] = [];
	for (let step = 0; step <= 3 * STEPS_BETWEEN; step++) {
		const size = Math.min(Math.floor(step / STEPS_BETWEEN), 2);
		const share = step / STEPS_BETWEEN - size;
		const limits = Object.fromEntries(
			KINDS.map((kind) => {
				const from = SIZES[kind][size]!;
				return [kind, Math.round(from + (SIZES[kind][size + 1]! - from) * share)];
			}),
		);
		all.push(limits as Limits);
	}
	return all;
}
