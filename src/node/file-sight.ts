/** What a file looked like when it was last read or written, to notice what others do to it. */
import { readSync } from 'node:fs';

export interface FileSight {
	inode: number;
	bytes: number;
	/** Its last bytes. */
	tail: Buffer;
}

/** Bytes at the end of a file by which it is known again. */
const TAIL_BYTES = 64;

/** The tail after more was added. */
export function tailOf(before: Buffer, added: Buffer): Buffer {
	if (added.length >= TAIL_BYTES) return Buffer.from(added.subarray(-TAIL_BYTES));
	return Buffer.concat([before, added]).subarray(-TAIL_BYTES);
}

/** The tail of the first `bytes` bytes of an open file. */
export function readTail(descriptor: number, bytes: number): Buffer {
	const tail = Buffer.alloc(Math.min(TAIL_BYTES, bytes));
	const length = readSync(descriptor, tail, 0, tail.length, bytes - tail.length);
	return tail.subarray(0, length);
}

/** True where what was seen last is in its place, whatever follows it. */
export function isStillThere(descriptor: number, { bytes, tail }: FileSight): boolean {
	const now = readTail(descriptor, bytes);
	return now.subarray(now.length - tail.length).equals(tail);
}
