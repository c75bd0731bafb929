/** A session in a file: read in chunks, only ever appended to, and never unaware of other writers. */
import {
	closeSync,
	constants,
	fdatasync,
	fstatSync,
	ftruncateSync,
	openSync,
	readSync,
	write,
	writeSync,
} from 'node:fs';
import { mkdir, open, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { LinePlace } from '../session/entry-store.ts';
import {
	ChangedElsewhere,
	linePlaces,
	type FileChange,
	type SessionStorage,
} from '../session/session-storage.ts';
import { UserError } from '../util/errors.ts';
import { lockSession } from './session-lock.ts';

/** Bytes read at a time, into one reused buffer. */
const CHUNK_BYTES = 1 << 20;
/** Buffers not in use: fresh ones cost more in page faults than a small session takes to read. */
const idleBuffers: [Buffer, Buffer][] = [];
/** Bytes read around a line that someone looks at. */
const BLOCK_BYTES = 256 << 10;
/** Up to so many bytes are written at once: handing them to another thread takes longer than writing. */
const WRITTEN_AT_ONCE = 256 << 10;
/** Bytes at the end of the file by which it is known again. */
const TAIL_BYTES = 64;
const NEWLINE = 0x0a;
/** A file that is gone is not made anew without its header, and a new one never lands on another. */
const APPEND = constants.O_RDWR | constants.O_APPEND;
const CREATE = APPEND | constants.O_CREAT | constants.O_EXCL;

/**
 * `synced`: an append resolves when its lines are on the disk, and outlive a power failure. `written`:
 * when the system has them, and they outlive this process.
 */
export type Durability = 'synced' | 'written';

/** What the file looked like when it was last read or written. */
interface Seen {
	inode: number;
	bytes: number;
	/** Its last bytes. */
	tail: Buffer;
}

export class FileSessionStorage implements SessionStorage {
	readonly location: string;
	private readonly durability: Durability;
	private seen: Seen | undefined;
	/** What was read last around a line: lines that are read one after the other lie close together. */
	private block = Buffer.alloc(0);
	private blockOffset = 0;

	constructor(path: string, options: { durability?: Durability } = {}) {
		this.location = path;
		this.durability = options.durability ?? 'synced';
	}

	async *chunks(from: number): AsyncIterable<Uint8Array> {
		const file = await openForReading(this.location);
		const { ino: inode } = await file.stat();
		if (from > 0 && this.seen && this.seen.inode !== inode) {
			await file.close();
			throw new ChangedElsewhere('replaced');
		}
		let tail = this.seen?.bytes === from ? this.seen.tail : Buffer.alloc(0);
		const buffers = idleBuffers.pop() ?? [newBuffer(), newBuffer()];
		// Two buffers: the next chunk is read while the last one is looked at.
		let [current, next] = buffers;
		let at = from;
		let reading = file.read(current, 0, CHUNK_BYTES, at);
		try {
			for (;;) {
				const { bytesRead } = await reading.catch((error: unknown) => {
					throw readError(error, this.location);
				});
				if (bytesRead === 0) return;
				at += bytesRead;
				tail = tailOf(tail, current.subarray(0, bytesRead));
				this.seen = { inode, bytes: at, tail };
				reading = file.read(next, 0, CHUNK_BYTES, at);
				yield current.subarray(0, bytesRead);
				[current, next] = [next, current];
			}
		} finally {
			// Whoever stopped early leaves a read under way, into a buffer that others will use.
			await reading.catch(() => undefined);
			await file.close();
			idleBuffers.push(buffers);
		}
	}

	read(offset: number, length: number): Uint8Array {
		const start = offset - this.blockOffset;
		if (start < 0 || start + length > this.block.length) {
			this.block = readBlock(this.location, offset, Math.max(length, BLOCK_BYTES));
			this.blockOffset = offset;
			return this.block.subarray(0, length);
		}
		return this.block.subarray(start, start + length);
	}

	/**
	 * Appends lines with one write and one fdatasync: a user-visible step costs one sync. A last line
	 * without a newline (a torn write of a crashed tool) is closed off first, so that nothing is glued
	 * to it. Looking at the file and writing to it happen at once, so that little can come between.
	 */
	async append(lines: readonly string[], isNew = false): Promise<LinePlace[]> {
		let file: number | undefined;
		try {
			if (isNew) await mkdir(dirname(this.location), { recursive: true });
			file = openSync(this.location, isNew ? CREATE : APPEND, 0o600);
			const before = this.requireSeen(file, isNew);
			const closing = before.bytes > 0 && before.tail.at(-1) !== NEWLINE ? '\n' : '';
			const text = Buffer.from(closing + lines.map((line) => `${line}\n`).join(''));
			await this.write(file, text, before.bytes);
			const at = findWritten(file, text, before.bytes);
			this.seen = {
				inode: before.inode,
				bytes: at + text.length,
				tail: tailOf(before.tail, text),
			};
			if (isNew && this.durability === 'synced') await syncFolder(this.location);
			return linePlaces(lines, at + closing.length);
		} catch (error) {
			throw error instanceof ChangedElsewhere ? error : writeError(error, this.location);
		} finally {
			if (file !== undefined) closeSync(file);
		}
	}

	async change(): Promise<FileChange> {
		const { seen } = this;
		if (!seen) return 'none';
		const now = await stat(this.location).catch(() => undefined);
		// A file that is gone may come back; the next write says what is wrong.
		if (!now || (now.ino === seen.inode && now.size === seen.bytes)) return 'none';
		return now.ino === seen.inode && now.size > seen.bytes ? 'grown' : 'replaced';
	}

	lock(): Promise<() => Promise<void>> {
		return lockSession(this.location);
	}

	/** What the open file is like, where that is what was last seen of it. */
	private requireSeen(file: number, isNew: boolean): Seen {
		const { ino: inode, size: bytes } = fstatSync(file);
		const { seen } = this;
		const tail = isNew ? Buffer.alloc(0) : readTail(file, bytes);
		if (seen && !isNew) {
			if (seen.inode !== inode || bytes < seen.bytes) throw new ChangedElsewhere('replaced');
			if (bytes > seen.bytes) throw new ChangedElsewhere('grown');
			if (!tail.equals(seen.tail)) throw new ChangedElsewhere('replaced');
		}
		return { inode, bytes, tail };
	}

	/**
	 * Writes all of it, or, where that fails, nothing: what was written is taken back, so that a retry
	 * does not double it; but never another's lines.
	 */
	private async write(file: number, text: Buffer, from: number): Promise<void> {
		let written = 0;
		try {
			while (written < text.length) {
				const rest = text.subarray(written);
				written +=
					rest.length <= WRITTEN_AT_ONCE
						? writeSync(file, rest)
						: (await promisify(write)(file, rest, 0, rest.length, null)).bytesWritten;
			}
			if (this.durability === 'synced') await promisify(fdatasync)(file);
		} catch (error) {
			if (written > 0 && fstatSync(file).size === from + written) ftruncateSync(file, from);
			throw error;
		}
	}
}

/** Where the text lies that was just written: further on, where another program came in between. */
function findWritten(file: number, text: Buffer, expected: number): number {
	const { size } = fstatSync(file);
	if (size === expected + text.length) return expected;
	const written = Buffer.alloc(size - expected);
	readSync(file, written, 0, written.length, expected);
	return expected + Math.max(0, written.indexOf(text));
}

/** A new file outlives a power failure once its folder is on the disk, too. */
async function syncFolder(path: string): Promise<void> {
	let folder: FileHandle | undefined;
	try {
		folder = await open(dirname(path), 'r');
		await folder.sync();
	} catch {
		// Some systems cannot sync a folder; they do not need it either.
	} finally {
		await folder?.close();
	}
}

function readTail(file: number, size: number): Buffer {
	const tail = Buffer.alloc(Math.min(TAIL_BYTES, size));
	readSync(file, tail, 0, tail.length, size - tail.length);
	return tail;
}

function tailOf(before: Buffer, added: Buffer): Buffer {
	if (added.length >= TAIL_BYTES) return Buffer.from(added.subarray(-TAIL_BYTES));
	return Buffer.concat([before, added]).subarray(-TAIL_BYTES);
}

function newBuffer(): Buffer {
	return Buffer.allocUnsafe(CHUNK_BYTES);
}

/** Reads synchronously, since views ask for entries while they draw; a missing file reads as empty. */
function readBlock(path: string, offset: number, length: number): Buffer<ArrayBuffer> {
	const buffer = Buffer.allocUnsafe(length);
	let file: number | undefined;
	try {
		file = openSync(path, 'r');
		return buffer.subarray(0, readSync(file, buffer, 0, length, offset));
	} catch {
		// The entry is then shown as damaged, and the next write says what is wrong with the file.
		return buffer.subarray(0, 0);
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

async function openForReading(path: string): Promise<FileHandle> {
	return open(path, 'r').catch((error: unknown) => {
		throw readError(error, path);
	});
}

function readError(error: unknown, path: string): UserError {
	const { code } = error as NodeJS.ErrnoException;
	const messages: Record<string, string> = {
		ENOENT: `There is no file ${path}.`,
		EISDIR: `${path} is a folder.`,
	};
	return new UserError('unreadable', messages[code ?? ''] ?? `${path} cannot be read (${code}).`, {
		kept: 'Nothing was changed.',
		cause: error,
	});
}

const WRITE_HINTS: Record<string, string> = {
	ENOSPC: 'The disk is full: free some space and try again.',
	EACCES: 'You may not write to it: check its permissions.',
	EPERM: 'You may not write to it: check its permissions.',
	ENOENT: 'It was deleted or moved meanwhile: put it back, or start a new session.',
	EEXIST: 'A file of this name is there already.',
	EROFS: 'It is on a read-only disk: open a copy elsewhere.',
};

function writeError(error: unknown, path: string): UserError {
	const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
	return new UserError('not-written', `Could not write to ${path} (${code}).`, {
		kept: 'The session is as it was before.',
		hint: WRITE_HINTS[code] ?? 'Try again.',
		cause: error,
	});
}
