/** How many entries lie below an entry and which of them was written last; counted when first asked. */
import type { SessionTree } from './session-tree.ts';

/** Above this many new entries at once, counting anew is cheaper than walking up from each. */
const MAX_WALKS = 4;

export class SubtreeWeights {
	private readonly tree: SessionTree;
	/** Both by place, of the entries counted so far: a prefix of the tree's list, which only grows. */
	private sizes: number[] = [];
	/** Place in the file of the newest entry of each subtree. */
	private newest: number[] = [];

	constructor(tree: SessionTree) {
		this.tree = tree;
	}

	/** The number of entries from `id` down, itself included. */
	size(id: string): number {
		this.catchUp();
		return this.sizes[this.tree.placeOf(id) ?? -1] ?? 0;
	}

	/** Of these siblings the one whose subtree was written to last. */
	newestOf(ids: readonly string[]): string | undefined {
		this.catchUp();
		let best: string | undefined;
		let bestPlace = -1;
		for (const id of ids) {
			const place = this.newest[this.tree.placeOf(id) ?? -1] ?? -1;
			if (place > bestPlace) {
				best = id;
				bestPlace = place;
			}
		}
		return best;
	}

	private catchUp(): void {
		const { size } = this.tree;
		const counted = this.sizes.length;
		if (counted === size) return;
		if (counted === 0 || size - counted > MAX_WALKS) this.countAll();
		else
			for (let place = counted; place < size; place++) {
				this.sizes.push(0);
				this.newest.push(place);
				for (let at = place; at >= 0; at = this.tree.parentPlace(at)) {
					this.sizes[at] = (this.sizes[at] ?? 0) + 1;
					this.newest[at] = place;
				}
			}
	}

	private countAll(): void {
		const { size } = this.tree;
		const parents: number[] = [];
		for (let place = 0; place < size; place++) parents.push(this.tree.parentPlace(place));
		this.sizes = new Array<number>(size).fill(1);
		this.newest = parents.map((_parent, place) => place);
		for (const place of childrenFirst(parents)) {
			const parent = parents[place] ?? -1;
			if (parent < 0) continue;
			this.sizes[parent] = (this.sizes[parent] ?? 0) + (this.sizes[place] ?? 0);
			this.newest[parent] = Math.max(this.newest[parent] ?? 0, this.newest[place] ?? 0);
		}
	}
}

/** The places in an order in which each child comes before its parent. */
function childrenFirst(parents: readonly number[]): number[] {
	const places = parents.map((_parent, place) => place);
	// Only a damaged file holds a child before its parent.
	if (parents.every((parent, place) => parent < place)) return places.reverse();
	const depths = new Array<number>(parents.length).fill(-1);
	for (const place of places) {
		const chain: number[] = [];
		let at = place;
		for (; at >= 0 && (depths[at] ?? 0) < 0; at = parents[at] ?? -1) chain.push(at);
		let depth = at < 0 ? 0 : (depths[at] ?? 0) + 1;
		for (const each of chain.reverse()) depths[each] = depth++;
	}
	return places.sort((a, b) => (depths[b] ?? 0) - (depths[a] ?? 0));
}
