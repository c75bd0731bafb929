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
import { LineHeadReader } from './line-head.ts';
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
	private readonly headReader = new LineHeadReader();

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
		const bytes = this.bytesAt(place);
		const entry = bytes && this.parse(place, bytes);
		// It may be there again when it is asked for next, so that nothing of this is kept.
		if (!entry) return unreadableEntry(this.options.idAt(place) ?? '');
		this.keep(place, entry);
		return entry;
	}

	lineAt(place: number): string | undefined {
		const line = this.rawLineAt(place);
		return line && decodeLine(line);
	}

	/** The bytes of a line; undefined where they cannot be read now. */
	rawLineAt(place: number): Uint8Array | undefined {
		const line = this.bytesAt(place);
		return line && this.isLineOf(place, line) ? line : undefined;
	}

	/** Where a line lies; undefined where there is none, or the file is another one by now. */
	lineRangeAt(place: number): LinePlace | undefined {
		const offset = this.offsets[place];
		const length = this.lengths[place];
		const isKnown = offset !== undefined && length !== undefined && this.options.isCurrent();
		return isKnown ? { offset, length } : undefined;
	}

	/**
	 * Takes over that other lines were put in the place of some: those behind them have moved.
	 * @param lengths the new lengths by place
	 * @returns how many bytes longer the file is now
	 */
	takeReplaced(lengths: ReadonlyMap<number, number>): number {
		let moved = 0;
		for (let place = 0; place < this.offsets.length; place++) {
			this.offsets[place] = (this.offsets[place] ?? 0) + moved;
			const length = lengths.get(place);
			if (length === undefined) continue;
			moved += length - (this.lengths[place] ?? 0);
			this.lengths[place] = length;
		}
		// What was read before is forgotten with the rest of its generation.
		this.young = new Map();
		this.old = new Map();
		this.youngBytes = 0;
		return moved;
	}

	/** The bytes where the line stands; undefined where they cannot be read now. */
	private bytesAt(place: number): Uint8Array | undefined {
		if (!this.options.isCurrent()) return undefined;
		const length = this.lengths[place] ?? 0;
		try {
			const bytes = this.options.storage.read(this.offsets[place] ?? 0, length);
			return bytes.length < length ? undefined : bytes;
		} catch {
			return undefined;
		}
	}

	/** The entry, or a gap; undefined where the bytes are not those of the line that was indexed. */
	private parse(place: number, bytes: Uint8Array): SessionEntry | undefined {
		const { hasIds, idAt, onDamaged } = this.options;
		const value = parseObject(decodeLine(bytes));
		if (value && !hasIds) this.addIds(value, place);
		const head = value && headOfValue(value);
		const entry = head && entryOfValue(value, head);
		const id = idAt(place) ?? '';
		if (entry && entry.id === id) return entry;
		if (head?.id !== id && !this.isLineOf(place, bytes)) return undefined;
		if (!this.damaged.has(place)) {
			this.damaged.add(place);
			onDamaged(id);
		}
		return damagedEntry(id, null);
	}

	/** True where the bytes begin as the line did when it was indexed. */
	private isLineOf(place: number, bytes: Uint8Array): boolean {
		const id = this.options.idAt(place);
		if (this.headReader.read(bytes, 0, bytes.length)) return this.headReader.id === id;
		const value = parseObject(decodeLine(bytes));
		return value !== undefined && headOfValue(value)?.id === id;
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
