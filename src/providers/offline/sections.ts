/** Owns the fixed words of a summary: headings, notes and line labels, shared by writing and reading. */

/** How every offline summary begins, in whatever version it was made. */
export const OFFLINE_MARK = '_Made offline';
export const OFFLINE_NOTE =
	'_Made offline: a record of what already happened, extracted without a model in the words used there._';

export const NONE = '(none)';

/** Labels that begin a line of Critical Context, or of its stand-in. */
export const LABELS = {
	changed: 'Files changed:',
	read: 'Files read:',
	checks: 'Checks:',
	stale: 'Failed earlier, not run again:',
	fixed: 'Fixed:',
	finding: 'Finding:',
	withdrawn: 'Withdrawn by the user:',
	focusNote: 'On the focus:',
	earlier: 'Earlier:',
	small: '(small)',
	latest: 'Latest request:',
	focus: 'Focus:',
	rule: 'Rule:',
	decision: 'Decision:',
	next: 'Next:',
	continue: 'Continue:',
	resolve: 'Resolve:',
	waiting: 'Waiting for the user:',
} as const;

/** Between a request and what came of it. */
export const OUTCOME_ARROW = ' → ';
/** Between an open request and how far it got. */
export const SO_FAR = ' — so far: ';
/** Between what the user asked in condensed form. */
export const EARLIER_SEPARATOR = ' / ';

export type SectionName =
	| 'goals'
	| 'constraints'
	| 'done'
	| 'inProgress'
	| 'blocked'
	| 'decisions'
	| 'nextSteps'
	| 'critical'
	| 'originalRequest'
	| 'earlyProgress'
	| 'restContext';

const HEADINGS: readonly (readonly [RegExp, SectionName])[] = [
	[/original request/, 'originalRequest'],
	[/early progress/, 'earlyProgress'],
	[/context for (?:the )?rest|suffix/, 'restContext'],
	[/constraint|preference/, 'constraints'],
	[/in progress|current work/, 'inProgress'],
	[/blocked|blocker/, 'blocked'],
	[/^(?:done|completed)/, 'done'],
	[/decision/, 'decisions'],
	[/next step/, 'nextSteps'],
	[/critical context/, 'critical'],
	[/^goals?\b|^objective/, 'goals'],
	[/^progress/, 'done'],
];

/** The section that a heading opens, by its words; undefined for a heading of nobody's format. */
export function sectionNamed(heading: string): SectionName | undefined {
	const words = heading.toLowerCase();
	return HEADINGS.find(([pattern]) => pattern.test(words))?.[1];
}
