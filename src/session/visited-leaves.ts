/** The positions that a person was at in a session, newest first: where switching to a branch leads. */
import type { SessionTree } from './session-tree.ts';

/** How many positions are remembered of a session. */
const MAX_VISITED = 100;

/** Where visited positions are kept between runs; nothing in the session file (spec: branch summaries). */
export interface VisitedLeavesStore {
	load(sessionId: string): readonly string[];
	save(sessionId: string, visited: readonly string[]): void;
}

export class VisitedLeaves {
	private readonly store: VisitedLeavesStore;
	private readonly sessionId: string;
	private ids: string[];

	constructor(store: VisitedLeavesStore, sessionId: string) {
		this.store = store;
		this.sessionId = sessionId;
		this.ids = [...store.load(sessionId)];
	}

	/** The visited positions, the present one first. */
	get visited(): readonly string[] {
		return this.ids;
	}

	/**
	 * Records the present position. One that follows the last by a single entry replaces it: a
	 * conversation that goes on is one position, not many.
	 */
	visit(tree: SessionTree, leafId: string | null): void {
		if (leafId === null || leafId === this.ids[0]) return;
		const goesOn = this.ids[0] !== undefined && tree.parentOf(leafId) === this.ids[0];
		const others = (goesOn ? this.ids.slice(1) : this.ids).filter((id) => id !== leafId);
		this.ids = [leafId, ...others].slice(0, MAX_VISITED);
		this.store.save(this.sessionId, this.ids);
	}

	/** The position last visited at or below an entry; undefined where there is none. */
	lastBelow(tree: SessionTree, entryId: string): string | undefined {
		return this.ids.find((id) => {
			for (let at: string | null = id; at !== null; at = tree.parentOf(at))
				if (at === entryId) return tree.get(id) !== undefined;
			return false;
		});
	}

	/** Where "switch to this branch" leads: the position last visited below, else the newest leaf there. */
	targetBelow(tree: SessionTree, entryId: string): string {
		return this.lastBelow(tree, entryId) ?? tree.newestLeafBelow(entryId);
	}
}
