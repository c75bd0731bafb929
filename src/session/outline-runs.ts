/**
 * The runs of a session's outline: chains of entries shown one below the other, each grouped into
 * turns, with the branches that leave it listed after the group that holds their fork.
 */
import { withRoom } from '../util/room.ts';
import type { SessionEntry } from './entries.ts';
import type { SessionTree } from './session-tree.ts';
import { SubtreeWeights } from './subtree-weights.ts';

/** A group of a run's entries: those from `start` to before `end`, the first one its head. */
export interface RunGroup {
	kind: 'turn' | 'step' | 'compaction' | 'branchSummary';
	start: number;
	end: number;
	/** Branches that leave the run after this group. */
	branches: number;
}

/** A branch that leaves a run; its entries are a run of their own. */
export interface RunBranch {
	kind: 'branch';
	headId: string;
}

export type RunItem = RunGroup | RunBranch;

export interface Run {
	/** The first entry; the name of the run. */
	headId: string;
	/** Its entries, oldest first. */
	ids: string[];
	items: RunItem[];
	/** Place in `items` of the group of each entry, by place of the entry. */
	itemOf: number[];
	/** Whether the last group takes the steps that follow. */
	open: boolean;
	/** What is left to list, in short steps; undefined once the run is complete. */
	rest: Generator<undefined, void> | undefined;
}

/** Entries or branches listed in one step: well under a millisecond of work. */
const STEP_ENTRIES = 1000;

export class OutlineRuns {
	readonly weights: SubtreeWeights;
	private readonly tree: SessionTree;
	private readonly runs: Run[] = [];
	private readonly byHead = new Map<string, Run>();
	/** The root on the active path; -1 before all of them. */
	private activeRoot = -1;
	/** By place of a fork on the active path: 1 + place of the child with which that path goes on. */
	private readonly activeChildren: Int32Array;
	/** By place of an entry: 1 + place in `runs` of the one run that lists it; 0 until it does. */
	private runNumbers: Int32Array;
	/** By place of an entry: its place in that run. */
	private placesInRun: Int32Array;

	constructor(tree: SessionTree, leafId: string | null, weights = new SubtreeWeights(tree)) {
		this.tree = tree;
		this.weights = weights;
		this.activeChildren = new Int32Array(tree.size);
		this.runNumbers = new Int32Array(tree.size);
		this.placesInRun = new Int32Array(tree.size);
		// Done at once: 0.3 ms for each 100,000 entries.
		for (let at = this.filePlace(leafId); at >= 0;) {
			const parent = tree.parentPlace(at);
			if (parent < 0) this.activeRoot = at;
			else this.activeChildren[parent] = at + 1;
			at = parent;
		}
	}

	/** The run at the top level: that of the active root. Undefined in an empty session. */
	top(): Run | undefined {
		const run = this.startTop();
		return run && completed(run);
	}

	/** The same where it is complete without further work. */
	listedTop(): Run | undefined {
		const run = this.runs[0];
		return run?.rest ? undefined : run;
	}

	/** The run that holds an entry of the session. */
	runOf(id: string): Run {
		return completed(this.startRunOf(id));
	}

	/** The place of an entry in the `ids` of its run; 0 where that run has not been asked for. */
	placeInRun(id: string): number {
		return this.placesInRun[this.filePlace(id)] ?? 0;
	}

	/** The run that starts with `headId`: a root, or a child with which no other run continues. */
	run(headId: string): Run {
		return completed(this.start(headId));
	}

	/** Lists the top run, in short steps. */
	*listTop(): Generator<undefined, void> {
		if (this.tree.childrenOf(null).length > 1) while (this.weights.advance()) yield;
		const run = this.startTop();
		while (run && advance(run)) yield;
	}

	/** Lists the run that starts with `headId`, in short steps. */
	*listRun(headId: string): Generator<undefined, void> {
		const run = this.start(headId);
		while (advance(run)) yield;
	}

	/** Lists the run that holds an entry of the session, in short steps; the top run comes first. */
	*listRunOf(id: string): Generator<undefined, void> {
		yield* this.listTop();
		const run = this.startRunOf(id);
		while (advance(run)) yield;
	}

	/** True for an entry with which no run continues, and which is not the top run's head. */
	leavesRun(id: string): boolean {
		const place = this.filePlace(id);
		return this.next(this.tree.parentPlace(place)) !== place;
	}

	/**
	 * Takes over an entry just added below the leaf.
	 * @returns false where it does not simply lengthen the top run
	 */
	extendTop({ id, parentId }: SessionEntry): boolean {
		if (parentId === null || this.tree.childrenOf(parentId).length !== 1) return false;
		const run = this.runs[0];
		// What is still listed comes to the entry by itself.
		if (!run || run.rest || run.ids.at(-1) === id) return true;
		if (run.ids.at(-1) !== parentId) return false;
		this.push(run, this.filePlace(id));
		return true;
	}

	private filePlace(id: string | null): number {
		return id === null ? -1 : (this.tree.placeOf(id) ?? -1);
	}

	/** Place of the child (for -1: of the root) with which a run continues; -1 where there is none. */
	private next(place: number): number {
		const count = place < 0 ? this.tree.childrenOf(null).length : this.tree.childCountAt(place);
		if (count === 0) return -1;
		if (count === 1) {
			// Most entries follow the one before them in the file.
			if (place >= 0 && this.tree.parentPlace(place + 1) === place) return place + 1;
			const [only] = this.tree.childrenOf(place < 0 ? null : (this.tree.idAt(place) ?? ''));
			return this.filePlace(only ?? null);
		}
		const active = place < 0 ? this.activeRoot : (this.activeChildren[place] ?? 0) - 1;
		return active >= 0 ? active : this.weights.newestChild(place);
	}

	private startTop(): Run | undefined {
		const [top] = this.runs;
		if (top) return top;
		const headId = this.tree.idAt(this.next(-1));
		return headId === undefined ? undefined : this.start(headId);
	}

	private start(headId: string): Run {
		const known = this.byHead.get(headId);
		if (known) return known;
		// The top run is always the first one.
		if (this.runs.length === 0 && this.leavesRun(headId)) this.startTop();
		const run: Run = {
			...{ headId, ids: [], items: [], itemOf: [], open: false },
			rest: undefined,
		};
		this.byHead.set(headId, run);
		run.rest = this.list(run, this.runs.push(run));
		return run;
	}

	/** The run that holds an entry; it may not be listed as far as that. */
	private startRunOf(id: string): Run {
		for (let at = this.filePlace(id); ;) {
			const known = this.runs[(this.runNumbers[at] ?? 0) - 1];
			if (known) return known;
			const parent = this.tree.parentPlace(at);
			if (parent < 0 || this.next(parent) !== at) return this.start(this.tree.idAt(at) ?? id);
			at = parent;
		}
	}

	/** The steps in which a run is listed. */
	private *list(run: Run, number: number): Generator<undefined, void> {
		if (number === 1) yield* this.listBranches(run, -1);
		for (let at = this.filePlace(run.headId); at >= 0; at = this.next(at)) {
			this.push(run, at, number);
			if (this.tree.childCountAt(at) > 1) {
				// The branches' sizes are shown, and the run may have to choose.
				while (this.weights.advance()) yield;
				yield* this.listBranches(run, at);
			}
			if (run.ids.length % STEP_ENTRIES === 0) yield;
		}
	}

	/** Adds an entry to the end of a run. */
	private push(run: Run, filePlace: number, number = 1): void {
		const id = this.tree.idAt(filePlace) ?? '';
		const type = this.tree.typeAt(filePlace);
		const place = run.ids.push(id) - 1;
		if (filePlace >= this.placesInRun.length) {
			this.placesInRun = withRoom(this.placesInRun, filePlace);
			this.runNumbers = withRoom(this.runNumbers, filePlace);
		}
		this.placesInRun[filePlace] = place;
		this.runNumbers[filePlace] = number;
		const kind = kindOfGroup(type, this.tree.roleAt(filePlace));
		const last = run.items.at(-1);
		if (kind === undefined && run.open && last?.kind === 'turn') last.end = place + 1;
		else {
			// Metadata alone needs no group; any other step does, for the steps that follow it.
			const startsGroup = kind === undefined && (type === 'message' || type === 'custom_message');
			run.items.push({
				kind: kind ?? (startsGroup ? 'turn' : 'step'),
				start: place,
				end: place + 1,
				branches: 0,
			});
			run.open = kind === 'turn' || startsGroup;
		}
		run.itemOf.push(run.items.length - 1);
	}

	/** Lists the branches that leave the run at a place (-1: the other roots); a group ends there. */
	private *listBranches(run: Run, place: number): Generator<undefined, void> {
		const children = this.tree.childrenOf(place < 0 ? null : (this.tree.idAt(place) ?? ''));
		const continuedId = this.tree.idAt(this.next(place));
		const group = run.items.at(-1);
		if (group && group.kind !== 'branch') group.branches = children.length - 1;
		let listed = 0;
		for (const headId of children) {
			if (++listed % STEP_ENTRIES === 0) yield;
			if (headId !== continuedId) run.items.push({ kind: 'branch', headId });
		}
		run.open = false;
	}
}

/** Lists a run on for one short step. @returns false where it is complete */
function advance(run: Run): boolean {
	if (run.rest?.next().done) run.rest = undefined;
	return run.rest !== undefined;
}

function completed(run: Run): Run {
	while (advance(run));
	return run;
}

/** Runs can be long, so that their shape is told from types and roles, without reading entries. */
function kindOfGroup(
	type: string | undefined,
	role: string | undefined,
): RunGroup['kind'] | undefined {
	if (type === 'compaction') return 'compaction';
	if (type === 'branch_summary') return 'branchSummary';
	return role === 'user' ? 'turn' : undefined;
}
