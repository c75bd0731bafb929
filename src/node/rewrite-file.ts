/**
 * Replaces lines of a file: the whole is written anew beside it and takes its place at once. Whoever is
 * killed meanwhile leaves the old file or the new one. For files that are locked and our own.
 */
import { fstatSync, realpathSync, renameSync, statSync } from 'node:fs';
import { open, readdir, realpath, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ChangedElsewhere, type LineEdit } from '../session/session-storage.ts';
import { createYielder } from '../util/async.ts';
import { UserError } from '../util/errors.ts';
import { keepAccess } from './file-access.ts';
import { isStillThere, tailOf, type FileSight } from './file-sight.ts';
import { saveLateLines } from './late-lines.ts';
import { syncFolder } from './sync-folder.ts';
import { writeError } from './write-error.ts';

/** Bytes copied at a time. */
const PORTION_BYTES = 1 << 20;
const EXTENSION = '.rewrite';

/**
 * Replaces lines. A link stays a link; owner, where we may, and permissions stay.
 * @param edits in the order of their places
 * @param onReplaced called in the moment of the replacement with what the file looks like now, and the
 * lengths of the new lines in bytes; nothing is thrown from then on
 * @throws ChangedElsewhere where the file is not what was last seen of it: it stays as it is
 * @throws UserError where it cannot be replaced: it is as it was before
 */
export async function rewriteFile(
	path: string,
	expected: FileSight,
	edits: readonly LineEdit[],
	onReplaced: (seen: FileSight, lengths: number[]) => void,
): Promise<void> {
	let old: FileHandle | undefined;
	let draft: string | undefined;
	try {
		const real = await realpath(path);
		await removeLeftDrafts(real);
		// Opened for writing, too: what may not be written must not be replaced either.
		old = await open(real, 'r+');
		const before = fstatSync(old.fd);
		requireSeen(old, expected);
		draft = `${real}.${crypto.randomUUID()}${EXTENSION}`;
		const file = await open(draft, 'wx', 0o600);
		let written: { seen: FileSight; lengths: number[] };
		try {
			await keepAccess(file, before);
			written = await copyChanged(old, file, expected.bytes, edits);
			await file.sync();
		} finally {
			await file.close();
		}
		// From this look to the renaming nothing else runs here, and hardly anything elsewhere can come
		// between; what does is found in the old file afterwards.
		requireSeen(old, expected);
		const now = statSync(path);
		const isSame = now.ino === before.ino && now.mtimeMs === before.mtimeMs;
		if (!isSame || realpathSync(path) !== real) throw new ChangedElsewhere('replaced');
		// Windows replaces no file that is open.
		if (process.platform === 'win32') await old.close().finally(() => (old = undefined));
		renameSync(draft, real);
		draft = undefined;
		onReplaced(written.seen, written.lengths);
		const replaced = old;
		old = undefined;
		if (replaced) saveLateLines(replaced, real, expected.bytes, written.seen);
		await syncFolder(real);
	} catch (error) {
		if (error instanceof ChangedElsewhere || error instanceof UserError) throw error;
		throw writeError(error, path);
	} finally {
		await old?.close();
		if (draft !== undefined) await rm(draft, { force: true }).catch(() => undefined);
	}
}

/** Drafts of processes that were killed: the session is locked, so that nobody is writing one. */
async function removeLeftDrafts(path: string): Promise<void> {
	const prefix = `${basename(path)}.`;
	for (const name of await readdir(dirname(path)))
		if (isDraftName(name, prefix)) await rm(join(dirname(path), name), { force: true });
}

function isDraftName(name: string, prefix: string): boolean {
	const isBeside = name.startsWith(prefix) && name.endsWith(EXTENSION);
	return isBeside && /^[0-9a-f-]{36}$/.test(name.slice(prefix.length, -EXTENSION.length));
}

function requireSeen(file: FileHandle, expected: FileSight): void {
	const { ino, size } = fstatSync(file.fd);
	if (ino !== expected.inode || size < expected.bytes) throw new ChangedElsewhere('replaced');
	if (!isStillThere(file.fd, expected)) throw new ChangedElsewhere('replaced');
	if (size > expected.bytes) throw new ChangedElsewhere('grown');
}

/** Copies the first `bytes` bytes with changed lines, in portions, giving the thread away between lines. */
async function copyChanged(
	from: FileHandle,
	to: FileHandle,
	bytes: number,
	edits: readonly LineEdit[],
): Promise<{ seen: FileSight; lengths: number[] }> {
	const pause = createYielder();
	const read = portionReader(from);
	const lengths: number[] = [];
	let waiting: Buffer[] = [];
	let waitingBytes = 0;
	let tail: Buffer = Buffer.alloc(0);
	let written = 0;
	const flush = async () => {
		const portion = Buffer.concat(waiting);
		await to.writeFile(portion);
		tail = tailOf(tail, portion);
		written += portion.length;
		waiting = [];
		waitingBytes = 0;
	};
	const write = async (part: Buffer) => {
		waiting.push(part);
		waitingBytes += part.length;
		if (waitingBytes >= PORTION_BYTES) await flush();
	};
	let at = 0;
	const copyTo = async (end: number) => {
		while (at < end) {
			const part = await read(at, Math.min(PORTION_BYTES, end - at));
			await write(part);
			at += part.length;
		}
	};
	for (const edit of edits) {
		await pause();
		await copyTo(edit.place.offset);
		const line = Buffer.from(edit.change(await read(at, edit.place.length)));
		await write(line);
		lengths.push(line.length);
		at += edit.place.length;
	}
	await copyTo(bytes);
	await flush();
	const { ino: inode, size } = await to.stat();
	if (size !== written) throw new Error(`${size} bytes stand where ${written} were written`);
	return { seen: { inode, bytes: written, tail }, lengths };
}

/** Reads parts that lie one behind the other, a whole portion at a time. */
function portionReader(file: FileHandle): (offset: number, length: number) => Promise<Buffer> {
	let portion: Buffer = Buffer.alloc(0);
	let portionAt = 0;
	return async (offset, length) => {
		const isThere = offset >= portionAt && offset + length <= portionAt + portion.length;
		if (!isThere) {
			portion = await readUpTo(file, offset, Math.max(PORTION_BYTES, length));
			portionAt = offset;
			if (portion.length < length) throw new ChangedElsewhere('replaced');
		}
		return portion.subarray(offset - portionAt, offset - portionAt + length);
	};
}

/** Fewer bytes where the file ends before. */
async function readUpTo(file: FileHandle, offset: number, length: number): Promise<Buffer> {
	const buffer = Buffer.allocUnsafe(length);
	let done = 0;
	while (done < length) {
		const { bytesRead } = await file.read(buffer, done, length - done, offset + done);
		if (bytesRead === 0) break;
		done += bytesRead;
	}
	return buffer.subarray(0, done);
}
