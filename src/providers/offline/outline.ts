/** Owns the outline: the facts that a summary is rendered from, and that one is parsed back into. */
import { sameKey } from './text.ts';

/** A request and what came of it. Both are clean single lines. */
export interface TurnFact {
	/** The user's words; empty where the outcome stands alone. */
	request: string;
	/** What the assistant said it did; empty where unknown. */
	outcome: string;
	/** True for an errand: done at once, and the first to give way. */
	small?: boolean;
}

/** A list that the user gave, whose every label must stay. */
export interface ListFact {
	/** The line that introduced it; may be empty. */
	intro: string;
	entries: string[];
}

/** A command or tool that failed, not known to have passed since. */
export interface FailureFact {
	/** The command, or tool and path; empty for a blocker in a person's or a model's own words. */
	command: string;
	text: string;
	/** True where the work went on and other checks passed, but this one was not run again. */
	stale?: boolean;
}

/** Every list is oldest first. */
export interface Outline {
	goals: string[];
	/** The newest request that says something. */
	latestRequest: string;
	constraints: string[];
	done: TurnFact[];
	/** The words of each finished turn that was walked, to hold open steps against; not rendered. */
	doneWords: ReadonlySet<string>[];
	inProgress: TurnFact[];
	blocked: FailureFact[];
	decisions: string[];
	/** Rules that the user took back. */
	withdrawn: string[];
	/** The user's sentences that take something back; not rendered. */
	revisions: string[];
	nextSteps: string[];
	lists: ListFact[];
	/** Lines that match the user's focus. */
	focusNotes: string[];
	findings: string[];
	notes: string[];
	/** Failures that nobody ran again while the work went on. */
	stale: FailureFact[];
	/** Failures that passed later. */
	fixed: string[];
	/** Check commands and how they ended last. */
	checks: Map<string, string>;
	/** Path to the number of edits. */
	changedFiles: Map<string, number>;
	readFiles: Set<string>;
}

export function emptyOutline(): Outline {
	return {
		goals: [],
		latestRequest: '',
		constraints: [],
		done: [],
		doneWords: [],
		inProgress: [],
		blocked: [],
		decisions: [],
		withdrawn: [],
		revisions: [],
		nextSteps: [],
		lists: [],
		focusNotes: [],
		findings: [],
		notes: [],
		stale: [],
		fixed: [],
		checks: new Map(),
		changedFiles: new Map(),
		readFiles: new Set(),
	};
}

/** True where an outline holds nothing that a summary could say. */
export function isEmptyOutline(outline: Outline): boolean {
	// An entry of the outline is a text, a list, a map or a set.
	const values = Object.values(outline) as (
		string | unknown[] | Map<unknown, unknown> | Set<unknown>
	)[];
	return values.every((value) =>
		typeof value === 'object' && 'size' in value ? value.size === 0 : value.length === 0,
	);
}

/** Characters that two texts must share for the shorter to be the clipped beginning of the longer. */
const TWIN_CHARS = 24;

/**
 * Drops texts that an other one says already: the same letters, or the beginning of a longer one (a
 * clipped copy from an earlier summary). The first place is kept, the longest wording wins.
 */
export function dedupeTexts(texts: readonly string[]): string[] {
	const kept: { key: string; text: string }[] = [];
	// Twins begin alike, so that only those that do are compared.
	const byBeginning = new Map<string, { key: string; text: string }[]>();
	for (const text of texts) {
		const key = sameKey(text);
		if (!key) continue;
		const beginning = key.slice(0, TWIN_CHARS);
		const alike = byBeginning.get(beginning) ?? [];
		const twin =
			key.length < TWIN_CHARS
				? alike[0]
				: alike.find((other) => other.key.startsWith(key) || key.startsWith(other.key));
		if (!twin) {
			const fresh = { key, text };
			kept.push(fresh);
			byBeginning.set(beginning, [...alike, fresh]);
		} else if (key.length > twin.key.length) Object.assign(twin, { key, text });
	}
	return kept.map(({ text }) => text);
}
