/**
 * Lines that another program wrote to a file while a new one took its place: it had opened the old one
 * just before. They are found there and appended to the new one.
 */
import {
	closeSync,
	constants,
	fdatasyncSync,
	fstatSync,
	ftruncateSync,
	openSync,
	readSync,
	writeSync,
} from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { readTail, type FileSight } from './file-sight.ts';

const NEWLINE = 0x0a;
/** How often, in ms, and how many times the old file is looked at after the first look. */
const LOOK_EVERY = 1_000;
const LOOKS = 30;

/**
 * Looks at once and, in the background, for a while. The lines come as if another program had appended
 * them to the new file just now.
 * @param old the file that was replaced, open; it is closed in the end
 * @param bytes its size when it was copied
 * @param replacement what took its place
 */
export function saveLateLines(
	old: FileHandle,
	path: string,
	bytes: number,
	replacement: FileSight,
): void {
	let taken = bytes;
	/** True where all of it is in the new file. */
	const look = (isLast: boolean): boolean => {
		try {
			const { size } = fstatSync(old.fd);
			if (size <= taken) return true;
			const found = Buffer.alloc(size - taken);
			const late = found.subarray(0, readSync(old.fd, found, 0, found.length, taken));
			// A line that is still being written waits for its end.
			const end = isLast ? late.length : late.lastIndexOf(NEWLINE) + 1;
			if (end > 0) append(path, late.subarray(0, end), replacement);
			taken += end;
			return taken === size;
		} catch {
			// As on a full disk: it stays in the old file, and is tried again.
			return false;
		}
	};
	const lookLater = (looks: number) =>
		setTimeout(() => {
			if (look(looks >= LOOKS) && looks >= LOOKS) void old.close();
			else lookLater(looks + 1);
		}, LOOK_EVERY).unref();
	look(false);
	lookLater(1);
}

/** Appends all of it or nothing. */
function append(path: string, lines: Buffer, replacement: FileSight): void {
	// Not made anew where it was moved away: then it is tried again.
	const file = openSync(path, constants.O_RDWR | constants.O_APPEND);
	const { size } = fstatSync(file);
	try {
		// Unless they go on with the line that the file ended in when it was copied.
		const isTorn = size !== replacement.bytes && readTail(file, size).at(-1) !== NEWLINE;
		const text = isTorn ? Buffer.concat([Buffer.from('\n'), lines]) : lines;
		for (let done = 0; done < text.length;) done += writeSync(file, text, done);
		fdatasyncSync(file);
	} catch (error) {
		ftruncateSync(file, size);
		throw error;
	} finally {
		closeSync(file);
	}
}
