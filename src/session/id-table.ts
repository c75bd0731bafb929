/**
 * Finds the place of an id among many: a hash table over the list of ids itself. A Map would hold every
 * id a second time and takes several times as long to fill, which is most of opening a large file.
 */

const EMPTY = -1;
const FIRST_SLOTS = 1024;

export class IdTable {
	/** The ids by place; the caller reads it, only `add` adds to it. */
	readonly ids: string[] = [];
	private slots = new Int32Array(FIRST_SLOTS).fill(EMPTY);

	/** Adds an id at the next place; false where it is there already. */
	add(id: string): boolean {
		// At most half full, so that a search ends soon.
		if (this.ids.length * 2 >= this.slots.length) this.grow();
		const slot = this.slotOf(id);
		if (this.slots[slot] !== EMPTY) return false;
		this.slots[slot] = this.ids.length;
		this.ids.push(id);
		return true;
	}

	/** The place of an id; undefined for an unknown one. */
	placeOf(id: string): number | undefined {
		const place = this.slots[this.slotOf(id)];
		return place === EMPTY ? undefined : place;
	}

	/** The slot that holds an id, or the one where it belongs. */
	private slotOf(id: string): number {
		const { slots, ids } = this;
		const mask = slots.length - 1;
		for (let slot = hashOf(id) & mask; ; slot = (slot + 1) & mask) {
			const place = slots[slot] ?? EMPTY;
			if (place === EMPTY || ids[place] === id) return slot;
		}
	}

	private grow(): void {
		this.slots = new Int32Array(this.slots.length * 4).fill(EMPTY);
		for (let place = 0; place < this.ids.length; place++)
			this.slots[this.slotOf(this.ids[place] ?? '')] = place;
	}
}

/** 32-bit FNV-1a, mixed once more, since a table looks at the low bits alone. */
function hashOf(id: string): number {
	let hash = 0x811c9dc5;
	for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
	hash ^= hash >>> 15;
	return Math.imul(hash, 0x2c1b3c6d) >>> 0;
}
