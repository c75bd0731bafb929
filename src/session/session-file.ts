/**
 * Reads a session file: the header, and of each entry only its head; entries are parsed when someone
 * looks at them. Versions 1 and 2 are migrated on the way. The file is never changed.
 */
import { createYielder } from '../util/async.ts';
import { UserError } from '../util/errors.ts';
import { SESSION_VERSION, type SessionEntry, type SessionHeader } from './entries.ts';
import { versionOneId, type Json } from './entry-parse.ts';
import { FileEntryStore } from './file-entry-store.ts';
import { LineReader, notASession } from './line-reader.ts';
import { LineScanner } from './line-scan.ts';
import type { LinePlace } from './entry-store.ts';
import {
	ChangedElsewhere,
	type FileChange,
	type LineEdit,
	type SessionStorage,
} from './session-storage.ts';
import { SessionTree } from './session-tree.ts';
import type { SessionWarning } from './session-warning.ts';

/** The types of pi and oh-my-pi (upstream facts, section 1); others are kept and reported once. */
const KNOWN_TYPES = new Set([
	'message',
	'model_change',
	'thinking_level_change',
	'compaction',
	'branch_summary',
	'custom',
	'custom_message',
	'label',
	'session_info',
	'usage',
	'context_edit',
	'service_tier_change',
	'title_change',
	'ttsr_injection',
	'session_init',
	'mode_change',
	'reset_boundary',
	'credential_pin',
	'model_usage',
]);

export class SessionFile {
	readonly header: SessionHeader;
	readonly tree: SessionTree;
	/** What had to be repaired, and what turned out to be damaged when it was looked at. */
	readonly warnings: SessionWarning[] = [];
	private readonly storage: SessionStorage;
	private readonly store: FileEntryStore;
	/** Version 1 only: gives a parsed line the id and the parent that its place stands for. */
	private readonly addId: ((value: Json) => void) | undefined;
	private readonly reader: LineReader;
	/** False until the header is on disk: a new session's file begins with its first entry. */
	private headerWritten = true;
	/** Where reading goes on: at the beginning of a last line that is incomplete. */
	private taken = 0;
	/** True where the file ends without a line end: an append puts one first. */
	private insideLine = false;
	/** Said of a last line that is incomplete: withdrawn where another program goes on to write it. */
	private tornLine: SessionWarning | undefined;
	private readonly reportedTypes = new Set<string>();
	/** False once the file on disk turned out to be another one. */
	private current = true;

	private constructor(storage: SessionStorage, header: SessionHeader, reader: LineReader) {
		this.storage = storage;
		this.header = header;
		this.reader = reader;
		this.store = new FileEntryStore({
			storage,
			hasIds: this.version >= 2,
			idAt: (place) => this.tree.idAt(place),
			isCurrent: () => this.current,
			onDamaged: (entryId) => this.warnings.push(damagedBody(entryId)),
		});
		this.tree = new SessionTree(this.store);
		if (this.version < 2)
			this.addId = (value) => {
				const place = this.tree.size;
				value.id = versionOneId(header.id, place, (id) => this.tree.has(id));
				value.parentId = this.tree.idAt(place - 1) ?? null;
			};
	}

	/**
	 * Reads a stored session, yielding the thread between chunks.
	 * @throws UserError where the file is no session, or of a version that this code does not know
	 */
	static async read(storage: SessionStorage): Promise<SessionFile> {
		const reader = new LineReader(storage.location);
		let file: SessionFile | undefined;
		const scanner = new LineScanner(0, (bytes, start, end, offset) => {
			if (file) return file.takeLine(bytes, start, end, offset);
			const header = reader.header(bytes, start, end);
			if (header) file = new SessionFile(storage, header, reader);
		});
		await scan(storage, 0, scanner);
		const tornBytes = scanner.pendingBytes;
		// A header without a line end is a session, too.
		if (!file) scanner.finish();
		if (!file) throw notASession(storage.location);
		file.finishReading(scanner, tornBytes);
		return file;
	}

	/**
	 * Takes over what others have appended since.
	 * @returns `none` where no entry came; `replaced` where the file has to be read anew
	 */
	async refresh(): Promise<FileChange> {
		if (!this.headerWritten) return 'none';
		const change = await this.storage.change();
		if (change !== 'grown') return change;
		const before = this.tree.size;
		try {
			await this.readOn();
		} catch (error) {
			if (error instanceof ChangedElsewhere) return error.change;
			throw error;
		}
		// What was repaired at first may be whole by now.
		if (this.tree.hasLateParents) return 'replaced';
		return this.tree.size > before ? 'grown' : 'none';
	}

	/** Reads the file anew: it is not the one that was read. */
	readAgain(): Promise<SessionFile> {
		this.current = false;
		return SessionFile.read(this.storage);
	}

	private async readOn(): Promise<void> {
		if (this.tornLine) this.warnings.splice(this.warnings.indexOf(this.tornLine), 1);
		this.tornLine = undefined;
		const scanner = new LineScanner(this.taken, (bytes, start, end, offset) =>
			this.takeLine(bytes, start, end, offset),
		);
		await scan(this.storage, this.taken, scanner);
		this.finishReading(scanner, scanner.pendingBytes);
	}

	/** Takes over a last line without a line end where it is whole; else it is read again later. */
	private finishReading(scanner: LineScanner, tornBytes: number): void {
		this.taken = scanner.offset;
		this.insideLine = tornBytes > 0;
		if (this.insideLine) {
			const { lineNumber } = this.reader;
			this.reader.mayBeTorn = true;
			scanner.finish();
			this.reader.mayBeTorn = false;
			// The same line goes on, if only with its end.
			this.reader.lineNumber = lineNumber;
			if (this.tornLine) this.taken -= tornBytes;
		}
		this.tree.settle(this.warnings);
		this.reportUnknownTypes();
	}

	private reportUnknownTypes(): void {
		for (const [type, count] of this.tree.typeCounts()) {
			if (KNOWN_TYPES.has(type) || this.reportedTypes.has(type)) continue;
			this.reportedTypes.add(type);
			const entries = count === 1 ? 'entry' : 'entries';
			this.warnings.push({
				kind: 'unknown-type',
				message: `${count} ${entries} of the unknown type "${type}" kept as they are.`,
			});
		}
	}

	private takeLine(bytes: Uint8Array, start: number, end: number, offset: number): void {
		const { reader } = this;
		const head = reader.entry(bytes, start, end, this.addId);
		if (!head) return;
		if (!('kind' in head)) {
			if (this.tree.stage(head, this.warnings)) this.store.addLine(offset, end - start);
			return;
		}
		this.warnings.push(head);
		if (reader.mayBeTorn) this.tornLine = head;
	}

	/** A session that is not stored yet. */
	static create(storage: SessionStorage, header: SessionHeader): SessionFile {
		const file = new SessionFile(storage, header, new LineReader(storage.location));
		file.headerWritten = false;
		return file;
	}

	/** The session file, for people. */
	get location(): string {
		return this.storage.location;
	}

	/** The version that the file states; 1 where it states none. */
	get version(): number {
		return this.header.version ?? 1;
	}

	/**
	 * Writes entries whose parents are in the tree, in one go, and then takes them over.
	 * @throws ChangedElsewhere where another program has written to the file
	 * @throws UserError where they could not be written: file and tree are as they were
	 */
	async append(entries: readonly SessionEntry[]): Promise<void> {
		const header = this.headerWritten ? [] : [this.header];
		const lines = [...header, ...entries].map((line) => JSON.stringify(line));
		const places = await this.storage.append(lines, !this.headerWritten);
		this.headerWritten = true;
		for (const [index, entry] of entries.entries())
			this.tree.add(entry, places[header.length + index]);
		this.wrote(places);
	}

	/** The line of an entry as it stands in the file; undefined where it cannot be read now. */
	rawLineOf(id: string): Uint8Array | undefined {
		return this.store.rawLineAt(this.tree.placeOf(id) ?? -1);
	}

	/**
	 * Changes the lines of entries, all or none; ids, parents and types must stay.
	 * @param changes by entry; each is given the line that stands in the file
	 * @throws ChangedElsewhere where another program has written to the file
	 * @throws UserError where the file is not ours, or could not be written: it is as it was
	 */
	async changeLines(changes: ReadonlyMap<string, LineEdit['change']>): Promise<void> {
		const { rewrite } = this.storage;
		if (!rewrite || this.version < SESSION_VERSION) throw notRewritten(this.location);
		const edits = [...changes].map(([id, change]) => {
			const place = this.tree.placeOf(id) ?? -1;
			const range = this.store.lineRangeAt(place);
			if (!range) throw notRewritten(this.location);
			return { place, edit: { place: range, change } };
		});
		edits.sort((a, b) => a.place - b.place);
		await rewrite(
			edits.map(({ edit }) => edit),
			(lengths) => {
				const byPlace = edits.map(({ place }, index) => [place, lengths[index] ?? 0] as const);
				this.taken += this.store.takeReplaced(new Map(byPlace));
			},
		);
	}

	/** What the storage keeps of pruned outputs (see `SessionStorage`). */
	get pruning(): Pick<SessionStorage, 'rewrite' | 'originals' | 'overlay'> {
		return this.storage;
	}

	private wrote(places: readonly LinePlace[]): void {
		const last = places.at(-1);
		if (!last) return;
		this.taken = last.offset + last.length + 1;
		this.reader.lineNumber += places.length + Number(this.insideLine);
		this.insideLine = false;
		// It was closed off, and stays as it is.
		this.tornLine = undefined;
	}

	/** True where another program seems to be writing a line just now. */
	get endsInsideLine(): boolean {
		return this.tornLine !== undefined;
	}

	lock(): Promise<() => Promise<void>> {
		return this.storage.lock();
	}
}

function damagedBody(entryId: string): SessionWarning {
	return {
		kind: 'bad-line',
		entryId,
		message: `Entry ${entryId} is damaged and shown as a gap; its line stays in the file.`,
	};
}

function notRewritten(location: string): UserError {
	return new UserError('not-rewritten', `Lines of ${location} cannot be replaced now.`, {
		kept: 'It was not touched.',
		hint: 'Only sessions that Espalier made are rewritten; look whether the file is in its place.',
	});
}

/** Bytes scanned in one go: lines that need a real parse take their time. */
const SLICE_BYTES = 64 << 10;

async function scan(storage: SessionStorage, from: number, scanner: LineScanner): Promise<void> {
	const pause = createYielder();
	for await (const chunk of storage.chunks(from))
		for (let at = 0; at < chunk.length;) {
			at = scanner.push(chunk, at, at + SLICE_BYTES);
			await pause();
		}
}
