/** The storage port of a session: where its bytes are read from and its lines appended to. */
import type { LinePlace } from './entry-store.ts';
import type { OriginalLines } from './original-lines.ts';
import type { PruneOverlay } from './prune-overlay.ts';

export interface SessionStorage {
	/** Where the session lives, for people: a path. */
	readonly location: string;
	/**
	 * The stored bytes from an offset on, in order. Each chunk is valid only until the next is asked for.
	 * @throws UserError where they cannot be read
	 */
	chunks(from: number): AsyncIterable<Uint8Array>;
	/**
	 * The bytes of one line, at once: lines are small, and views ask for entries while they draw. Fewer
	 * bytes, perhaps none, where the file has become shorter.
	 * @throws UserError where the file cannot be read now
	 */
	read(offset: number, length: number): Uint8Array;
	/**
	 * Appends whole lines and resolves with where they lie once they are on disk. On failure the file is
	 * as it was before.
	 * @param isNew the lines begin a file that must not exist yet; else it must, as it was last seen
	 * @throws ChangedElsewhere where the file is not as it was last read or written: nothing is written
	 * @throws UserError with what happened and what to do
	 */
	append(lines: readonly string[], isNew?: boolean): Promise<LinePlace[]>;
	/** What others have done to the file since it was last read or written. */
	change(): Promise<FileChange>;
	/**
	 * Keeps other windows from working on the session until the returned function is called.
	 * @throws UserError('locked') where one does already
	 */
	lock(): Promise<() => Promise<void>>;
	/**
	 * Puts other lines in the place of some, all of them or none. Set for our own files alone: any other
	 * is only ever appended to.
	 * @param edits in the order of their places
	 * @param onReplaced called at the moment when the new lines have their place, with their lengths in
	 * bytes; nothing is thrown from then on
	 * @throws ChangedElsewhere where the file is not as it was last read or written: it stays as it is
	 * @throws UserError with what happened and what to do; the file is as it was before
	 */
	readonly rewrite?:
		| ((edits: readonly LineEdit[], onReplaced: (lengths: number[]) => void) => Promise<void>)
		| undefined;
	/** Lines of pruned entries as they were before; kept beside the file, and moved with it. */
	readonly originals?: OriginalLines | undefined;
	/** Where it is kept what is pruned in a file that must stay as it is. */
	readonly overlay?: PruneOverlay | undefined;
}

/** A line that another one is to take the place of. */
export interface LineEdit {
	place: LinePlace;
	/**
	 * The line for this place; is given the one that stands there.
	 * @throws where it cannot be made: then nothing is replaced
	 */
	change(line: Uint8Array): Uint8Array;
}

/** `grown` means appended to; `replaced` that what was read stands there no more. */
export type FileChange = 'none' | 'grown' | 'replaced';

/** An append that was not made, since somebody else has written to the file. */
export class ChangedElsewhere extends Error {
	readonly change: Exclude<FileChange, 'none'>;

	constructor(change: Exclude<FileChange, 'none'>) {
		super(`The file was ${change} by another program.`);
		this.change = change;
	}
}

/** A session that lives in memory: for tests and for dry runs. */
export class MemorySessionStorage implements SessionStorage {
	readonly location: string;
	readonly lines: string[] = [];
	private bytes = new Uint8Array();

	constructor(lines: readonly string[] = [], location = '(in memory)') {
		this.location = location;
		this.add(lines);
	}

	async *chunks(from: number): AsyncIterable<Uint8Array> {
		if (from < this.bytes.length) yield Promise.resolve(this.bytes.subarray(from));
	}

	read(offset: number, length: number): Uint8Array {
		return this.bytes.subarray(offset, offset + length);
	}

	append(lines: readonly string[]): Promise<LinePlace[]> {
		return Promise.resolve(this.add(lines));
	}

	change(): Promise<FileChange> {
		return Promise.resolve('none');
	}

	lock(): Promise<() => Promise<void>> {
		return Promise.resolve(() => Promise.resolve());
	}

	private add(lines: readonly string[]): LinePlace[] {
		const encoder = new TextEncoder();
		const added = encoder.encode(lines.map((line) => `${line}\n`).join(''));
		const lengths = lines.map((line) => encoder.encode(line).length);
		const places = linePlaces(lengths, this.bytes.length);
		const bytes = new Uint8Array(this.bytes.length + added.length);
		bytes.set(this.bytes);
		bytes.set(added, this.bytes.length);
		this.bytes = bytes;
		this.lines.push(...lines);
		return places;
	}
}

/** Where lines of these lengths, in bytes, lie that are written one below the other from an offset on. */
export function linePlaces(lengths: readonly number[], from: number): LinePlace[] {
	let offset = from;
	return lengths.map((length) => {
		const place = { offset, length };
		offset += length + 1;
		return place;
	});
}
