/**
 * The originals of pruned entries, in a file beside the session: appended to, never rewritten. Each is
 * three lines: which entry and how many bytes, the line itself byte for byte, and the entry once more.
 * What is torn or damaged costs only itself.
 */
import { closeSync, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { open, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { LinePlace } from '../session/entry-store.ts';
import type { OriginalLine, OriginalLines } from '../session/original-lines.ts';
import { UserError } from '../util/errors.ts';
import { keepAccess } from './file-access.ts';
import { syncFolder } from './sync-folder.ts';
import { writeError } from './write-error.ts';

const NEWLINE = 0x0a;
/** Bytes read at a time in search of a line's end. */
const CHUNK_BYTES = 64 << 10;
/** Most of the lines whose end is looked for are no longer. */
const HEADER_BYTES = 256;

/** Where the originals of a session lie: beside its file, under a name that no tool takes for a session. */
export function originalsPath(session: string): string {
	return join(dirname(session), `${basename(session, '.jsonl')}.originals`);
}

export class OriginalsFile implements OriginalLines {
	private readonly session: string;
	private places = new Map<string, LinePlace>();
	/** What `places` were read from: the file, and up to where. */
	private inode: number | undefined;
	private indexed = 0;

	constructor(session: string) {
		this.session = session;
	}

	/** Beside the file itself, where the session is open under the name of a link. */
	private get path(): string {
		try {
			return originalsPath(realpathSync.native(this.session));
		} catch {
			return originalsPath(this.session);
		}
	}

	ids(): Iterable<string> {
		return this.withFile((file) => {
			this.index(file);
			return [...this.places.keys()];
		}, []);
	}

	get(entryId: string): Uint8Array | undefined {
		return this.withFile((file) => {
			this.index(file);
			const place = this.places.get(entryId);
			const line = place && readAt(file, place.offset, place.length);
			return line && line.length === place.length && !line.includes(NEWLINE) ? line : undefined;
		}, undefined);
	}

	async keep(originals: readonly OriginalLine[]): Promise<void> {
		const records: Buffer[] = [];
		const known = new Set(this.ids());
		for (const { entryId, line } of originals)
			if (!known.has(entryId) || !isSame(this.get(entryId), line))
				records.push(...recordOf(entryId, line));
		if (records.length === 0) return;
		const { path } = this;
		try {
			await appendRecords(path, this.session, Buffer.concat(records));
		} catch (error) {
			throw writeError(error, path);
		}
	}

	/** Takes in what was appended since, or all of another file. */
	private index(file: number): void {
		const { ino, size } = fstatSync(file);
		if (ino !== this.inode || size < this.indexed) {
			this.places = new Map();
			this.indexed = 0;
			this.inode = ino;
		}
		while (this.indexed < size) {
			const end = this.indexRecord(file, this.indexed, size) ?? lineEnd(file, this.indexed);
			if (end === undefined) return;
			this.indexed = end;
		}
	}

	/** @returns where the record ends; undefined where none that is whole begins here */
	private indexRecord(file: number, at: number, size: number): number | undefined {
		const offset = lineEnd(file, at);
		if (offset === undefined) return undefined;
		const header = parseHeader(readAt(file, at, offset - at).toString());
		// A damaged length may lie beyond all that a file can hold.
		if (!header || header.bytes > size - offset) return undefined;
		const closing = closingOf(header.entryId);
		const found = readAt(file, offset + header.bytes, closing.length);
		if (!found.equals(closing)) return undefined;
		this.places.set(header.entryId, { offset, length: header.bytes });
		return offset + header.bytes + closing.length;
	}

	private withFile<T>(use: (file: number) => T, without: T): T {
		const { path } = this;
		let file: number | undefined;
		try {
			file = openSync(path, 'r');
			return use(file);
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === 'ENOENT') return without;
			throw new UserError('unreadable', `${path} cannot be read now.`, {
				kept: 'Nothing was changed.',
				hint: 'The originals of pruned outputs are in it: look whether you may read it.',
				cause: error,
			});
		} finally {
			if (file !== undefined) closeSync(file);
		}
	}
}

function recordOf(entryId: string, line: Uint8Array): Buffer[] {
	const header = Buffer.from(`${JSON.stringify({ original: entryId, bytes: line.length })}\n`);
	return [header, Buffer.from(line), closingOf(entryId)];
}

function closingOf(entryId: string): Buffer {
	return Buffer.from(`\n${JSON.stringify({ end: entryId })}\n`);
}

function parseHeader(text: string): { entryId: string; bytes: number } | undefined {
	try {
		const { original, bytes } = JSON.parse(text) as Record<string, unknown>;
		const isSound =
			typeof original === 'string' && Number.isSafeInteger(bytes) && Number(bytes) >= 0;
		return isSound ? { entryId: original, bytes: bytes as number } : undefined;
	} catch {
		return undefined;
	}
}

/** Writes all of it and has it on the disk, or takes back what it wrote. */
async function appendRecords(path: string, session: string, records: Buffer): Promise<void> {
	const isNew = !(await stat(path).catch(() => undefined));
	const file = await open(path, 'a+', 0o600);
	try {
		// The originals are as private as the session; of a copy, there is none yet.
		const access = isNew && (await stat(session).catch(() => undefined));
		if (access) await keepAccess(file, access);
		const { size } = await file.stat();
		const tail = Buffer.alloc(1);
		if (size > 0) await file.read(tail, 0, 1, size - 1);
		// A record that is torn at the end is closed off, so that nothing is glued to it.
		const closing = size > 0 && tail[0] !== NEWLINE ? '\n' : '';
		try {
			await file.writeFile(Buffer.concat([Buffer.from(closing), records]));
			await file.sync();
		} catch (error) {
			await takeBack(file, size, path);
			throw error;
		}
		if (isNew) await syncFolder(path);
	} finally {
		await file.close();
	}
}

function isSame(one: Uint8Array | undefined, other: Uint8Array): boolean {
	return one !== undefined && Buffer.compare(one, other) === 0;
}

/** A torn record that stays, or an empty file, does no harm. */
async function takeBack(file: FileHandle, size: number, path: string): Promise<void> {
	await file.truncate(size).catch(() => undefined);
	if (size === 0) await rm(path, { force: true }).catch(() => undefined);
}

function readAt(file: number, offset: number, length: number): Buffer {
	const buffer = Buffer.alloc(length);
	return buffer.subarray(0, readSync(file, buffer, 0, length, offset));
}

/** Where the line that begins here ends, behind its line end; undefined where it has none. */
function lineEnd(file: number, from: number): number | undefined {
	for (let at = from; ;) {
		const chunk = readAt(file, at, at === from ? HEADER_BYTES : CHUNK_BYTES);
		const found = chunk.indexOf(NEWLINE);
		if (found >= 0) return at + found + 1;
		if (chunk.length === 0) return undefined;
		at += chunk.length;
	}
}
