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

/** Merges the neighbours of lowest rank until none are left that make a token. */
function countMerged(bytes: Uint8Array, start: number, end: number, table: TokenTable): number {
	let count = end - start;
	for (let i = 0; i <= count; i++) {
		starts[i] = start + i;
		ranks[i] = i + 2 <= count ? table.rankOf(bytes, start + i, start + i + 2) : NO_RANK;
	}
	for (;;) {
		let lowest = NO_RANK;
		let at = -1;
		for (let i = 0; i < count - 1; i++) {
			const rank = ranks[i] ?? NO_RANK;
			if (rank < lowest) {
				lowest = rank;
				at = i;
			}
		}
		if (at < 0) return count;
		for (let i = at + 1; i < count; i++) {
			starts[i] = starts[i + 1] ?? 0;
			ranks[i] = ranks[i + 1] ?? NO_RANK;
		}
		count--;
		ranks[at] = rankOfPair(bytes, at, count, table);
		if (at > 0) ranks[at - 1] = rankOfPair(bytes, at - 1, count, table);
	}
}

/** The rank of what the part at `index` and the next one make together. */
function rankOfPair(bytes: Uint8Array, index: number, count: number, table: TokenTable): number {
	if (index + 2 > count) return NO_RANK;
	return table.rankOf(bytes, starts[index] ?? 0, starts[index + 2] ?? 0);
}
