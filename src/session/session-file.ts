/**
 * Reads a session file: the header, and of each entry only its head; entries are parsed when someone
 * looks at them. Versions 1 and 2 are migrated on the way. The file is never changed.
 */
import { UserError } from '../util/errors.ts';
import { SESSION_VERSION, type SessionEntry, type SessionHeader } from './entries.ts';
import { headOfValue, parseObject, versionOneId, type Json } from './entry-parse.ts';
import type { EntryHead } from './entry-head.ts';
import { FileEntryStore } from './file-entry-store.ts';
import { LineHeadReader } from './line-head.ts';
import { LineScanner } from './line-scan.ts';
import type { SessionStorage } from './session-storage.ts';
import { SessionTree } from './session-tree.ts';

/** Something in the file that was repaired in memory or could not be shown. The file is untouched. */
export interface SessionWarning {
	kind: 'bad-line' | 'unknown-type' | 'missing-parent' | 'cycle' | 'duplicate-id' | 'unknown-kept';
	message: string;
	/** 1-based line in the file, where one line is meant. */
	line?: number;
	entryId?: string;
}

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
	/** False until the header is on disk: a new session's file begins with its first entry. */
	private headerWritten = true;

	private constructor(storage: SessionStorage, header: SessionHeader) {
		this.storage = storage;
		this.header = header;
		this.store = new FileEntryStore({
			storage,
			hasIds: this.version >= 2,
			idAt: (place) => this.tree.idAt(place),
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
			if (file) file.takeLine(reader, bytes, start, end, offset);
			else {
				const header = reader.header(bytes, start, end);
				if (header) file = new SessionFile(storage, header);
			}
		});
		// Waiting for the next chunk gives the thread away.
		for await (const chunk of storage.chunks(0)) scanner.push(chunk);
		scanner.finish();
		if (!file) throw notASession(storage.location);
		file.tree.settle(file.warnings);
		reportUnknownTypes(file.tree, file.warnings);
		return file;
	}

	private takeLine(
		reader: LineReader,
		bytes: Uint8Array,
		start: number,
		end: number,
		offset: number,
	): void {
		const head = reader.entry(bytes, start, end, this.addId);
		if (!head) return;
		if ('kind' in head) this.warnings.push(head);
		else if (this.tree.stage(head, this.warnings)) this.store.addLine(offset, end - start);
	}

	/** A session that is not stored yet. */
	static create(storage: SessionStorage, header: SessionHeader): SessionFile {
		const file = new SessionFile(storage, header);
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
	 * @throws UserError where they could not be written: file and tree are as they were
	 */
	async append(entries: readonly SessionEntry[]): Promise<void> {
		const header = this.headerWritten ? [] : [this.header];
		const lines = [...header, ...entries].map((line) => JSON.stringify(line));
		const places = await this.storage.append(lines, !this.headerWritten);
		this.headerWritten = true;
		for (const [index, entry] of entries.entries()) {
			this.tree.add(entry, places[header.length + index]);
		}
	}
}

/** Reads lines one after the other: their heads from the bytes where possible, else with a real parse. */
class LineReader {
	private readonly location: string;
	private readonly headReader = new LineHeadReader();
	private readonly decoder = new TextDecoder();
	private lineNumber = 0;

	constructor(location: string) {
		this.location = location;
	}

	/**
	 * The header; undefined for a line that may stand before it.
	 * @throws UserError where something else stands there
	 */
	header(bytes: Uint8Array, start: number, end: number): SessionHeader | undefined {
		const value = this.parse(bytes, start, end);
		// oh-my-pi writes a title slot before the header.
		if (value === 'blank' || (value?.type === 'title' && this.lineNumber === 1)) return undefined;
		return readHeader(value, this.location);
	}

	/** The head of an entry's line; undefined where it is blank, a warning where it is damaged. */
	entry(
		bytes: Uint8Array,
		start: number,
		end: number,
		addId: ((value: Json) => void) | undefined,
	): EntryHead | SessionWarning | undefined {
		if (!addId && this.headReader.read(bytes, start, end)) {
			this.lineNumber++;
			return this.headReader;
		}
		const value = this.parse(bytes, start, end);
		if (value === 'blank') return undefined;
		if (value) addId?.(value);
		return (value && headOfValue(value)) ?? damagedLine(this.lineNumber);
	}

	private parse(bytes: Uint8Array, start: number, end: number): Json | 'blank' | undefined {
		this.lineNumber++;
		// Decoding drops a byte order mark.
		const text = this.decoder.decode(bytes.subarray(start, end));
		return text.trim() === '' ? 'blank' : parseObject(text);
	}
}

function readHeader(value: Json | undefined, location: string): SessionHeader {
	if (value?.type !== 'session' || typeof value.id !== 'string') throw notASession(location);
	const version = typeof value.version === 'number' ? value.version : undefined;
	if (version !== undefined && version > SESSION_VERSION)
		throw new UserError(
			'newer-version',
			`${location} was written by a newer tool (session version ${version}).`,
			{ kept: 'Nothing was changed.', hint: 'Update Espalier to open it.' },
		);
	return {
		...value,
		type: 'session',
		id: value.id,
		timestamp: typeof value.timestamp === 'string' ? value.timestamp : '',
		cwd: typeof value.cwd === 'string' ? value.cwd : '',
		...(version === undefined ? {} : { version }),
	};
}

function notASession(location: string): UserError {
	return new UserError('not-a-session', `${location} is not a session file.`, {
		kept: 'Nothing was changed.',
		hint: 'A session file starts with a line of type "session".',
	});
}

function damagedLine(line: number): SessionWarning {
	return {
		kind: 'bad-line',
		line,
		message: `Line ${line} is damaged and cannot be shown; it stays in the file.`,
	};
}

function damagedBody(entryId: string): SessionWarning {
	return {
		kind: 'bad-line',
		entryId,
		message: `Entry ${entryId} is damaged and shown as a gap; its line stays in the file.`,
	};
}

function reportUnknownTypes(tree: SessionTree, warnings: SessionWarning[]): void {
	for (const [type, count] of tree.typeCounts()) {
		if (KNOWN_TYPES.has(type)) continue;
		const entries = count === 1 ? 'entry' : 'entries';
		warnings.push({
			kind: 'unknown-type',
			message: `${count} ${entries} of the unknown type "${type}" kept as they are.`,
		});
	}
}
