/**
 * A session: its entries, its leaf, and the only way to add to it. An entry is on disk before memory
 * moves, and memory has moved before anyone is told.
 */
import { Emitter } from '../util/emitter.ts';
import { UserError } from '../util/errors.ts';
import { buildPathContext, findContextStart, type SessionContext } from './context.ts';
import {
	SESSION_VERSION,
	type BranchSummaryEntry,
	type CompactionEntry,
	type EntryBase,
	type MessageEntry,
	type SessionEntry,
	type SessionHeader,
} from './entries.ts';
import type { AgentMessage } from './messages.ts';
import { parseSession, type SessionWarning } from './session-file.ts';
import { MemorySessionStorage, type SessionStorage } from './session-storage.ts';
import { SessionTree } from './session-tree.ts';

/** Where a session's leaf was when it was last seen, kept outside the file (spec: the leaf survives). */
export interface SavedLeaf {
	leafId: string | null;
	/** The file's last entry then; a different one now means that another tool went on. */
	lastEntryId: string | null;
}

export type SessionEvent =
	{ type: 'entryAppended'; entry: SessionEntry } | { type: 'leafChanged'; leafId: string | null };

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

export class SessionManager {
	readonly header: SessionHeader;
	/** What had to be repaired in memory to show the file. */
	readonly warnings: readonly SessionWarning[];
	/** The version that the file on disk states. */
	readonly fileVersion: number;
	readonly tree: SessionTree;
	readonly events = new Emitter<SessionEvent>();
	private readonly storage: SessionStorage;
	/** False until the header is on disk: a new session's file begins with its first entry. */
	private headerWritten: boolean;
	private leaf: string | null;
	/** The tail of the queue of writes: they happen one at a time, in order. */
	private lastWrite: Promise<unknown> = Promise.resolve();

	private constructor(
		storage: SessionStorage,
		header: SessionHeader,
		state: {
			entries: SessionEntry[];
			warnings: SessionWarning[];
			fileVersion: number;
			headerWritten: boolean;
			savedLeaf?: SavedLeaf | undefined;
		},
	) {
		this.storage = storage;
		this.header = header;
		this.fileVersion = state.fileVersion;
		this.headerWritten = state.headerWritten;
		const warnings = [...state.warnings];
		this.tree = new SessionTree(state.entries, warnings);
		this.warnings = warnings;
		const lastEntryId = this.lastEntryId;
		this.leaf = lastEntryId;
		const saved = state.savedLeaf;
		if (saved && saved.lastEntryId === lastEntryId)
			if (saved.leafId === null || this.tree.get(saved.leafId)) this.leaf = saved.leafId;
		this.reportUnknownKept(warnings);
	}

	/**
	 * Opens a stored session. The leaf is the saved one, or the last entry where there is none or
	 * where another tool has appended since.
	 * @throws UserError where the file is not a session, or of a version this code does not know
	 */
	static async open(storage: SessionStorage, savedLeaf?: SavedLeaf): Promise<SessionManager> {
		const parsed = await parseSession(storage.readLines(), storage.location);
		return new SessionManager(storage, parsed.header, {
			...parsed,
			headerWritten: true,
			savedLeaf,
		});
	}

	/** Starts a session; its file is created with its first entry. */
	static create(
		storage: SessionStorage,
		header: { id?: string; cwd: string; parentSession?: string },
	): SessionManager {
		return new SessionManager(
			storage,
			{
				type: 'session',
				version: SESSION_VERSION,
				id: header.id ?? crypto.randomUUID(),
				timestamp: new Date().toISOString(),
				cwd: header.cwd,
				...(header.parentSession ? { parentSession: header.parentSession } : {}),
			},
			{ entries: [], warnings: [], fileVersion: SESSION_VERSION, headerWritten: false },
		);
	}

	/** A session in memory, for tests and dry runs. */
	static inMemory(cwd = '/workspace'): SessionManager {
		return SessionManager.create(new MemorySessionStorage(), { cwd });
	}

	/**
	 * Writes this session as a new version 3 file into an empty storage and opens that. Used for
	 * copies and for migration; the source keeps every byte it had.
	 * @param parentSession recorded in the copy's header; the session keeps its id without one
	 */
	async copyTo(target: SessionStorage, parentSession?: string): Promise<SessionManager> {
		const header: SessionHeader = {
			...this.header,
			version: SESSION_VERSION,
			...(parentSession ? { parentSession } : {}),
		};
		const lines = [header, ...this.tree.entries].map((line) => JSON.stringify(line));
		await target.append(lines);
		return SessionManager.open(target, { leafId: this.leaf, lastEntryId: this.lastEntryId });
	}

	get id(): string {
		return this.header.id;
	}

	/** The session file, for people. */
	get location(): string {
		return this.storage.location;
	}

	/** The entry that the next one follows; null means an empty conversation. */
	get leafId(): string | null {
		return this.leaf;
	}

	get savedLeaf(): SavedLeaf {
		return { leafId: this.leaf, lastEntryId: this.lastEntryId };
	}

	get lastEntryId(): string | null {
		return this.tree.entries.at(-1)?.id ?? null;
	}

	/** The name given to the session, if any: the last session_info, else oh-my-pi's title. */
	get name(): string | undefined {
		const info = this.tree.entries.findLast((entry) => entry.type === 'session_info');
		return info?.name ?? this.header.title;
	}

	/** The entries from a root to `leafId` (the current leaf by default), root first. */
	path(leafId: string | null = this.leaf): SessionEntry[] {
		return this.tree.pathTo(leafId);
	}

	/** The context of a leaf (the current one by default). */
	context(leafId: string | null = this.leaf): SessionContext {
		return buildPathContext(this.path(leafId));
	}

	/** The label of each labelled entry; the last label entry for a target counts, an empty one clears. */
	labels(): ReadonlyMap<string, string> {
		const labels = new Map<string, string>();
		for (const entry of this.tree.entries) {
			if (entry.type !== 'label') continue;
			if (entry.label) labels.set(entry.targetId, entry.label);
			else labels.delete(entry.targetId);
		}
		return labels;
	}

	/**
	 * Moves the leaf; nothing is written.
	 * @throws UserError('no-such-entry') for an id that is not in the session
	 */
	moveLeaf(id: string | null): void {
		if (id !== null && !this.tree.get(id)) throw noSuchEntry(id);
		if (id === this.leaf) return;
		this.leaf = id;
		this.events.emit({ type: 'leafChanged', leafId: id });
	}

	/** Appends a message at the leaf. */
	appendMessage(message: AgentMessage): Promise<MessageEntry> {
		return this.append<MessageEntry>({ type: 'message', message });
	}

	/** Appends a compaction at the leaf. Nothing is removed from the file. */
	appendCompaction(fields: NewCompaction): Promise<CompactionEntry> {
		return this.append<CompactionEntry>({
			type: 'compaction',
			...fields,
			fromHook: fields.fromExtension,
		});
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
		if (targetId !== null && !this.tree.get(targetId)) return Promise.reject(noSuchEntry(targetId));
		return this.append<BranchSummaryEntry>(
			{ type: 'branch_summary', ...fields, fromHook: fields.fromExtension },
			targetId,
		);
	}

	private append<T extends SessionEntry>(fields: NewEntry<T>, parent?: string | null): Promise<T> {
		const write = this.lastWrite.then(async () => {
			const parentId = parent === undefined ? this.leaf : parent;
			const base: EntryBase = {
				type: fields.type,
				id: this.newId(),
				parentId,
				timestamp: new Date().toISOString(),
			};
			const entry = { ...base, ...fields } as unknown as T;
			const lines = [JSON.stringify(entry)];
			if (!this.headerWritten) lines.unshift(JSON.stringify(this.header));
			await this.storage.append(lines);
			this.headerWritten = true;
			this.tree.add(entry);
			this.leaf = entry.id;
			this.events.emit({ type: 'entryAppended', entry });
			this.events.emit({ type: 'leafChanged', leafId: entry.id });
			return entry;
		});
		// A failed write is the caller's to report; the queue goes on.
		this.lastWrite = write.catch(() => undefined);
		return write;
	}

	/** Eight hex digits, as pi's ids, not used in this session yet. */
	private newId(): string {
		for (;;) {
			const id = crypto.randomUUID().slice(0, 8);
			if (!this.tree.get(id)) return id;
		}
	}

	private reportUnknownKept(warnings: SessionWarning[]): void {
		const { compaction, unknownFirstKept } = findContextStart(this.path());
		if (compaction && unknownFirstKept)
			warnings.push({
				kind: 'unknown-kept',
				entryId: compaction.id,
				message: `The compaction ${compaction.id} keeps messages from ${compaction.firstKeptEntryId} on, which is not before it; only what follows the compaction is in the context.`,
			});
	}
}

function noSuchEntry(id: string): UserError {
	return new UserError('no-such-entry', `There is no entry ${id} in this session.`, {
		kept: 'Nothing was changed.',
	});
}
