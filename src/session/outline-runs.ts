/**
 * The runs of a session's outline: chains of entries shown one below the other, each grouped into
 * turns, with the branches that leave it listed after the group that holds their fork.
 */
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
}

/** Entries that may be added to a session before its places are copied. */
const ROOM_FOR_MORE = 1024;

export class OutlineRuns {
	readonly weights: SubtreeWeights;
	private readonly tree: SessionTree;
	/** The child with which a run continues at a fork (null: the root); first those on the active path. */
	private readonly continued = new Map<string | null, string>();
	private readonly runs = new Map<string, Run>();
	/** Place of an entry in its run, by its place in the file: an entry is in one run alone. */
	private placesInRun: Int32Array;

	constructor(tree: SessionTree, leafId: string | null, weights = new SubtreeWeights(tree)) {
		this.tree = tree;
		this.weights = weights;
		this.placesInRun = new Int32Array(tree.size + ROOM_FOR_MORE);
		const idAt = (place: number) => tree.idAt(place) ?? '';
		let place = leafId === null ? -1 : (tree.placeOf(leafId) ?? -1);
		while (place >= 0) {
			const parent = tree.parentPlace(place);
			if (parent < 0) this.continued.set(null, idAt(place));
			else if (tree.childCountAt(parent) > 1) this.continued.set(idAt(parent), idAt(place));
			place = parent;
		}
	}

	/** The run at the top level: that of the active root. Undefined in an empty session. */
	top(): Run | undefined {
		const headId = this.next(null);
		return headId === undefined ? undefined : this.run(headId);
	}

	/** The run that holds an entry of the session. */
	runOf(id: string): Run {
		const known = this.top();
		if (known && known.ids[this.placeInRun(id)] === id) return known;
		let headId = id;
		for (let at: string | null = id; at !== null;) {
			const parentId: string | null = this.tree.parentOf(at);
			headId = at;
			if (this.next(parentId) !== at) break;
			at = parentId;
		}
		return this.run(headId);
	}

	/** The place of an entry in the `ids` of its run; 0 where that run has not been asked for. */
	placeInRun(id: string): number {
		return this.placesInRun[this.tree.placeOf(id) ?? -1] ?? 0;
	}

	/** The run that starts with `headId`: a root, or a child with which no other run continues. */
	run(headId: string): Run {
		const known = this.runs.get(headId);
		if (known) return known;
		const run: Run = {
			headId,
			ids: [],
			items: [],
			itemOf: [],
			open: false,
		};
		if (this.next(null) === headId) this.addBranches(run, null);
		for (let at: string | undefined = headId; at !== undefined; at = this.push(run, at));
		this.runs.set(headId, run);
		return run;
	}

	/** True for an entry with which no run continues, and which is not the top run's head. */
	leavesRun(id: string): boolean {
		return this.next(this.tree.parentOf(id)) !== id;
	}

	/** Takes over an entry just added at the end of the top run; undefined where it was added elsewhere. */
	extendTop(entry: SessionEntry): Run | undefined {
		const { parentId } = entry;
		if (parentId === null || this.tree.childrenOf(parentId).length !== 1) return undefined;
		const run = this.top();
		if (!run || run.ids.at(-1) !== parentId) return undefined;
		this.push(run, entry.id);
		return run;
	}

	/** The child (for null: the root) with which a run continues. */
	private next(id: string | null): string | undefined {
		const children = this.tree.childrenOf(id);
		if (children.length < 2) return children[0];
		const known = this.continued.get(id);
		if (known !== undefined) return known;
		const newest = this.weights.newestOf(children);
		if (newest !== undefined) this.continued.set(id, newest);
		return newest;
	}

	/** Adds an entry to a run. @returns the entry with which the run goes on */
	private push(run: Run, id: string): string | undefined {
		const filePlace = this.tree.placeOf(id) ?? -1;
		const type = this.tree.typeAt(filePlace);
		const children = this.tree.childCountAt(filePlace);
		const place = run.ids.push(id) - 1;
		if (filePlace >= this.placesInRun.length) this.makeRoom(filePlace);
		this.placesInRun[filePlace] = place;
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
		if (children > 1) this.addBranches(run, id);
		return children > 0 ? this.next(id) : undefined;
	}

	private makeRoom(filePlace: number): void {
		const grown = new Int32Array(filePlace * 2);
		grown.set(this.placesInRun);
		this.placesInRun = grown;
	}

	/** Lists the branches that leave the run at `id` (null: the other roots); a group ends there. */
	private addBranches(run: Run, id: string | null): void {
		const continued = this.next(id);
		const children = this.tree.childrenOf(id);
		const group = run.items.at(-1);
		if (group && group.kind !== 'branch') group.branches = children.length - 1;
		for (const headId of children)
			if (headId !== continued) run.items.push({ kind: 'branch', headId });
		run.open = false;
	}
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
