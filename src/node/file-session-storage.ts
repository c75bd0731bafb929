/** A session in a file: read in chunks, only ever appended to. */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LinePlace } from '../session/entry-store.ts';
import { linePlaces, type SessionStorage } from '../session/session-storage.ts';
import { UserError } from '../util/errors.ts';

/** Bytes read at a time, into one reused buffer. */
const CHUNK_BYTES = 1 << 20;
/** Buffers not in use: fresh ones cost more in page faults than a small session takes to read. */
const idleBuffers: [Buffer, Buffer][] = [];
/** Bytes read around a line that someone looks at. */
const BLOCK_BYTES = 256 << 10;
const NEWLINE = 0x0a;
/** A file that is gone is not made anew without its header, and a new one never lands on another. */
const APPEND = constants.O_RDWR | constants.O_APPEND;
const CREATE = APPEND | constants.O_CREAT | constants.O_EXCL;

export class FileSessionStorage implements SessionStorage {
	readonly location: string;
	/** What was read last around a line: lines that are read one after the other lie close together. */
	private block = Buffer.alloc(0);
	private blockOffset = 0;

	constructor(path: string) {
		this.location = path;
	}

	async *chunks(from: number): AsyncIterable<Uint8Array> {
		const file = await openForReading(this.location);
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
	 * to it.
	 */
	async append(lines: readonly string[], isNew = false): Promise<LinePlace[]> {
		let file: FileHandle | undefined;
		let written: { from: number; to: number } | undefined;
		try {
			if (isNew) await mkdir(dirname(this.location), { recursive: true });
			file = await open(this.location, isNew ? CREATE : APPEND, 0o600);
			const { size } = await file.stat();
			const closing = (await endsInsideLine(file, size)) ? '\n' : '';
			const text = Buffer.from(closing + lines.map((line) => `${line}\n`).join(''));
			written = { from: size, to: size + text.length };
			await file.appendFile(text);
			await file.datasync();
			return linePlaces(lines, size + closing.length);
		} catch (error) {
			if (file && written) await takeBack(file, written);
			throw writeError(error, this.location);
		} finally {
			await file?.close();
		}
	}
}

/** Takes back what was written of lines, so that a retry does not double them; never another's lines. */
async function takeBack(file: FileHandle, { from, to }: { from: number; to: number }) {
	const now = await file.stat().catch(() => undefined);
	if (now && now.size <= to) await file.truncate(from).catch(() => undefined);
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

async function endsInsideLine(file: FileHandle, size: number): Promise<boolean> {
	if (size === 0) return false;
	const last = Buffer.alloc(1);
	await file.read(last, 0, 1, size - 1);
	return last[0] !== NEWLINE;
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
