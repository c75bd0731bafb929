/** Byte pair encoding, counting only: how many tokens the bytes of a piece of text become. */
import { NO_RANK, type TokenTable } from './token-table.ts';

/**
 * Pieces are cut after so many bytes, for the merge looks at all of them for each token. Hardly any
 * text between two natural breaks is as long.
 */
const MAXIMUM_BYTES = 384;

const starts = new Int32Array(MAXIMUM_BYTES + 1);
const ranks = new Int32Array(MAXIMUM_BYTES + 1);

/** How many tokens the first `length` bytes become. Linear in their number. */
export function countBytePairs(bytes: Uint8Array, length: number, table: TokenTable): number {
	if (table.rankOf(bytes, 0, length) !== NO_RANK) return 1;
	let tokens = 0;
	for (let start = 0; start < length;) {
		const end = cutBefore(bytes, start + MAXIMUM_BYTES, length);
		tokens += countMerged(bytes, start, end, table);
		start = end;
	}
	return tokens;
}

/** The last place up to `end` where a character begins. */
function cutBefore(bytes: Uint8Array, end: number, length: number): number {
	if (end >= length) return length;
	let at = end;
	while (((bytes[at] ?? 0) & 0xc0) === 0x80) at--;
	return at;
}

/** Merges the neighbours of lowest rank, from the left, until none are left that make a token. */
function countMerged(bytes: Uint8Array, start: number, end: number, table: TokenTable): number {
	let count = end - start;
	for (let i = 0; i <= count; i++) {
		starts[i] = start + i;
		ranks[i] = i + 2 <= count ? table.rankOf(bytes, start + i, start + i + 2) : NO_RANK;
	}
	for (;;) {
		let lowest = NO_RANK;
		for (let i = 0; i < count; i++) lowest = Math.min(lowest, ranks[i] ?? NO_RANK);
		if (lowest === NO_RANK) return count;
		count = mergeAll(bytes, count, lowest, table);
	}
}

/**
 * Merges all neighbours of this rank in one pass, moving the parts together; ends early where a merge
 * makes a pair that comes before the rest. @returns how many parts there are then
 */
function mergeAll(bytes: Uint8Array, count: number, rank: number, table: TokenTable): number {
	let write = 0;
	let isDone = false;
	for (let read = 0; read < count; write++) {
		const partStart = starts[read] ?? 0;
		starts[write] = partStart;
		if (isDone || ranks[read] !== rank) {
			ranks[write] = ranks[read++] ?? NO_RANK;
			continue;
		}
		read += 2;
		const withNext = read < count ? table.rankOf(bytes, partStart, starts[read + 1] ?? 0) : NO_RANK;
		const withPrevious =
			write > 0 ? table.rankOf(bytes, starts[write - 1] ?? 0, starts[read] ?? 0) : NO_RANK;
		ranks[write] = withNext;
		if (write > 0) ranks[write - 1] = withPrevious;
		isDone = withNext <= rank || withPrevious <= rank;
	}
	starts[write] = starts[count] ?? 0;
	return write;
}
