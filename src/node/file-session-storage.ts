/**
 * A session in a file: read in chunks, appended to, and never unaware of other writers. Lines are
 * replaced in our own files alone.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import type { LinePlace } from '../session/entry-store.ts';
import type { PruneOverlay } from '../session/prune-overlay.ts';
import {
	ChangedElsewhere,
	type FileChange,
	type LineEdit,
	type SessionStorage,
} from '../session/session-storage.ts';
import { UserError } from '../util/errors.ts';
import { isStillThere, tailOf, type FileSight } from './file-sight.ts';
import { LineAppender, type Durability } from './line-appender.ts';
import { OriginalsFile } from './originals-file.ts';
import { rewriteFile } from './rewrite-file.ts';
import { lockSession } from './session-lock.ts';

/** Bytes read at a time, into one reused buffer. */
const CHUNK_BYTES = 1 << 20;
/** Buffers not in use: fresh ones cost more in page faults than a small session takes to read. */
const idleBuffers: [Buffer, Buffer][] = [];
/** Bytes read around a line that someone looks at. */
const BLOCK_BYTES = 256 << 10;

export interface FileSessionOptions {
	durability?: Durability;
	/** True for a file in our own folder: its lines may be replaced, while it is locked. */
	own?: boolean;
	/** Where it is kept what is pruned in a file that is not our own. */
	overlay?: PruneOverlay | undefined;
}

export class FileSessionStorage implements SessionStorage {
	readonly location: string;
	readonly originals: OriginalsFile;
	readonly overlay: PruneOverlay | undefined;
	readonly rewrite: SessionStorage['rewrite'];
	private readonly appender: LineAppender;
	private seen: FileSight | undefined;
	/** What was read last around a line: lines that are read one after the other lie close together. */
	private block = Buffer.alloc(0);
	private blockOffset = 0;

	constructor(path: string, options: FileSessionOptions = {}) {
		this.location = path;
		this.appender = new LineAppender(path, options.durability ?? 'synced');
		this.originals = new OriginalsFile(path);
		this.overlay = options.overlay;
		if (options.own) this.rewrite = (edits, onReplaced) => this.rewriteLines(edits, onReplaced);
	}

	async *chunks(from: number): AsyncIterable<Uint8Array> {
		const file = await openForReading(this.location);
		const { ino: inode } = await file.stat();
		// It may be another file by now, with other bytes at the same places.
		if (from === 0) this.block = Buffer.alloc(0);
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
		const isKnown =
			offset >= this.blockOffset && offset + length <= this.blockOffset + this.block.length;
		if (!isKnown) this.readBlockAround(offset, length);
		const start = offset - this.blockOffset;
		return this.block.subarray(start, start + length);
	}

	/** Whoever walks back, as from a leaf to its root, needs what lies before a line next. */
	private readBlockAround(offset: number, length: number): void {
		const bytes = Math.max(length, BLOCK_BYTES);
		const walksBack = offset < this.blockOffset;
		const from = walksBack ? Math.max(0, offset + length - bytes) : offset;
		this.block = readBlock(this.location, this.seen?.inode, from, bytes);
		this.blockOffset = from;
	}

	async append(lines: readonly string[], isNew = false): Promise<LinePlace[]> {
		const { places, seen } = await this.appender.append(lines, isNew ? 'new' : this.seen);
		this.seen = seen;
		return places;
	}

	async change(): Promise<FileChange> {
		const { seen } = this;
		if (!seen) return 'none';
		const file = await open(this.location, 'r').catch(() => undefined);
		// A file that is gone may come back; the next write says what is wrong.
		if (!file) return 'none';
		try {
			const { ino, size } = await file.stat();
			if (ino !== seen.inode || size < seen.bytes) return 'replaced';
			if (!isStillThere(file.fd, seen)) return 'replaced';
			return size > seen.bytes ? 'grown' : 'none';
		} finally {
			await file.close();
		}
	}

	private async rewriteLines(
		edits: readonly LineEdit[],
		onReplaced: (lengths: number[]) => void,
	): Promise<void> {
		if (!this.seen) throw new ChangedElsewhere('replaced');
		this.appender.release();
		await rewriteFile(this.location, this.seen, edits, (seen, lengths) => {
			this.seen = seen;
			this.block = Buffer.alloc(0);
			onReplaced(lengths);
		});
	}

	lock(): Promise<() => Promise<void>> {
		return lockSession(this.location);
	}
}

function newBuffer(): Buffer {
	return Buffer.allocUnsafe(CHUNK_BYTES);
}

/**
 * Reads synchronously, since views ask for entries while they draw.
 * @throws UserError where the file cannot be read now, or is not the one that was read before
 */
function readBlock(
	path: string,
	inode: number | undefined,
	offset: number,
	length: number,
): Buffer<ArrayBuffer> {
	const buffer = Buffer.allocUnsafe(length);
	let file: number | undefined;
	try {
		file = openSync(path, 'r');
		const isSame = inode === undefined || fstatSync(file).ino === inode;
		if (isSame) return buffer.subarray(0, readSync(file, buffer, 0, length, offset));
	} catch (error) {
		throw readError(error, path);
	} finally {
		if (file !== undefined) closeSync(file);
	}
	throw new UserError('unreadable', `Another file stands at ${path} now.`);
}

async function openForReading(path: string): Promise<FileHandle> {
	try {
		// Opening a pipe would wait for its other end.
		const found = await stat(path);
		if (found.isFile()) return await open(path, 'r');
	} catch (error) {
		throw readError(error, path);
	}
	throw new UserError('unreadable', `${path} is no plain file.`, { kept: 'Nothing was changed.' });
}

function readError(error: unknown, path: string): UserError {
	const { code } = error as NodeJS.ErrnoException;
	const messages: Record<string, string> = {
		ENOENT: `There is no file ${path}.`,
	};
	return new UserError('unreadable', messages[code ?? ''] ?? `${path} cannot be read (${code}).`, {
		kept: 'Nothing was changed.',
		cause: error,
	});
}
