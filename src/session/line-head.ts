/**
 * Reads the head of an entry's line from its bytes, without parsing the line: type, id, parent, and a
 * message's role. Works for lines that begin as pi and we write them; any other line is left to a real
 * parse.
 */

export interface LineHead {
	type: string;
	id: string;
	parentId: string | null;
	/** Of a message, where it comes first in it. */
	role: string | undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Bytes from here up are parts of characters beyond ASCII; those are left to a real parse. */
const BEYOND_ASCII = 0x80;
const SPACE = 0x20;

const TYPE = bytes('{"type":"');
const ID = bytes(',"id":"');
const PARENT = bytes(',"parentId":');
const NULL = bytes('null');
const TIMESTAMP = bytes(',"timestamp":"');
const ROLE = bytes(',"message":{"role":"');

function bytes(text: string): Uint8Array {
	return new TextEncoder().encode(text);
}

/** A cursor over one line; reused, so that scanning allocates nothing but the texts it returns. */
class Cursor {
	buffer: Uint8Array = new Uint8Array();
	at = 0;
	end = 0;

	/** Moves behind `expected` if it is next. */
	skip(expected: Uint8Array): boolean {
		if (this.at + expected.length > this.end) return false;
		for (let i = 0; i < expected.length; i++)
			if (this.buffer[this.at + i] !== expected[i]) return false;
		this.at += expected.length;
		return true;
	}

	/** Reads a plain string up to its closing quote and moves behind that; undefined for any other. */
	text(): string | undefined {
		const start = this.at;
		for (let i = start; i < this.end; i++) {
			const byte = this.buffer[i] ?? 0;
			if (byte === QUOTE) {
				this.at = i + 1;
				return String.fromCharCode(...this.buffer.subarray(start, i));
			}
			if (byte === BACKSLASH || byte < SPACE || byte >= BEYOND_ASCII) return undefined;
			if (i - start > LONGEST_TEXT) return undefined;
		}
		return undefined;
	}
}

/** Ids and types are short; a longer text is no id that we wrote. */
const LONGEST_TEXT = 128;

const cursor = new Cursor();

/**
 * Reads the head of the line at `start` (inclusive) to `end` (exclusive). Undefined where the line
 * begins in any other way, which says nothing about its worth.
 */
export function readLineHead(buffer: Uint8Array, start: number, end: number): LineHead | undefined {
	cursor.buffer = buffer;
	cursor.at = start;
	cursor.end = end;
	if (!cursor.skip(TYPE)) return undefined;
	const type = cursor.text();
	if (!type || !cursor.skip(ID)) return undefined;
	const id = cursor.text();
	if (!id || !cursor.skip(PARENT)) return undefined;
	const parentId = cursor.skip(NULL) ? null : readQuoted();
	if (parentId === undefined) return undefined;
	return { type, id, parentId, role: type === 'message' ? readRole() : undefined };
}

function readQuoted(): string | undefined {
	if (cursor.buffer[cursor.at] !== QUOTE) return undefined;
	cursor.at++;
	return cursor.text();
}

function readRole(): string | undefined {
	if (!cursor.skip(TIMESTAMP)) return undefined;
	return cursor.text() !== undefined && cursor.skip(ROLE) ? cursor.text() : undefined;
}
