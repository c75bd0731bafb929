/**
 * A session: its entries, its leaf, and the only way to add to it. An entry is on disk before memory
 * moves, and memory has moved before anyone is told.
 */
import type { ToolResultMessage } from '../agent/messages.ts';
import { Emitter } from '../util/emitter.ts';
import { buildTreeContext, readTreeContext, type SessionContext } from './context.ts';
import {
	SESSION_VERSION,
	type BranchSummaryEntry,
	type CompactionEntry,
	type CustomMessageEntry,
	type EntryBase,
	type LabelEntry,
	type MessageEntry,
	type ModelChangeEntry,
	type SessionEntry,
	type SessionHeader,
	type SessionInfoEntry,
} from './entries.ts';
import type { AgentMessage } from './messages.ts';
import type { ModelName } from './observations.ts';
import { PrunedOutputs, type OutputToPrune, type RestoredOutputs } from './pruned-outputs.ts';
import { anotherSession, changedElsewhere, noSuchEntry, oldVersion } from './session-errors.ts';
import { SessionFile } from './session-file.ts';
import { ChangedElsewhere, MemorySessionStorage, type SessionStorage } from './session-storage.ts';
import type { SessionTree } from './session-tree.ts';
import type { SessionWarning } from './session-warning.ts';
import { mergedSystemMessage } from './system-message.ts';
import { treeNodes, type TreeNode } from './tree-nodes.ts';

/** Where a session's leaf was when it was last seen, kept outside the file (spec: the leaf survives). */
export interface SavedLeaf {
	leafId: string | null;
	/** The file's last entry then; a different one now means that another tool went on. */
	lastEntryId: string | null;
}

export type SessionEvent =
	| { type: 'entryAppended'; entry: SessionEntry }
	| { type: 'leafChanged'; leafId: string | null }
	/** Another program wrote to the file, and what is there now was taken over. */
	| { type: 'changedElsewhere' }
	/** Outputs were pruned or brought back. */
	| { type: 'outputsChanged' };

/** The fields of a new compaction entry; ids and time are added. */
export type NewCompaction = Pick<CompactionEntry, 'summary' | 'firstKeptEntryId' | 'tokensBefore'> &
	Partial<
		Pick<CompactionEntry, 'shortSummary' | 'tokensAfter' | 'details' | 'preserveData' | 'usage'>
	> & { fromExtension: boolean };

/** The fields of a new branch summary entry; ids and time are added. */
export type NewBranchSummary = Pick<BranchSummaryEntry, 'summary' | 'fromId'> &
	Partial<Pick<BranchSummaryEntry, 'details' | 'usage'>> & { fromExtension: boolean };

/** An entry without what `append` adds. */
type NewEntry<T extends SessionEntry> = Omit<T, 'id' | 'parentId' | 'timestamp'>;

/** How often lines are replaced anew since another program wrote to the file meanwhile. */
const REWRITE_ATTEMPTS = 5;

export class SessionManager {
	readonly events = new Emitter<SessionEvent>();
	private file: SessionFile;
	private leaf: string | null;
	/** The tail of the queue of reads and writes: they happen one at a time, in order. */
	private lastAccess: Promise<unknown> = Promise.resolve();
	/** True while one of our operations works on the session (see `hold`). */
	private held = false;
	/** True while the file on disk is not the session that is in memory: nothing may be written then. */
	private lost = false;
	private readonly pruned: PrunedOutputs;
	private knownLabels: { entries: number; labels: ReadonlyMap<string, string> } | undefined;

	private constructor(file: SessionFile, savedLeaf?: SavedLeaf) {
		this.file = file;
		this.pruned = new PrunedOutputs(file);
		const lastEntryId = this.lastEntryId;
		const isSaved =
			savedLeaf?.lastEntryId === lastEntryId &&
			(savedLeaf.leafId === null || file.tree.has(savedLeaf.leafId));
		this.leaf = isSaved ? savedLeaf.leafId : lastEntryId;
		this.reportUnknownKept();
	}

	/**
	 * Opens a stored session. The leaf is the saved one, or the last entry where there is none or
	 * where another tool has appended since.
	 * @throws UserError where the file is not a session, or of a version this code does not know
	 */
	static async open(storage: SessionStorage, savedLeaf?: SavedLeaf): Promise<SessionManager> {
		const manager = new SessionManager(await SessionFile.read(storage), savedLeaf);
		await manager.pruned.load();
		return manager;
	}

	/** Starts a session; its file is created with its first entry. */
	static create(
		storage: SessionStorage,
		header: { id?: string; cwd: string; parentSession?: string },
	): SessionManager {
		return new SessionManager(
			SessionFile.create(storage, {
				type: 'session',
				version: SESSION_VERSION,
				id: header.id ?? crypto.randomUUID(),
				timestamp: new Date().toISOString(),
				cwd: header.cwd,
				...(header.parentSession ? { parentSession: header.parentSession } : {}),
			}),
		);
	}

	/** A session in memory, for tests and dry runs. */
	static inMemory(cwd = '/workspace'): SessionManager {
		return SessionManager.create(new MemorySessionStorage(), { cwd });
	}

	get header(): SessionHeader {
		return this.file.header;
	}

	get tree(): SessionTree {
		return this.file.tree;
	}

	/** What had to be repaired in memory to show the file; grows as damaged entries are looked at. */
	get warnings(): readonly SessionWarning[] {
		return this.file.warnings;
	}

	/** The version that the file on disk states. */
	get fileVersion(): number {
		return this.file.version;
	}

	get id(): string {
		return this.header.id;
	}

	/** The session file, for people. */
	get location(): string {
		return this.file.location;
	}

	/** The entry that the next one follows; null means an empty conversation. */
	get leafId(): string | null {
		return this.leaf;
	}

	get savedLeaf(): SavedLeaf {
		return { leafId: this.leaf, lastEntryId: this.lastEntryId };
	}

	get lastEntryId(): string | null {
		return this.tree.idAt(this.tree.size - 1) ?? null;
	}

	/** The name given to the session, if any: the last session_info, else oh-my-pi's title. */
	get name(): string | undefined {
		for (const info of this.tree.ofTypeFromLast('session_info'))
			if (typeof info.name === 'string') return info.name;
		return this.header.title;
	}

	/** The entries from a root to `leafId` (the current leaf by default), root first; reads them all. */
	getBranch(leafId: string | null = this.leaf): SessionEntry[] {
		return this.tree.pathTo(leafId);
	}

	/** The end of that path that the context is made from; reads no more. */
	contextPath(leafId: string | null = this.leaf): SessionEntry[] {
		return this.tree.contextPathTo(leafId);
	}

	/**
	 * The same, giving the thread away while it reads.
	 * @throws UserError('unreadable') where the file cannot be read now
	 */
	readContextPath(leafId: string | null = this.leaf): Promise<SessionEntry[]> {
		return this.tree.readContextPathTo(leafId);
	}

	/** The context of a leaf (the current one by default). */
	context(leafId: string | null = this.leaf): SessionContext {
		return buildTreeContext(this.tree, leafId);
	}

	/** The same, giving the thread away while it reads: a context can be of any size. */
	readContext(leafId: string | null = this.leaf): Promise<SessionContext> {
		return readTreeContext(this.tree, leafId);
	}

	/** All entries as nested nodes, one for each root; reads them all. */
	getTree(): TreeNode[] {
		return treeNodes(this.tree, this.labels());
	}

	/** The label of each labelled entry; the last label entry for a target counts, an empty one clears. */
	labels(): ReadonlyMap<string, string> {
		const entries = this.tree.countOf('label');
		if (this.knownLabels?.entries !== entries)
			this.knownLabels = { entries, labels: labelsIn(this.tree) };
		return this.knownLabels.labels;
	}

	/**
	 * Moves the leaf; nothing is written.
	 * @throws UserError('no-such-entry') for an id that is not in the session
	 */
	branch(id: string | null): void {
		if (id !== null && !this.tree.has(id)) throw noSuchEntry(id);
		if (id === this.leaf) return;
		this.leaf = id;
		this.events.emit({ type: 'leafChanged', leafId: id });
	}

	/** Appends a message at the leaf. */
	appendMessage(message: AgentMessage): Promise<MessageEntry> {
		return this.append<MessageEntry>({ type: 'message', message });
	}

	/** Records at the leaf that another model answers from here on, as pi does. */
	appendModelChange({ provider, modelId }: ModelName): Promise<ModelChangeEntry> {
		return this.append<ModelChangeEntry>({ type: 'model_change', provider, modelId });
	}

	/** Appends a message at the leaf that no person wrote, for the model and shown to people. */
	appendCustomMessage(customType: string, content: string): Promise<CustomMessageEntry> {
		const type = 'custom_message';
		return this.append<CustomMessageEntry>({ type, customType, content, display: true });
	}

	/** Appends a compaction at the leaf. Nothing is removed from the file. */
	appendCompaction(fields: NewCompaction): Promise<CompactionEntry> {
		const systemMessage = this.tree.hasSystemMessages
			? mergedSystemMessage(this.context().messages, Date.now())
			: undefined;
		return this.append<CompactionEntry>({
			type: 'compaction',
			...fields,
			fromHook: fields.fromExtension,
			...(systemMessage ? { systemMessage } : {}),
		});
	}

	/**
	 * Labels an entry, or clears its label. The label is an entry at the leaf, as pi writes it.
	 * @throws UserError('no-such-entry') for an unknown target
	 */
	appendLabel(targetId: string, label: string | undefined): Promise<LabelEntry> {
		if (!this.tree.has(targetId)) return Promise.reject(noSuchEntry(targetId));
		return this.append<LabelEntry>({ type: 'label', targetId, ...(label ? { label } : {}) });
	}

	/** Names the session; an empty name takes it back. */
	appendName(name: string): Promise<SessionInfoEntry> {
		return this.append<SessionInfoEntry>({ type: 'session_info', name });
	}

	/**
	 * Moves to `targetId` (null: the empty conversation) and attaches the summary of the branch that
	 * was left there; the summary becomes the leaf. The leaf stays where it is if writing fails.
	 * @throws UserError('no-such-entry') for an unknown target
	 */
	branchWithSummary(
		targetId: string | null,
		fields: NewBranchSummary,
	): Promise<BranchSummaryEntry> {
		if (targetId !== null && !this.tree.has(targetId)) return Promise.reject(noSuchEntry(targetId));
		return this.append<BranchSummaryEntry>(
			{ type: 'branch_summary', ...fields, fromHook: fields.fromExtension },
			targetId,
		);
	}

	/** True where the context shows a notice instead of the entry's output. */
	isPruned(entryId: string): boolean {
		return this.pruned.has(entryId);
	}

	/**
	 * The message of a pruned entry with its output; undefined for one that is not pruned, and where no
	 * original is kept.
	 * @throws UserError('unreadable') where the originals cannot be read now
	 */
	originalOf(entryId: string): ToolResultMessage | undefined {
		return this.pruned.originalOf(entryId);
	}

	/**
	 * Puts notices in place of outputs, all or none, for good; to be called between `hold` and its
	 * release. The originals are kept.
	 * @throws UserError where that is not possible: the session is as it was then
	 */
	prune(outputs: readonly OutputToPrune[]): Promise<void> {
		return this.changeOutputs(() => this.pruned.prune(outputs));
	}

	/**
	 * Brings pruned outputs back (all by default); to be called between `hold` and its release.
	 * @throws UserError where that is not possible: the session is as it was then
	 */
	unprune(entryIds?: readonly string[]): Promise<RestoredOutputs> {
		return this.changeOutputs(() => this.pruned.restore(entryIds));
	}

	private changeOutputs<T>(change: () => Promise<T>): Promise<T> {
		return this.inOrder(async () => {
			if (!this.held)
				throw new Error('Outputs are pruned and brought back between hold and release.');
			await this.requireWritable();
			let attempts = 0;
			const outcome = await this.goingOnAfterOthers(() => {
				// Each attempt may read and write the whole file.
				if (attempts++ === REWRITE_ATTEMPTS) throw changedElsewhere(this.location);
				return change();
			});
			this.events.emit({ type: 'outputsChanged' });
			return outcome;
		});
	}

	/**
	 * Takes over what another program has written meanwhile. Where it went on from our leaf, the leaf
	 * follows it, as it would at the next opening.
	 * @returns true where there was something
	 * @throws UserError where the file cannot be read any more; what was read of it stays
	 */
	refresh(): Promise<boolean> {
		return this.inOrder(() => this.takeOver());
	}

	/**
	 * Begins an operation that will write: other windows are kept out until the returned function is
	 * called. What another program writes in between goes on a branch of its own; ours is written all
	 * the same.
	 * @throws UserError('locked') where another window works on the session; UserError('changed-elsewhere')
	 * where something had come that nobody here has seen: it is shown then
	 */
	async hold(): Promise<() => Promise<void>> {
		const release = await this.file.lock();
		try {
			await this.inOrder(async () => {
				if (await this.takeOver()) throw changedElsewhere(this.location);
				this.held = true;
			});
		} catch (error) {
			await release();
			throw error;
		}
		return async () => {
			this.held = false;
			// What the operation went on from may have gone with a file that was replaced meanwhile.
			if (this.leafIsGone) {
				this.follow(true);
				this.events.emit({ type: 'leafChanged', leafId: this.leaf });
			}
			await release();
		};
	}

	private append<T extends SessionEntry>(fields: NewEntry<T>, parent?: string | null): Promise<T> {
		return this.inOrder(async () => {
			const entry = await this.write(fields, parent === undefined ? this.leaf : parent);
			this.leaf = entry.id;
			this.events.emit({ type: 'entryAppended', entry });
			this.events.emit({ type: 'leafChanged', leafId: entry.id });
			return entry;
		});
	}

	private async write<T extends SessionEntry>(
		fields: NewEntry<T>,
		parentId: string | null,
	): Promise<T> {
		await this.requireWritable();
		return this.goingOnAfterOthers(async () => {
			// What it follows may have gone with a file that was replaced meanwhile.
			if (parentId !== null && !this.tree.has(parentId)) throw changedElsewhere(this.location);
			const base: EntryBase = {
				type: fields.type,
				id: this.newId(),
				parentId,
				timestamp: new Date().toISOString(),
			};
			const entry = { ...base, ...fields } as unknown as T;
			await this.file.append([entry]);
			return entry;
		});
	}

	private async requireWritable(): Promise<void> {
		if (this.fileVersion < SESSION_VERSION) throw oldVersion(this.location, this.fileVersion);
		if (this.lost) {
			await this.takeOver('replaced');
			throw changedElsewhere(this.location);
		}
	}

	/** Writes; an operation of ours that meets others' writes takes those over and tries again. */
	private async goingOnAfterOthers<T>(write: () => Promise<T>): Promise<T> {
		for (;;) {
			try {
				return await write();
			} catch (error) {
				if (!(error instanceof ChangedElsewhere)) throw error;
				await this.takeOver(error.change);
				if (!this.held) throw changedElsewhere(this.location);
				await this.letOthersFinish();
			}
		}
	}

	/** A line that another program is just writing is left to it for a moment. */
	private async letOthersFinish(): Promise<void> {
		for (let times = 0; times < 10 && this.file.endsInsideLine; times++) {
			await new Promise((resolve) => setTimeout(resolve, 50));
			await this.takeOver();
		}
	}

	private async takeOver(change: 'grown' | 'replaced' = 'grown'): Promise<boolean> {
		const sizeBefore = this.tree.size;
		const wasAtEnd = this.leaf === this.lastEntryId;
		const found = change === 'replaced' || this.lost ? 'replaced' : await this.file.refresh();
		if (found === 'none') return false;
		if (found === 'replaced') {
			await this.readAgain();
			this.follow(wasAtEnd || this.leafIsGone);
		} else this.follow(this.tree.baseOfEntriesFrom(sizeBefore) === this.leaf);
		this.events.emit({ type: 'changedElsewhere' });
		return true;
	}

	/** True where the file was replaced by one without the entry that we were at. */
	private get leafIsGone(): boolean {
		return this.leaf !== null && !this.tree.has(this.leaf);
	}

	/**
	 * Reads the file anew, as it is not the one that was read.
	 * @throws UserError where it is no session, or another one: memory keeps what was read
	 */
	private async readAgain(): Promise<void> {
		this.lost = true;
		const file = await this.file.readAgain();
		if (file.header.id !== this.id) throw anotherSession(this.location);
		this.file = file;
		this.pruned.showIn(file);
		this.knownLabels = undefined;
		this.lost = false;
	}

	/** An operation of ours stays where it began; else the leaf goes along with what came behind it. */
	private follow(cameBehindLeaf: boolean): void {
		if (cameBehindLeaf && !this.held) this.leaf = this.lastEntryId;
	}

	private inOrder<T>(access: () => Promise<T>): Promise<T> {
		// A failure is its caller's to report; the queue goes on.
		const result = this.lastAccess.then(access, access);
		this.lastAccess = result;
		return result;
	}

	/** Eight hex digits, as pi's ids, not used in this session yet. */
	private newId(): string {
		for (;;) {
			const id = crypto.randomUUID().slice(0, 8);
			if (!this.tree.has(id)) return id;
		}
	}

	private reportUnknownKept(): void {
		const compaction = this.tree.compactionWithUnknownKept(this.leaf);
		if (compaction)
			this.file.warnings.push({
				kind: 'unknown-kept',
				entryId: compaction.id,
				message: `The compaction ${compaction.id} keeps messages from ${compaction.firstKeptEntryId} on, which is not before it; only what follows the compaction is in the context.`,
			});
	}
}

function labelsIn(tree: SessionTree): Map<string, string> {
	const labels = new Map<string, string>();
	for (const entry of tree.ofType('label')) {
		if (typeof entry.label === 'string' && entry.label) labels.set(entry.targetId, entry.label);
		else labels.delete(entry.targetId);
	}
	return labels;
}
