/**
 * When automatic compaction may run: judged by what it achieved (spec: loop guard). A stop ends with the
 * person's next act, and survives a reload.
 */

import { wholeNumber } from '../util/whole-number.ts';

export interface GuardState {
	/** Automatic compactions since the person acted, or a file was edited. */
	runs: number;
	/** An overflow was recovered from, or that was tried, since the person acted. */
	recovered: boolean;
	/** A compaction failed since the person acted. */
	failed: boolean;
	/** Why automatic runs have stopped, for people. */
	stopped?: string;
	/** A compaction was taken back: the next turn runs with the history as it is. */
	undone: boolean;
}

/** Keeps the state of a session's guard outside its file. */
export interface GuardStore {
	/** Undefined where nothing is kept. */
	load(): GuardState | undefined;
	/** Never fails. */
	save(state: GuardState): void;
}

/** What an automatic compaction achieved. */
export interface Achieved {
	/** Tokens of the request before and after it. */
	before: number;
	after: number;
	/** Tokens above which a compaction is due. */
	limit: number;
}

/** A compaction that saves less than this share has not helped. */
const LEAST_GAIN = 0.1;
/** Automatic compactions without an act of the person or an edit between them. */
const MOST_RUNS = 3;

const FRESH: GuardState = { runs: 0, recovered: false, failed: false, undone: false };

/** True where a context has shrunk enough to count. */
export function hasShrunk({ before, after }: Pick<Achieved, 'before' | 'after'>): boolean {
	return after <= before * (1 - LEAST_GAIN);
}

export class AutoGuard {
	private state: GuardState;
	private readonly store: GuardStore | undefined;

	constructor(store?: GuardStore) {
		this.store = store;
		this.state = store?.load() ?? FRESH;
	}

	/** Why automatic runs have stopped; undefined where they have not. */
	get stopped(): string | undefined {
		return this.state.stopped;
	}

	/** True where a compaction may run because the threshold was passed. */
	get allowsThreshold(): boolean {
		const { stopped, failed, undone } = this.state;
		return stopped === undefined && !failed && !undone;
	}

	/** True where an overflow may be recovered from. */
	get allowsRecovery(): boolean {
		return this.state.stopped === undefined && !this.state.recovered;
	}

	/** The person sent, compacted, moved or asked again. */
	acted(): void {
		this.set({ ...FRESH, undone: this.state.undone });
	}

	/** A tool has changed a file: the agent makes progress. */
	edited(): void {
		if (this.state.runs > 0) this.set({ ...this.state, runs: 0 });
	}

	/** A compaction was taken back: none runs by itself before the next turn has ended. */
	undid(): void {
		this.set({ ...FRESH, undone: true });
	}

	turnEnded(): void {
		if (this.state.undone) this.set({ ...this.state, undone: false });
	}

	/** Recorded before the recovery begins, so that no reload begins it again. */
	recovering(): void {
		this.set({ ...this.state, recovered: true });
	}

	failed(): void {
		this.set({ ...this.state, failed: true });
	}

	/** Records what a run achieved. @returns why runs have stopped, where they have now */
	ran(achieved: Achieved): string | undefined {
		const runs = this.state.runs + 1;
		const stopped = whyStopped(achieved, runs);
		this.set({ ...this.state, runs, ...(stopped === undefined ? {} : { stopped }) });
		return stopped;
	}

	private set(state: GuardState): void {
		this.state = state;
		this.store?.save(state);
	}
}

function whyStopped(achieved: Achieved, runs: number): string | undefined {
	const [before, after, limit] = [achieved.before, achieved.after, achieved.limit].map(wholeNumber);
	if (achieved.after > achieved.limit)
		return `The last compaction left ${after} tokens, more than the ${limit} at which the next is due.`;
	if (!hasShrunk(achieved))
		return `The last compaction hardly helped: ${before} tokens before it, ${after} after it.`;
	if (runs >= MOST_RUNS)
		return `There were ${runs} compactions in a row without a word from you or a changed file.`;
	return undefined;
}
