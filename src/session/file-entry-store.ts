/** Entries that lie in a file: read and parsed when looked at, the last ones looked at kept. */
import type { SessionEntry } from './entries.ts';
import {
	damagedEntry,
	entryOfValue,
	headOfValue,
	migrateKeptIndex,
	parseObject,
	unreadableEntry,
	type Json,
} from './entry-parse.ts';
import { decodeLine } from './line-reader.ts';
import type { EntryStore, LinePlace } from './entry-store.ts';
import type { SessionStorage } from './session-storage.ts';

/** Bytes of lines whose entries make up a generation; two of them are kept in memory. */
const GENERATION_BYTES = 4 << 20;

export interface FileEntryStoreOptions {
	storage: SessionStorage;
	/** Version 1 lines hold no ids; they are known by place. */
	hasIds: boolean;
	idAt: (place: number) => string | undefined;
	/** False once the file is not the one whose lines these are: nothing is read from it then. */
	isCurrent: () => boolean;
	/** Called once for each entry that turns out to be damaged behind its head. */
	onDamaged: (entryId: string) => void;
}

export class FileEntryStore implements EntryStore {
	private readonly options: FileEntryStoreOptions;
	private readonly offsets: number[] = [];
	private readonly lengths: number[] = [];
	/** Entries by place: those used lately, and those used before them, which are forgotten together. */
	private young = new Map<number, SessionEntry>();
	private old: ReadonlyMap<number, SessionEntry> = new Map();
	private youngBytes = 0;
	private readonly damaged = new Set<number>();

	constructor(options: FileEntryStoreOptions) {
		this.options = options;
	}

	/** Takes over the next entry's line as found in the file. */
	addLine(offset: number, length: number): void {
		this.offsets.push(offset);
		this.lengths.push(length);
	}

	add(entry: SessionEntry, line: LinePlace): void {
		this.addLine(line.offset, line.length);
		this.keep(this.offsets.length - 1, entry);
	}

	entryAt(place: number): SessionEntry {
		const young = this.young.get(place);
		if (young) return young;
		const known = this.old.get(place);
		if (known) {
			this.keep(place, known);
			return known;
		}
		const text = this.lineAt(place);
		// It may be there again when it is asked for next, so that nothing of this is kept.
		if (text === undefined) return unreadableEntry(this.options.idAt(place) ?? '');
		const entry = this.parse(place, text);
		this.keep(place, entry);
		return entry;
	}

	/** The line; undefined where it cannot be read now. */
	lineAt(place: number): string | undefined {
		if (!this.options.isCurrent()) return undefined;
		const length = this.lengths[place] ?? 0;
		try {
			const bytes = this.options.storage.read(this.offsets[place] ?? 0, length);
			return bytes.length < length ? undefined : decodeLine(bytes);
		} catch {
			return undefined;
		}
	}

	private parse(place: number, text: string): SessionEntry {
		const { hasIds, idAt, onDamaged } = this.options;
		const value = parseObject(text);
		if (value && !hasIds) this.addIds(value, place);
		const head = value && headOfValue(value);
		const entry = head && entryOfValue(value, head);
		const id = idAt(place) ?? '';
		// Another line than the one that was indexed: the file was changed under us.
		if (entry && entry.id === id) return entry;
		if (!this.damaged.has(place)) {
			this.damaged.add(place);
			onDamaged(id);
		}
		return damagedEntry(id, null);
	}

	private addIds(value: Json, place: number): void {
		const { idAt } = this.options;
		value.id = idAt(place);
		value.parentId = idAt(place - 1) ?? null;
		migrateKeptIndex(value, idAt);
	}

	private keep(place: number, entry: SessionEntry): void {
		if (this.youngBytes >= GENERATION_BYTES) {
			this.old = this.young;
			this.young = new Map();
			this.youngBytes = 0;
		}
		this.young.set(place, entry);
		this.youngBytes += this.lengths[place] ?? 0;
	}
}
