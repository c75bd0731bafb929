/** What a file looked like when it was last read or written, to notice what others do to it. */

export interface FileSight {
	inode: number;
	bytes: number;
	/** Its last bytes. */
	tail: Buffer;
}

/** Bytes at the end of a file by which it is known again. */
export const TAIL_BYTES = 64;

/** The tail after more was added. */
export function tailOf(before: Buffer, added: Buffer): Buffer {
	if (added.length >= TAIL_BYTES) return Buffer.from(added.subarray(-TAIL_BYTES));
	return Buffer.concat([before, added]).subarray(-TAIL_BYTES);
}
