/**
 * How many entries lie below an entry, and which of its children was written below last; counted when
 * first asked, or before that in short steps.
 */
import { withRoom } from '../util/room.ts';
import type { SessionTree } from './session-tree.ts';

/** Above this many new entries at once, counting anew is cheaper than walking up from each. */
const MAX_WALKS = 4;
/** Entries looked at in one step: well under a millisecond of work. */
const STEP_ENTRIES = 5_000;

export class SubtreeWeights {
	private readonly tree: SessionTree;
	/** Entries counted so far: a prefix of the tree's list, which only grows. The arrays go by place. */
	private counted = 0;
	private sizes: Int32Array = new Int32Array(0);
	/** Place of the newest entry of each subtree. */
	private newest: Int32Array = new Int32Array(0);
	/** Place of the child whose subtree has that entry; -1 where there is no child. */
	private newestChildren: Int32Array = new Int32Array(0);
	private newestRoot = -1;
	/** A count under way; whoever needs it drives it on. */
	private counting: Generator<undefined, void> | undefined;

	constructor(tree: SessionTree) {
		this.tree = tree;
	}

	/** Whether anybody has asked yet: until then new entries need not be counted. */
	get inUse(): boolean {
		return this.counted > 0;
	}

	/** The number of entries from the one at `place` down, itself included. */
	size(place: number): number {
		this.catchUp();
		return this.sizes[place] ?? 0;
	}

	/** Of the children of the entry at `place` (negative: of the roots) the one written below last. */
	newestChild(place: number): number {
		this.catchUp();
		return place < 0 ? this.newestRoot : (this.newestChildren[place] ?? -1);
	}

	/** Counts on for one short step. @returns false where all entries are counted */
	advance(): boolean {
		const missing = this.tree.size - this.counted;
		if (missing === 0) return false;
		if (!this.inUse || missing > MAX_WALKS) this.counting ??= this.countAll();
		if (!this.counting) this.countNext();
		else if (this.counting.next().done) this.counting = undefined;
		return true;
	}

	private catchUp(): void {
		while (this.advance());
	}

	/** Counts the first entry that is not counted yet, on the way up from it. */
	private countNext(): void {
		const place = this.counted++;
		if (place >= this.sizes.length) {
			this.sizes = withRoom(this.sizes, place);
			this.newest = withRoom(this.newest, place);
			this.newestChildren = withRoom(this.newestChildren, place);
		}
		let below = -1;
		for (let at = place; at >= 0; at = this.tree.parentPlace(at)) {
			this.sizes[at] = (this.sizes[at] ?? 0) + 1;
			this.newest[at] = place;
			this.newestChildren[at] = below;
			below = at;
		}
		this.newestRoot = below;
	}

	/** Counts the entries that there are when it begins: from each leaf up as far as all below is counted. */
	private *countAll(): Generator<undefined, void> {
		const { size } = this.tree;
		const sizes = new Int32Array(size);
		const newest = new Int32Array(size);
		const newestChildren = new Int32Array(size);
		/** Children not yet counted. */
		const open = new Int32Array(size);
		for (let place = 0; place < size; place++) {
			if (place % STEP_ENTRIES === 0) yield;
			sizes[place] = 1;
			newest[place] = place;
			newestChildren[place] = -1;
			const parent = this.tree.parentPlace(place);
			if (parent >= 0) open[parent] = (open[parent] ?? 0) + 1;
		}
		let newestRoot = -1;
		let steps = 0;
		for (let place = 0; place < size; place++) {
			if (place % STEP_ENTRIES === 0) yield;
			for (let at = place; open[at] === 0;) {
				if (++steps % STEP_ENTRIES === 0) yield;
				// Places that are counted are not met again, also where a child stands before its parent.
				open[at] = -1;
				const parent = this.tree.parentPlace(at);
				const last = newest[at] ?? 0;
				const rival = parent < 0 ? newestRoot : (newestChildren[parent] ?? -1);
				const wins = rival < 0 || (newest[rival] ?? 0) < last;
				if (parent < 0) {
					if (wins) newestRoot = at;
					break;
				}
				if (wins) newestChildren[parent] = at;
				sizes[parent] = (sizes[parent] ?? 0) + (sizes[at] ?? 0);
				newest[parent] = Math.max(newest[parent] ?? 0, last);
				open[parent] = (open[parent] ?? 0) - 1;
				at = parent;
			}
		}
		this.counted = size;
		this.sizes = sizes;
		this.newest = newest;
		this.newestChildren = newestChildren;
		this.newestRoot = newestRoot;
	}
}
