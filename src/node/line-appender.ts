/**
 * Appends lines to a file: all of them or none, and only where the file is as it was last seen. Looking
 * and writing happen at once, so that hardly anything can come between.
 */
import {
	closeSync,
	constants,
	fdatasync,
	fstatSync,
	ftruncateSync,
	openSync,
	statSync,
	unlinkSync,
	write,
	writeSync,
	type Stats,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { LinePlace } from '../session/entry-store.ts';
import { ChangedElsewhere, linePlaces } from '../session/session-storage.ts';
import { isStillThere, readTail, tailOf, type FileSight } from './file-sight.ts';
import { syncFolder } from './sync-folder.ts';
import { writeError } from './write-error.ts';

/**
 * `synced`: an append resolves when its lines are on the disk, and outlive a power failure. `written`:
 * when the system has them, and they outlive this process; in a burst of them others are looked out for
 * once a millisecond, else before each.
 */
export type Durability = 'synced' | 'written';

/** A file that is gone is not made anew without its header, and a new one never lands on another. */
const APPEND = constants.O_RDWR | constants.O_APPEND;
const CREATE = APPEND | constants.O_CREAT | constants.O_EXCL;
/** Up to so many bytes are written at once: handing them to another thread takes longer than writing. */
const WRITTEN_AT_ONCE = 256 << 10;
/** How often at most, in ms, the file is looked at where lines are only handed to the system. */
const LOOK_EVERY = 1;
/** How long, in ms, the file stays open after an append: opening takes longer than writing a line. */
const KEPT_OPEN = 1000;
const NEWLINE = 0x0a;

/** How an open file ended before an append. */
type Ending = Pick<FileSight, 'bytes' | 'tail'>;

interface Found {
	file: OpenFile;
	before: Ending;
}

interface OpenFile {
	descriptor: number;
	inode: number;
	/** Appends under way. */
	uses: number;
}

export class LineAppender {
	private readonly path: string;
	private readonly durability: Durability;
	private kept: OpenFile | undefined;
	private closing: ReturnType<typeof setTimeout> | undefined;
	private usedAt = 0;
	private lookedAt = -Infinity;

	constructor(path: string, durability: Durability) {
		this.path = path;
		this.durability = durability;
	}

	/**
	 * Appends lines with one write and at most one fdatasync. A last line without a newline (a torn write
	 * of a crashed tool) is closed off first, so that nothing is glued to it.
	 * @param expected what the file must look like; undefined where nobody has looked at it
	 * @throws ChangedElsewhere where it does not: nothing is written
	 * @throws UserError where it cannot be written: it is as it was before
	 */
	async append(
		lines: readonly string[],
		expected: FileSight | 'new' | undefined,
	): Promise<{ places: LinePlace[]; seen: FileSight }> {
		let file: OpenFile | undefined;
		try {
			if (expected === 'new') await mkdir(dirname(this.path), { recursive: true });
			const found = expected === 'new' ? this.create() : this.look(expected);
			file = found.file;
			file.uses++;
			const { before } = found;
			const closing = before.bytes > 0 && before.tail.at(-1) !== NEWLINE ? '\n' : '';
			const text = Buffer.from(closing + lines.map((line) => `${line}\n`).join(''));
			const writing = this.write(file, text, before.bytes);
			if (writing) await writing;
			if (expected === 'new' && this.durability === 'synced') await syncFolder(this.path);
			return {
				places: linePlaces(
					lines.map((line) => Buffer.byteLength(line)),
					before.bytes + closing.length,
				),
				seen: {
					inode: file.inode,
					bytes: before.bytes + text.length,
					tail: tailOf(before.tail, text),
				},
			};
		} catch (error) {
			if (file && expected === 'new') unlinkSync(this.path);
			this.forget();
			throw error instanceof ChangedElsewhere ? error : writeError(error, this.path);
		} finally {
			if (file) this.done(file);
		}
	}

	/** Closes the file that is kept open: another one is about to take its place. */
	release(): void {
		this.forget();
	}

	private create(): Found {
		const descriptor = openSync(this.path, CREATE, 0o600);
		const file = this.keep({ descriptor, inode: fstatSync(descriptor).ino, uses: 0 });
		return { file, before: NOTHING };
	}

	/** Opens the file where need be, and makes sure that it is what was last seen of it. */
	private look(expected: FileSight | undefined): Found {
		const { kept } = this;
		const isBurst = this.durability === 'written' && performance.now() - this.lookedAt < LOOK_EVERY;
		if (isBurst && kept && kept.inode === expected?.inode) return { file: kept, before: expected };
		// A file of this name may be another one by now than the one that is open.
		const now = statSync(this.path);
		const file = this.open(now.ino, expected);
		const before = sightOf(file, now, expected);
		this.lookedAt = performance.now();
		return { file, before };
	}

	private open(inode: number, expected: FileSight | undefined): OpenFile {
		if (this.kept?.inode === inode) return this.kept;
		const descriptor = openSync(this.path, APPEND);
		const file = this.keep({ descriptor, inode: fstatSync(descriptor).ino, uses: 0 });
		const isSame = file.inode === inode && (!expected || isStillThere(descriptor, expected));
		if (!isSame) throw new ChangedElsewhere('replaced');
		return file;
	}

	private keep(file: OpenFile): OpenFile {
		this.forget();
		this.kept = file;
		return file;
	}

	private forget(): void {
		const { kept } = this;
		this.kept = undefined;
		if (kept?.uses === 0) closeSync(kept.descriptor);
	}

	private done(file: OpenFile): void {
		file.uses--;
		if (file !== this.kept) {
			if (file.uses === 0) closeSync(file.descriptor);
			return;
		}
		this.usedAt = performance.now();
		this.closing ??= setTimeout(() => this.closeIfIdle(), KEPT_OPEN).unref();
	}

	private closeIfIdle(): void {
		this.closing = undefined;
		const { kept } = this;
		if (!kept) return;
		const idle = performance.now() - this.usedAt;
		if (kept.uses > 0 || idle < KEPT_OPEN)
			this.closing = setTimeout(() => this.closeIfIdle(), KEPT_OPEN).unref();
		else {
			closeSync(kept.descriptor);
			this.kept = undefined;
		}
	}

	/**
	 * Writes all of it or, where that fails, nothing: what was written is taken back, so that a retry does
	 * not double it; but never another's lines.
	 * @returns undefined where all is done already
	 */
	private write({ descriptor }: OpenFile, text: Buffer, from: number): Promise<void> | undefined {
		let written = 0;
		const takeBack = (error: unknown): never => {
			if (written > 0 && fstatSync(descriptor).size === from + written)
				ftruncateSync(descriptor, from);
			throw error;
		};
		if (text.length > WRITTEN_AT_ONCE) {
			const writeMore = async (): Promise<void> => {
				const left = text.length - written;
				const { bytesWritten } = await promisify(write)(descriptor, text, written, left, null);
				written += bytesWritten;
				await (written < text.length ? writeMore() : this.settle(descriptor));
			};
			return writeMore().catch(takeBack);
		}
		try {
			while (written < text.length) written += writeSync(descriptor, text, written);
		} catch (error) {
			takeBack(error);
		}
		return this.settle(descriptor)?.catch(takeBack);
	}

	private settle(descriptor: number): Promise<void> | undefined {
		return this.durability === 'synced' ? promisify(fdatasync)(descriptor) : undefined;
	}
}

const NOTHING: Ending = { bytes: 0, tail: Buffer.alloc(0) };

/**
 * Behind what an append will write, where the file is what was last seen of it. What another program
 * writes between this look and the write is noticed at the next look.
 */
function sightOf(
	{ descriptor }: OpenFile,
	{ ino, size: bytes }: Stats,
	expected: FileSight | undefined,
): Ending {
	if (!expected) return { bytes, tail: readTail(descriptor, bytes) };
	if (expected.inode !== ino || bytes < expected.bytes) throw new ChangedElsewhere('replaced');
	if (bytes > expected.bytes) throw new ChangedElsewhere('grown');
	return expected;
}
