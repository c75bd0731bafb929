/** Owns how a summary shrinks: what is clipped, condensed and dropped first as the budget gets tighter. */

/** Counts of lines and characters for each kind of fact. */
export interface Limits {
	goal: number;
	/** The newest turns told with their outcome; the ones before are condensed to the request. */
	fullTurns: number;
	/** Older turns with much to tell, which keep a short outcome. */
	majorTurns: number;
	request: number;
	outcome: number;
	briefTurns: number;
	brief: number;
	constraints: number;
	constraint: number;
	decisions: number;
	decision: number;
	open: number;
	openChars: number;
	lists: number;
	listEntry: number;
	changedFiles: number;
	readFiles: number;
	checks: number;
	focusNotes: number;
	notes: number;
	findings: number;
	stale: number;
	fixed: number;
	note: number;
	names: number;
}

const FULL: Limits = {
	goal: 600,
	fullTurns: 60,
	majorTurns: 40,
	request: 220,
	outcome: 240,
	briefTurns: 120,
	brief: 100,
	constraints: 90,
	constraint: 280,
	decisions: 40,
	decision: 240,
	open: 16,
	openChars: 400,
	lists: 8,
	listEntry: 90,
	changedFiles: 60,
	readFiles: 30,
	checks: 8,
	focusNotes: 14,
	notes: 24,
	findings: 10,
	stale: 6,
	fixed: 8,
	note: 220,
	names: 24,
};

/**
 * Each step is tried on top of those before it until the summary fits. What can be found again by
 * looking (names, files read, fixed errors) goes first, then the wording of old outcomes; requests,
 * rules, decisions, lists, open failures and next steps are clipped late and dropped last.
 */
const STEPS: readonly Partial<Limits>[] = [
	{ names: 14, readFiles: 20, fixed: 5, findings: 6 },
	{ fullTurns: 36, outcome: 200, request: 180 },
	{ fullTurns: 24, majorTurns: 24, outcome: 170, notes: 18, note: 180, decisions: 32 },
	{ fullTurns: 16, brief: 84, readFiles: 12, names: 8, findings: 4, fixed: 3 },
	{
		fullTurns: 12,
		majorTurns: 18,
		outcome: 140,
		request: 150,
		changedFiles: 45,
		listEntry: 64,
		note: 150,
	},
	{ fullTurns: 10, brief: 70, decision: 190, constraint: 220, readFiles: 6, names: 0, checks: 5 },
	{ fullTurns: 8, majorTurns: 12, outcome: 110, notes: 14, fixed: 0, findings: 3, readFiles: 0 },
	{
		fullTurns: 6,
		brief: 56,
		request: 120,
		goal: 360,
		changedFiles: 32,
		decisions: 26,
		focusNotes: 9,
	},
	{
		fullTurns: 4,
		brief: 46,
		briefTurns: 90,
		notes: 10,
		stale: 3,
		constraint: 170,
		decision: 150,
		note: 120,
	},
	{ listEntry: 44, openChars: 260, outcome: 80, findings: 0, constraints: 60 },
	{
		fullTurns: 3,
		majorTurns: 0,
		brief: 38,
		briefTurns: 60,
		notes: 6,
		changedFiles: 20,
		constraints: 45,
		constraint: 130,
		decisions: 18,
	},
	{ listEntry: 32, goal: 220, checks: 3, focusNotes: 5, decision: 110, open: 10 },
	{
		fullTurns: 2,
		briefTurns: 36,
		brief: 32,
		notes: 3,
		stale: 1,
		constraints: 30,
		constraint: 100,
		decisions: 12,
		openChars: 180,
		changedFiles: 12,
	},
	{
		listEntry: 24,
		lists: 4,
		briefTurns: 20,
		constraints: 20,
		decisions: 8,
		open: 6,
		focusNotes: 3,
	},
	{
		fullTurns: 1,
		briefTurns: 10,
		notes: 0,
		stale: 0,
		constraints: 12,
		constraint: 80,
		decisions: 5,
		decision: 80,
		checks: 1,
		changedFiles: 6,
	},
	{
		goal: 120,
		request: 80,
		outcome: 40,
		briefTurns: 4,
		constraints: 6,
		decisions: 2,
		open: 3,
		openChars: 100,
		lists: 2,
		focusNotes: 1,
		listEntry: 16,
	},
	{
		briefTurns: 0,
		constraints: 3,
		decisions: 0,
		checks: 0,
		changedFiles: 3,
		lists: 1,
		open: 1,
		goal: 80,
	},
];

/** From roomy to tight. */
export function shrinkingLimits(): Limits[] {
	const all = [FULL];
	for (const step of STEPS) all.push({ ...all.at(-1)!, ...step });
	return all;
}
