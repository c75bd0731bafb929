/**
 * The tree of a session's entries, in memory: parents, children, paths. Broken links are repaired
 * here and reported; the entries themselves keep what the file says.
 */
import type { SessionEntry } from './entries.ts';
import type { SessionWarning } from './session-file.ts';

export class SessionTree {
	private readonly list: SessionEntry[] = [];
	private readonly byId = new Map<string, SessionEntry>();
	/** Place in the file, by id. */
	private readonly positions = new Map<string, number>();
	private readonly parents = new Map<string, string | null>();
	private readonly children = new Map<string | null, string[]>();

	/** Builds the tree of loaded entries; what had to be repaired is added to `warnings`. */
	constructor(entries: readonly SessionEntry[] = [], warnings: SessionWarning[] = []) {
		for (const entry of entries) {
			if (this.byId.has(entry.id)) {
				warnings.push({
					kind: 'duplicate-id',
					entryId: entry.id,
					message: `The id ${entry.id} occurs twice; the first entry with it is shown.`,
				});
				continue;
			}
			this.record(entry);
		}
		for (const [index, entry] of this.list.entries()) {
			let parentId = entry.parentId;
			if (parentId !== null && !this.byId.has(parentId)) {
				warnings.push({
					kind: 'missing-parent',
					entryId: entry.id,
					message: `Entry ${entry.id} follows ${parentId}, which is not in the file; it is shown after the entry written before it.`,
				});
				parentId = this.list[index - 1]?.id ?? null;
			}
			this.parents.set(entry.id, parentId);
		}
		this.breakCycles(warnings);
		for (const { id } of this.list) this.addChild(this.parentOf(id), id);
	}

	/** Adds an entry that was just written; its parent is in the tree. */
	add(entry: SessionEntry): void {
		this.record(entry);
		this.parents.set(entry.id, entry.parentId);
		this.addChild(entry.parentId, entry.id);
	}

	/** All entries in file order. */
	get entries(): readonly SessionEntry[] {
		return this.list;
	}

	get(id: string): SessionEntry | undefined {
		return this.byId.get(id);
	}

	/** The parent after repair; null for a root or an unknown id. */
	parentOf(id: string): string | null {
		return this.parents.get(id) ?? null;
	}

	/** The ids of the children in file order; of the roots for null. */
	childrenOf(id: string | null): readonly string[] {
		return this.children.get(id) ?? [];
	}

	/** The entries from a root to `id`, both included; empty for null or an unknown id. */
	pathTo(id: string | null): SessionEntry[] {
		const path: SessionEntry[] = [];
		for (let at = id; at !== null; at = this.parentOf(at)) {
			const entry = this.byId.get(at);
			if (!entry) break;
			path.push(entry);
		}
		return path.reverse();
	}

	/** The ids of entries without children, in file order. */
	leaves(): string[] {
		return this.list.filter(({ id }) => !this.children.has(id)).map(({ id }) => id);
	}

	/** The leaf below `id` that was written last; `id` itself where it has no children. */
	newestLeafBelow(id: string): string {
		let newest = id;
		let newestPosition = -1;
		const open = [id];
		for (let at = open.pop(); at !== undefined; at = open.pop()) {
			const children = this.childrenOf(at);
			const position = this.positions.get(at) ?? 0;
			if (children.length > 0) for (const child of children) open.push(child);
			else if (position > newestPosition) {
				newest = at;
				newestPosition = position;
			}
		}
		return newest;
	}

	/** The deepest entry on the paths to both; null where there is none. */
	commonAncestor(a: string | null, b: string | null): string | null {
		const ancestors = new Set(this.pathTo(a).map(({ id }) => id));
		for (let at = b; at !== null; at = this.parentOf(at)) if (ancestors.has(at)) return at;
		return null;
	}

	private record(entry: SessionEntry): void {
		this.byId.set(entry.id, entry);
		this.positions.set(entry.id, this.list.length);
		this.list.push(entry);
	}

	private addChild(parentId: string | null, id: string): void {
		const siblings = this.children.get(parentId);
		if (siblings) siblings.push(id);
		else this.children.set(parentId, [id]);
	}

	/** Follows each chain once; a chain that meets itself is cut at its earliest entry, a new root. */
	private breakCycles(warnings: SessionWarning[]): void {
		const settled = new Set<string>();
		for (const { id } of this.list) {
			const parentId = this.parentOf(id);
			if (parentId === null || settled.has(parentId)) {
				settled.add(id);
				continue;
			}
			const chain: string[] = [];
			const onChain = new Set<string>();
			let at: string | null = id;
			while (at !== null && !settled.has(at) && !onChain.has(at)) {
				chain.push(at);
				onChain.add(at);
				at = this.parentOf(at);
			}
			if (at !== null && onChain.has(at)) {
				// `id` is the earliest entry not settled yet, so cutting where the loop closes is stable.
				this.parents.set(at, null);
				warnings.push({
					kind: 'cycle',
					entryId: at,
					message: `Entry ${at} is its own ancestor in the file; it is shown as a beginning.`,
				});
			}
			for (const done of chain) settled.add(done);
		}
	}
}
