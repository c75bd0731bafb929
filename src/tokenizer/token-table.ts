/** The tokens of an encoding by their bytes: an open hash table over one array, without a string. */

/** Where no token has these bytes. */
export const NO_RANK = 0x7fffffff;

/** Twice as many slots as tokens, at least, so that a search is short. */
const SLOT_BITS = 19;
const SLOTS = 1 << SLOT_BITS;

export class TokenTable {
	/** The bytes of all tokens, one after the other. */
	private readonly bytes: Uint8Array;
	/** Where a token's bytes begin; one more entry says where the last ones end. */
	private readonly starts: Int32Array;
	/** Ranks, one more than they are, by hash; 0 is an empty slot. */
	private readonly slots = new Int32Array(SLOTS);
	/** The longest token, in bytes. */
	readonly longest: number;

	/** @param tokens texts, or the bytes of those that are no text by themselves, in the order of rank */
	constructor(tokens: readonly (string | readonly number[])[]) {
		const encoder = new TextEncoder();
		let size = 0;
		for (const token of tokens) size += typeof token === 'string' ? token.length * 3 : token.length;
		this.bytes = new Uint8Array(size);
		this.starts = new Int32Array(tokens.length + 1);
		let end = 0;
		let longest = 0;
		tokens.forEach((token, rank) => {
			const start = end;
			if (typeof token === 'string')
				end += encoder.encodeInto(token, this.bytes.subarray(start)).written;
			else {
				this.bytes.set(token, start);
				end += token.length;
			}
			this.starts[rank + 1] = end;
			longest = Math.max(longest, end - start);
			let slot = slotOf(this.bytes, start, end);
			while (this.slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
			this.slots[slot] = rank + 1;
		});
		this.longest = longest;
	}

	/** The rank of the token with the bytes from `start` to `end`; NO_RANK where there is none. */
	rankOf(bytes: Uint8Array, start: number, end: number): number {
		if (end - start > this.longest) return NO_RANK;
		let slot = slotOf(bytes, start, end);
		for (let found = this.slots[slot] ?? 0; found !== 0; found = this.slots[slot] ?? 0) {
			if (this.hasBytes(found - 1, bytes, start, end)) return found - 1;
			slot = (slot + 1) & (SLOTS - 1);
		}
		return NO_RANK;
	}

	private hasBytes(rank: number, bytes: Uint8Array, start: number, end: number): boolean {
		const own = this.starts[rank] ?? 0;
		if ((this.starts[rank + 1] ?? 0) - own !== end - start) return false;
		for (let i = start; i < end; i++) if (this.bytes[own + i - start] !== bytes[i]) return false;
		return true;
	}
}

/** FNV-1a, folded to the size of the table. */
function slotOf(bytes: Uint8Array, start: number, end: number): number {
	let hash = 0x811c9dc5;
	for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193);
	return (hash ^ (hash >>> SLOT_BITS)) & (SLOTS - 1);
}
