/**
 * The tree of a session's entries, in memory: ids, types, parents, children. The entries themselves
 * come from a store and are read when someone looks at them. Broken links are repaired here and
 * reported; the entries keep what the file says.
 */
import { createYielder } from '../util/async.ts';
import type { CompactionEntry, SessionEntry } from './entries.ts';
import { ArrayEntryStore, type EntryStore, type LinePlace } from './entry-store.ts';
import { requireReadable } from './entry-parse.ts';
import { headOf, type EntryHead } from './entry-head.ts';
import { IdTable } from './id-table.ts';
import type { SessionWarning } from './session-warning.ts';

const ROOT = -1;
const NONE: readonly string[] = [];

export class SessionTree {
	private readonly store: EntryStore;
	private readonly table = new IdTable();
	private readonly ids: readonly string[] = this.table.ids;
	private readonly types: string[] = [];
	private readonly roles: (string | undefined)[] = [];
	/** Place of the parent after repair; ROOT for a root. */
	private readonly parents: number[] = [];
	/** Ids of the children: most entries have one, so that one needs no list. */
	private readonly children: (string | string[] | undefined)[] = [];
	private readonly roots: string[] = [];
	/** Parents, as the file names them, of the entries that hang nowhere yet, by place. */
	private readonly waiting = new Map<number, string>();
	/** Places of the entries of the types that are looked for by type. */
	private readonly placesByType = new Map<string, number[]>();
	private systemMessages = 0;
	/** Ids that entries name as their parents but that were not in the file. */
	private readonly missing = new Set<string>();
	private lateParents = false;
	/** How the context shows an entry: a notice may stand in place of an output. Set by the manager. */
	shownInContext = (entry: SessionEntry): SessionEntry => entry;

	constructor(store: EntryStore = new ArrayEntryStore()) {
		this.store = store;
	}

	/** A tree of entries that are all in memory; what had to be repaired is added to `warnings`. */
	static of(entries: readonly SessionEntry[], warnings: SessionWarning[] = []): SessionTree {
		const store = new ArrayEntryStore();
		const tree = new SessionTree(store);
		for (const entry of entries) if (tree.stage(headOf(entry), warnings)) store.add(entry);
		tree.settle(warnings);
		return tree;
	}

	/**
	 * Adds the next entry as read from a file. Its parent may come later in the file; until all are in,
	 * and `settle` has been called, such entries hang nowhere.
	 * @returns false where the id is taken: the first entry with it counts
	 */
	stage({ id, parentId, type, role }: EntryHead, warnings: SessionWarning[]): boolean {
		const place = this.ids.length;
		if (!this.table.add(id)) {
			warnings.push(duplicateId(id));
			return false;
		}
		this.lateParents ||= this.missing.has(id);
		this.types.push(type);
		this.roles.push(role);
		this.children.push(undefined);
		if (type !== 'message') this.recordType(type, place);
		else if (role === 'system') this.systemMessages++;
		const parent =
			parentId === null
				? ROOT
				: parentId === this.ids[place - 1]
					? place - 1
					: (this.table.placeOf(parentId) ?? ROOT);
		this.parents.push(parent);
		// An entry that names itself is a cycle; it waits like one whose parent comes later.
		const isRoot = parentId === null;
		if (isRoot || (parent !== ROOT && parent !== place)) this.link(place);
		else this.waiting.set(place, parentId);
		return true;
	}

	/** Ties the entries whose parents came later, or not at all; repairs are added to `warnings`. */
	settle(warnings: SessionWarning[]): void {
		for (const [place, parentId] of this.waiting)
			this.parents[place] = this.resolveParent(parentId, place, warnings);
		this.breakCycles(warnings);
		const disordered = new Set<string[]>();
		for (const place of this.waiting.keys()) {
			const siblings = this.link(place);
			if (siblings) disordered.add(siblings);
		}
		this.waiting.clear();
		for (const siblings of disordered) siblings.sort((a, b) => this.place(a) - this.place(b));
	}

	/** Adds an entry that was just written (`line` says where); its parent is in the tree. */
	add(entry: SessionEntry, line?: LinePlace): void {
		this.store.add(entry, line);
		this.stage(headOf(entry), []);
	}

	/** How many entries there are; their places, in file order, run from 0. */
	get size(): number {
		return this.ids.length;
	}

	has(id: string): boolean {
		return this.table.placeOf(id) !== undefined;
	}

	/** The entry, read if need be. */
	get(id: string): SessionEntry | undefined {
		const place = this.table.placeOf(id);
		return place === undefined ? undefined : this.store.entryAt(place);
	}

	/** The entry's line as it stands in the file; undefined where there is none. */
	lineOf(id: string): string | undefined {
		const place = this.table.placeOf(id);
		return place === undefined ? undefined : this.store.lineAt(place);
	}

	idAt(place: number): string | undefined {
		return this.ids[place];
	}

	/** Place in the file's order; undefined for an unknown id. */
	placeOf(id: string): number | undefined {
		return this.table.placeOf(id);
	}

	/** The type of an entry, without reading it. */
	typeOf(id: string): string | undefined {
		const place = this.table.placeOf(id);
		return place === undefined ? undefined : this.types[place];
	}

	/** The role of a message, without reading it; undefined for other entries. */
	roleOf(id: string): string | undefined {
		const place = this.table.placeOf(id);
		return place === undefined ? undefined : this.roles[place];
	}

	/** The entries of a type, in file order, each read when it comes. */
	*ofType<T extends SessionEntry['type']>(type: T): Generator<Extract<SessionEntry, { type: T }>> {
		for (const place of this.placesByType.get(type) ?? []) {
			const entry = this.store.entryAt(place);
			if (entry.type === type) yield entry as Extract<SessionEntry, { type: T }>;
		}
	}

	/** The same, the last one first. */
	*ofTypeFromLast<T extends SessionEntry['type']>(
		type: T,
	): Generator<Extract<SessionEntry, { type: T }>> {
		for (const place of this.placesByType.get(type)?.toReversed() ?? []) {
			const entry = this.store.entryAt(place);
			if (entry.type === type) yield entry as Extract<SessionEntry, { type: T }>;
		}
	}

	/** How many entries there are of a type other than `message`. */
	countOf(type: string): number {
		return this.placesByType.get(type)?.length ?? 0;
	}

	/** False in sessions that never were pi's: then nobody has to look for system messages. */
	get hasSystemMessages(): boolean {
		return this.systemMessages > 0;
	}

	/** True where parents came after `settle` had repaired their absence: a new reading would know them. */
	get hasLateParents(): boolean {
		return this.lateParents;
	}

	/** How many entries there are of each type. */
	typeCounts(): Map<string, number> {
		const counts = new Map<string, number>();
		let messages = this.ids.length;
		for (const [type, places] of this.placesByType) {
			counts.set(type, places.length);
			messages -= places.length;
		}
		return counts.set('message', messages);
	}

	/** All entries in file order, each read when it comes: work that grows with the file. */
	*entries(): Generator<SessionEntry> {
		for (let place = 0; place < this.ids.length; place++) yield this.store.entryAt(place);
	}

	/** The parent after repair; null for a root or an unknown id. */
	parentOf(id: string): string | null {
		const place = this.table.placeOf(id);
		return place === undefined ? null : (this.ids[this.parents[place] ?? ROOT] ?? null);
	}

	/** The ids of the children in file order; of the roots for null. */
	childrenOf(id: string | null): readonly string[] {
		if (id === null) return this.roots;
		const children = this.children[this.table.placeOf(id) ?? -1];
		return typeof children === 'string' ? [children] : (children ?? NONE);
	}

	/** Place of the parent of the entry at a place; negative for a root. For walks over many entries. */
	parentPlace(place: number): number {
		return this.parents[place] ?? ROOT;
	}

	typeAt(place: number): string {
		return this.types[place] ?? '';
	}

	roleAt(place: number): string | undefined {
		return this.roles[place];
	}

	childCountAt(place: number): number {
		const children = this.children[place];
		return typeof children === 'string' ? 1 : (children?.length ?? 0);
	}

	/** The ids from a root to `id`, both included; empty for null or an unknown id. */
	idsTo(id: string | null): string[] {
		const ids: string[] = [];
		for (let at = this.place(id); at !== ROOT; at = this.parents[at] ?? ROOT)
			ids.push(this.ids[at] ?? '');
		return ids.reverse();
	}

	/** The entries from a root to `id`, both included, all of them read. */
	pathTo(id: string | null): SessionEntry[] {
		return this.idsTo(id).map((at) => this.store.entryAt(this.place(at)));
	}

	/**
	 * The end of the path to `id` that its context is made from: from the entry that the newest
	 * compaction keeps first (or from that compaction, or after a reset boundary) on. Reads no more.
	 */
	contextPathTo(id: string | null): SessionEntry[] {
		return this.contextPlaces(id).places.map((place) =>
			this.shownInContext(this.store.entryAt(place)),
		);
	}

	/**
	 * The same, giving the thread away while it reads: a context can be of any size.
	 * @throws UserError('unreadable') where the file cannot be read now
	 */
	async readContextPathTo(id: string | null): Promise<SessionEntry[]> {
		const entries: SessionEntry[] = [];
		const pause = createYielder();
		for (const place of this.contextPlaces(id).places) {
			entries.push(this.shownInContext(requireReadable(this.store.entryAt(place))));
			await pause();
		}
		return entries;
	}

	/**
	 * The compaction that opens the context of `id` and names a first kept entry which is not on the path;
	 * undefined where all is well. Reads that compaction alone.
	 */
	compactionWithUnknownKept(id: string | null): CompactionEntry | undefined {
		return this.contextPlaces(id).unknownKept;
	}

	private contextPlaces(id: string | null): {
		places: number[];
		unknownKept?: CompactionEntry;
	} {
		const places: number[] = [];
		/** Once one has been met: it names the entry to stop at. */
		let compaction: CompactionEntry | undefined;
		let lengthWithCompaction = 0;
		for (let at = this.place(id); at !== ROOT; at = this.parents[at] ?? ROOT) {
			const type = this.types[at];
			if (!compaction && type === 'reset_boundary') break;
			places.push(at);
			if (!compaction && type === 'compaction') {
				const entry = this.store.entryAt(at);
				if (entry.type !== 'compaction') continue;
				compaction = entry;
				lengthWithCompaction = places.length;
			}
			if (compaction && this.ids[at] === compaction.firstKeptEntryId)
				return { places: places.reverse() };
		}
		if (!compaction) return { places: places.reverse() };
		// A first kept entry that is not on the path keeps none (see findContextStart).
		return { places: places.slice(0, lengthWithCompaction).reverse(), unknownKept: compaction };
	}

	/** The entries from `id` up to a root that match by type and role; only those are read. */
	*upFrom(
		id: string | null,
		matches: (type: string, role: string | undefined) => boolean,
	): Generator<SessionEntry> {
		for (let at = this.place(id); at !== ROOT; at = this.parents[at] ?? ROOT)
			if (matches(this.types[at] ?? '', this.roles[at])) yield this.store.entryAt(at);
	}

	/** The ids of entries without children, in file order. */
	leaves(): string[] {
		return this.ids.filter((_id, place) => this.children[place] === undefined);
	}

	/** The leaf below `id` that was written last; `id` itself where it has no children. */
	newestLeafBelow(id: string): string {
		let newest = id;
		let newestPlace = -1;
		const open = [id];
		for (let at = open.pop(); at !== undefined; at = open.pop()) {
			const children = this.childrenOf(at);
			for (const child of children) open.push(child);
			const place = this.place(at);
			if (children.length > 0 || place <= newestPlace) continue;
			newest = at;
			newestPlace = place;
		}
		return newest;
	}

	/** The deepest entry on the paths to both; null where there is none. */
	commonAncestor(a: string | null, b: string | null): string | null {
		const ancestors = new Set<number>();
		for (let at = this.place(a); at !== ROOT; at = this.parents[at] ?? ROOT) ancestors.add(at);
		for (let at = this.place(b); at !== ROOT; at = this.parents[at] ?? ROOT)
			if (ancestors.has(at)) return this.ids[at] ?? null;
		return null;
	}

	/** The entry that the chain of later entries from the last one up hangs on; null for a root. */
	baseOfEntriesFrom(firstPlace: number): string | null {
		let at = this.ids.length - 1;
		while (at >= firstPlace) at = this.parents[at] ?? ROOT;
		return this.ids[at] ?? null;
	}

	private place(id: string | null): number {
		// Entries of damaged files name anything, or nothing, as an id.
		return typeof id === 'string' ? (this.table.placeOf(id) ?? ROOT) : ROOT;
	}

	private recordType(type: string, place: number): void {
		const places = this.placesByType.get(type);
		if (places) places.push(place);
		else this.placesByType.set(type, [place]);
	}

	private resolveParent(parentId: string, place: number, warnings: SessionWarning[]): number {
		const parent = this.table.placeOf(parentId);
		if (parent !== undefined) return parent;
		const id = this.ids[place] ?? '';
		this.missing.add(parentId);
		warnings.push({
			kind: 'missing-parent',
			entryId: id,
			message: `Entry ${id} follows ${parentId}, which is not in the file; it is shown after the entry written before it.`,
		});
		return place - 1;
	}

	/** Adds an entry to the end of its parent's children. @returns their list where there are several */
	private link(place: number): string[] | undefined {
		const id = this.ids[place] ?? '';
		const parent = this.parents[place] ?? ROOT;
		const siblings = parent === ROOT ? this.roots : this.children[parent];
		if (siblings === undefined) {
			this.children[parent] = id;
			return undefined;
		}
		if (typeof siblings !== 'string') {
			siblings.push(id);
			return siblings;
		}
		const both = [siblings, id];
		this.children[parent] = both;
		return both;
	}

	/**
	 * Follows the chains of the entries that waited: only a parent that comes later can close a cycle. A
	 * chain that meets itself is cut at its earliest entry, a new root.
	 */
	private breakCycles(warnings: SessionWarning[]): void {
		const settled = new Set<number>();
		for (const place of this.waiting.keys()) {
			const chain = new Set<number>();
			let at = place;
			while (at !== ROOT && !settled.has(at) && !chain.has(at)) {
				chain.add(at);
				at = this.parents[at] ?? ROOT;
			}
			if (chain.has(at)) this.cutCycle(this.firstWaitingIn(at), warnings);
			for (const done of chain) settled.add(done);
		}
	}

	/** The earliest entry of a cycle that hangs nowhere yet; in each cycle some parent comes later. */
	private firstWaitingIn(cycleMember: number): number {
		let first = Infinity;
		let at = cycleMember;
		do {
			if (this.waiting.has(at)) first = Math.min(first, at);
			at = this.parents[at] ?? ROOT;
		} while (at !== cycleMember);
		return first;
	}

	private cutCycle(place: number, warnings: SessionWarning[]): void {
		this.parents[place] = ROOT;
		const id = this.ids[place] ?? '';
		warnings.push({
			kind: 'cycle',
			entryId: id,
			message: `Entry ${id} is its own ancestor in the file; it is shown as a beginning.`,
		});
	}
}

function duplicateId(id: string): SessionWarning {
	return {
		kind: 'duplicate-id',
		entryId: id,
		message: `The id ${id} occurs twice; the first entry with it is shown.`,
	};
}
