/** How many entries lie below an entry and which of them was written last; counted when first asked. */
import type { SessionTree } from './session-tree.ts';

/** Above this many new entries at once, counting anew is cheaper than walking up from each. */
const MAX_WALKS = 4;

export class SubtreeWeights {
	private readonly tree: SessionTree;
	/** Entries counted so far: a prefix of the tree's list, which only grows. */
	private counted = 0;
	private readonly sizes = new Map<string, number>();
	/** Place in the file of the newest entry of each subtree. */
	private readonly newest = new Map<string, number>();

	constructor(tree: SessionTree) {
		this.tree = tree;
	}

	/** The number of entries from `id` down, itself included. */
	size(id: string): number {
		this.catchUp();
		return this.sizes.get(id) ?? 0;
	}

	/** Of these siblings the one whose subtree was written to last. */
	newestOf(ids: readonly string[]): string | undefined {
		this.catchUp();
		let best: string | undefined;
		let bestPlace = -1;
		for (const id of ids) {
			const place = this.newest.get(id) ?? -1;
			if (place > bestPlace) {
				best = id;
				bestPlace = place;
			}
		}
		return best;
	}

	private catchUp(): void {
		const { size } = this.tree;
		if (this.counted === size) return;
		if (this.counted === 0 || size - this.counted > MAX_WALKS) this.countAll();
		else
			for (let place = this.counted; place < size; place++) {
				const added = this.tree.idAt(place) ?? null;
				for (let at = added; at !== null; at = this.tree.parentOf(at)) {
					this.sizes.set(at, (this.sizes.get(at) ?? 0) + 1);
					this.newest.set(at, place);
				}
			}
		this.counted = size;
	}

	private countAll(): void {
		const { tree } = this;
		for (let place = 0; place < tree.size; place++) {
			const id = tree.idAt(place) ?? '';
			this.sizes.set(id, 1);
			this.newest.set(id, place);
		}
		// Parents before children; the file's order is not enough, since a damaged file may differ.
		const order: string[] = [...tree.childrenOf(null)];
		for (let index = 0; index < order.length; index++)
			for (const child of tree.childrenOf(order[index] as string)) order.push(child);
		for (let index = order.length - 1; index >= 0; index--) {
			const id = order[index] as string;
			const parentId = tree.parentOf(id);
			if (parentId === null) continue;
			this.sizes.set(parentId, (this.sizes.get(parentId) ?? 0) + (this.sizes.get(id) ?? 0));
			this.newest.set(parentId, Math.max(this.newest.get(parentId) ?? 0, this.newest.get(id) ?? 0));
		}
	}
}
