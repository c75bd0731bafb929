/** A session in a file: read in chunks, only ever appended to. */
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SessionStorage } from '../session/session-storage.ts';
import { UserError } from '../util/errors.ts';

/** Bytes read at a time, into one reused buffer. */
const CHUNK_BYTES = 1 << 20;
const NEWLINE = 0x0a;

export class FileSessionStorage implements SessionStorage {
	readonly location: string;

	constructor(path: string) {
		this.location = path;
	}

	async *readLines(): AsyncIterable<string[]> {
		const file = await openForReading(this.location);
		try {
			const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
			let rest: Buffer[] = [];
			for (;;) {
				const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null);
				if (bytesRead === 0) break;
				const chunk = buffer.subarray(0, bytesRead);
				const end = chunk.lastIndexOf(NEWLINE);
				if (end >= 0) {
					rest.push(chunk.subarray(0, end));
					yield Buffer.concat(rest).toString('utf8').split('\n');
					rest = [];
				}
				// Copied: the buffer is read into again.
				rest.push(Buffer.from(chunk.subarray(end + 1)));
			}
			const last = Buffer.concat(rest).toString('utf8');
			if (last !== '') yield [last];
		} finally {
			await file.close();
		}
	}

	/**
	 * Appends lines with one write and one fdatasync: a user-visible step costs one sync. A last line
	 * without a newline (a torn write of a crashed tool) is closed off first, so that nothing is glued
	 * to it.
	 */
	async append(lines: readonly string[]): Promise<void> {
		let file: FileHandle | undefined;
		let size: number | undefined;
		try {
			await mkdir(dirname(this.location), { recursive: true });
			file = await open(this.location, 'a+');
			size = (await file.stat()).size;
			const text = lines.map((line) => `${line}\n`).join('');
			await file.appendFile((await endsInsideLine(file, size)) ? `\n${text}` : text);
			await file.datasync();
		} catch (error) {
			// Take back what was written of the lines, so that a retry does not double them.
			if (file && size !== undefined) await file.truncate(size).catch(() => undefined);
			throw writeError(error, this.location);
		} finally {
			await file?.close();
		}
	}
}

async function openForReading(path: string): Promise<FileHandle> {
	try {
		return await open(path, 'r');
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw new UserError(
			'unreadable',
			code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read (${code}).`,
			{ cause: error },
		);
	}
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
