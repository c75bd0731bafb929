/** Where the tree's entries come from when someone looks at them. */
import type { SessionEntry } from './entries.ts';

export interface EntryStore {
	/** The entry at a place in the tree's order; one that cannot be read is a damaged entry. */
	entryAt(place: number): SessionEntry;
	/** The line as it stands in the file; undefined where there is none. */
	lineAt(place: number): string | undefined;
	/** Takes over the next entry, which was just written; `line` says where. */
	add(entry: SessionEntry, line?: LinePlace): void;
}

/** Where in a file a line lies, in bytes, without its line end. */
export interface LinePlace {
	offset: number;
	length: number;
}

/** Entries that are all in memory. */
export class ArrayEntryStore implements EntryStore {
	private readonly entries: SessionEntry[] = [];

	entryAt(place: number): SessionEntry {
		const entry = this.entries[place];
		if (!entry) throw new RangeError(`There is no entry at place ${place}.`);
		return entry;
	}

	lineAt(): undefined {
		return undefined;
	}

	add(entry: SessionEntry): void {
		this.entries.push(entry);
	}
}
