/** Reads the lines of a session file, the header and the heads of entries; says what is damaged. */
import { UserError } from '../util/errors.ts';
import { SESSION_VERSION, type SessionHeader } from './entries.ts';
import { headOfValue, parseObject, type Json } from './entry-parse.ts';
import type { EntryHead } from './entry-head.ts';
import { LineHeadReader } from './line-head.ts';
import type { SessionWarning } from './session-warning.ts';

/** Reads lines one after the other: their heads from the bytes where possible, else with a real parse. */
export class LineReader {
	private readonly location: string;
	private readonly headReader = new LineHeadReader();
	/** What oh-my-pi's title slot before the header says; it is newer than the header's. */
	private title: unknown;
	/** Lines read so far. */
	lineNumber = 0;
	/** Set for a last line without a line end: only a real parse can say whether it is whole. */
	mayBeTorn = false;

	constructor(location: string) {
		this.location = location;
	}

	/**
	 * The header; undefined for a line that may stand before it.
	 * @throws UserError where something else stands there
	 */
	header(bytes: Uint8Array, start: number, end: number): SessionHeader | undefined {
		const value = this.parse(bytes, start, end);
		if (value === 'blank') return undefined;
		if (value?.type === 'title' && this.lineNumber === 1) {
			this.title = value.title;
			return undefined;
		}
		return readHeader(value, this.location, this.title);
	}

	/** The head of an entry's line; undefined where it is blank, a warning where it is damaged. */
	entry(
		bytes: Uint8Array,
		start: number,
		end: number,
		addId: ((value: Json) => void) | undefined,
	): EntryHead | SessionWarning | undefined {
		if (!addId && !this.mayBeTorn && this.headReader.read(bytes, start, end)) {
			this.lineNumber++;
			return this.headReader;
		}
		const value = this.parse(bytes, start, end);
		if (value === 'blank') return undefined;
		if (value) addId?.(value);
		return (value && headOfValue(value)) ?? damagedLine(this.lineNumber);
	}

	private parse(bytes: Uint8Array, start: number, end: number): Json | 'blank' | undefined {
		this.lineNumber++;
		if (!mayHoldJson(bytes, start, end)) return undefined;
		const text = decodeLine(bytes.subarray(start, end));
		return text.trim() === '' ? 'blank' : parseObject(text);
	}
}

const decoder = new TextDecoder();

/** The text of a line, without a byte order mark; no JSON for one that is longer than a text can be. */
export function decodeLine(bytes: Uint8Array): string {
	return bytes.length > LONGEST_TEXT ? '{' : decoder.decode(bytes);
}

/** Characters that a text of Node can hold, safely. */
const LONGEST_TEXT = 500_000_000;
const OPENING_BRACE = 0x7b;
const SPACE = 0x20;
const BEYOND_ASCII = 0x80;

/** False for most junk, of which there may be a lot: parsing, and failing, takes its time. */
function mayHoldJson(bytes: Uint8Array, start: number, end: number): boolean {
	const first = bytes[start];
	return (
		start === end ||
		first === OPENING_BRACE ||
		first === undefined ||
		(first <= SPACE && first > 0) ||
		first >= BEYOND_ASCII
	);
}

function readHeader(value: Json | undefined, location: string, slotTitle: unknown): SessionHeader {
	if (value?.type !== 'session' || typeof value.id !== 'string') throw notASession(location);
	const version = typeof value.version === 'number' ? value.version : undefined;
	if (version !== undefined && version > SESSION_VERSION)
		throw new UserError(
			'newer-version',
			`${location} was written by a newer tool (session version ${version}).`,
			{ kept: 'Nothing was changed.', hint: 'Update Espalier to open it.' },
		);
	const title = [slotTitle, value.title].find((text) => typeof text === 'string' && text !== '');
	return {
		...value,
		title: typeof title === 'string' ? title : undefined,
		type: 'session',
		id: value.id,
		timestamp: typeof value.timestamp === 'string' ? value.timestamp : '',
		cwd: typeof value.cwd === 'string' ? value.cwd : '',
		...(version === undefined ? {} : { version }),
	};
}

export function notASession(location: string): UserError {
	return new UserError('not-a-session', `${location} is not a session file.`, {
		kept: 'Nothing was changed.',
		hint: 'A session file starts with a line of type "session".',
	});
}

function damagedLine(line: number): SessionWarning {
	return {
		kind: 'bad-line',
		line,
		message: `Line ${line} is damaged and cannot be shown; it stays in the file.`,
	};
}
