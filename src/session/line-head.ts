/**
 * Reads the head of an entry's line from its bytes, without parsing the line: type, id, parent, and a
 * message's role. Works for lines that begin as pi and we write them; any other line is left to a real
 * parse.
 */
import type { EntryHead } from './entry-head.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
/** Bytes from here up are parts of characters beyond ASCII; those are left to a real parse. */
const BEYOND_ASCII = 0x80;
/** Ids and types are short; a longer text is no id that we or pi wrote. */
const LONGEST_TEXT = 128;

const TYPE = asciiOf('{"type":"');
const ID = asciiOf('","id":"');
const PARENT = asciiOf('","parentId":');
const NULL = asciiOf('null');
const TIMESTAMP = asciiOf(',"timestamp":"');
const ROLE = asciiOf('","message":{"role":"');

/** Texts that stand in most lines: recognized by their bytes, so that no string is made for them. */
const COMMON_TYPES = ['message', 'compaction', 'model_change', 'label', 'custom'].map(named);
const COMMON_ROLES = ['assistant', 'toolResult', 'user'].map(named);

function asciiOf(text: string): Uint8Array {
	return new TextEncoder().encode(text);
}

/** An id as pi and we make them. Spelled out, since this is done for every line of a file. */
function eightCharacters(b: Uint8Array, i: number): string {
	return String.fromCharCode(
		b[i] ?? 0,
		b[i + 1] ?? 0,
		b[i + 2] ?? 0,
		b[i + 3] ?? 0,
		b[i + 4] ?? 0,
		b[i + 5] ?? 0,
		b[i + 6] ?? 0,
		b[i + 7] ?? 0,
	);
}

interface KnownText {
	text: string;
	ascii: Uint8Array;
}

function named(text: string): KnownText {
	return { text, ascii: asciiOf(text) };
}

/** Reads heads one after the other; the head read last stands in it, so that reading makes only texts. */
export class LineHeadReader implements EntryHead {
	type = '';
	id = '';
	parentId: string | null = null;
	role: string | undefined;
	private buffer: Uint8Array = new Uint8Array();
	private at = 0;
	private end = 0;
	/** The bytes of `id`: most entries follow the one before, so that their parent is known text. */
	private readonly idBytes = new Uint8Array(LONGEST_TEXT);

	/**
	 * Reads the head of the line from `start` to before `end`. False where the line begins in any other
	 * way, which says nothing about its worth.
	 */
	read(buffer: Uint8Array, start: number, end: number): boolean {
		this.buffer = buffer;
		this.at = start;
		this.end = end;
		// A line cut off in its middle begins well, too; only a whole one ends like this.
		if (buffer[end - 1] !== CLOSING_BRACE || !this.skip(TYPE)) return false;
		const type = this.text(COMMON_TYPES);
		if (!type || !this.skip(ID)) return false;
		const id = this.text();
		if (!id || !this.skip(PARENT)) return false;
		const parentId = this.skip(NULL) ? null : this.quoted();
		if (parentId === undefined) return false;
		const role = type === 'message' ? this.readRole() : undefined;
		if (type === 'message' && role === undefined) return false;
		this.rememberId(id);
		this.type = type;
		this.id = id;
		this.parentId = parentId;
		this.role = role;
		return true;
	}

	private readRole(): string | undefined {
		if (!this.skip(TIMESTAMP) || !this.skipText() || !this.skip(ROLE)) return undefined;
		return this.text(COMMON_ROLES);
	}

	private quoted(): string | undefined {
		if (this.buffer[this.at] !== QUOTE) return undefined;
		this.at++;
		const text = this.sameAsLastId() ? this.id : this.text();
		this.at++;
		return text;
	}

	/** Moves behind the next text where that is the id read last. */
	private sameAsLastId(): boolean {
		const { buffer, at, idBytes } = this;
		const { length } = this.id;
		if (buffer[at + length] !== QUOTE) return false;
		for (let i = 0; i < length; i++) if (buffer[at + i] !== idBytes[i]) return false;
		this.at = at + length;
		return true;
	}

	private rememberId(id: string): void {
		for (let i = 0; i < id.length; i++) this.idBytes[i] = id.charCodeAt(i);
	}

	/** Moves behind `expected` where that is next. */
	private skip(expected: Uint8Array): boolean {
		const { buffer, at } = this;
		if (at + expected.length > this.end) return false;
		for (let i = 0; i < expected.length; i++) if (buffer[at + i] !== expected[i]) return false;
		this.at = at + expected.length;
		return true;
	}

	/** Reads a plain string up to its closing quote, and stays there; undefined for any other. */
	private text(common: readonly KnownText[] = []): string | undefined {
		for (const { text, ascii } of common) {
			const start = this.at;
			if (this.skip(ascii) && this.buffer[this.at] === QUOTE) return text;
			this.at = start;
		}
		const start = this.at;
		if (!this.skipText()) return undefined;
		return this.at - start === 8 ? eightCharacters(this.buffer, start) : this.slice(start);
	}

	private slice(start: number): string {
		return String.fromCharCode(...this.buffer.subarray(start, this.at));
	}

	private skipText(): boolean {
		const { buffer, at } = this;
		const limit = Math.min(this.end, at + LONGEST_TEXT);
		for (let i = at; i < limit; i++) {
			const byte = buffer[i] ?? 0;
			if (byte === QUOTE) {
				this.at = i;
				return true;
			}
			if (byte === BACKSLASH || byte < SPACE || byte >= BEYOND_ASCII) return false;
		}
		return false;
	}
}

const CLOSING_BRACE = 0x7d;
