/**
 * What a list shows of a session file, made from a few windows of its bytes: the file is not read whole,
 * and no long line is parsed. Nothing in a file makes this throw.
 */
import { SESSION_VERSION } from './entries.ts';
import { isObject, parseObject, type Json } from './entry-parse.ts';
import { firstLine } from './entry-text.ts';
import { LineBeginnings } from './line-beginnings.ts';
import { fragmentPrompt, fragmentText } from './line-fragment.ts';
import { contentText } from './navigation.ts';

/** The most bytes of a line that are looked at. */
const LINE_BYTES = 64 << 10;
/** Where in a line its type and role are looked for, in bytes. */
const HEAD_BYTES = 512;
/** Longest texts of a summary, in characters. */
const PROMPT_CHARACTERS = 300;
const NAME_CHARACTERS = 200;
/** Stands for a prompt that has no words. */
const IMAGE_PROMPT = '(an image)';

/** What a file turned out to be. */
export type SummaryKind = 'session' | 'empty' | 'not-a-session' | 'newer-version' | 'unreadable';

export interface SessionSummary {
	kind: SummaryKind;
	/** Empty where the file has no header. */
	id: string;
	/** The folder that the session is about; empty where the file does not say. */
	cwd: string;
	/** As the file states; 1 where it states none. */
	version: number;
	/** The name that a person or oh-my-pi gave the session. */
	name: string | undefined;
	/** The beginning of the first user message on one line; empty where none was found. */
	firstPrompt: string;
	/** The file that this session was forked or migrated from. */
	parentSession: string | undefined;
	/** When the session began, in ms; undefined where the file does not say. */
	created: number | undefined;
	/** When the file was last written, in ms. */
	modified: number;
	bytes: number;
	/** How many entries; an estimate from the lines that were seen where `exact` is false. */
	entries: number;
	/** True where every line was seen. Only then is a name sure to be the last one given. */
	exact: boolean;
	/** Lines seen that are no JSON objects. */
	damagedLines: number;
}

/** A file's size in bytes and the time of its last change in ms. */
export interface FileFacts {
	bytes: number;
	modified: number;
}

/**
 * The summary of a file from its first bytes and its last ones. Exact where the two hold all of it.
 * @param tail begins where `head` ends, or later
 */
export function summarize(head: Uint8Array, tail: Uint8Array, file: FileFacts): SessionSummary {
	const reader = new SummaryReader();
	reader.push(head);
	if (head.length + tail.length < file.bytes) reader.gap();
	reader.push(tail);
	return reader.finish(file);
}

/** The row of a file that could not be read. */
export function unreadableSummary(file: FileFacts): SessionSummary {
	return { ...new SummaryReader().finish(file), kind: 'unreadable' };
}

/** Makes a summary from a file's bytes, chunk by chunk. */
export class SummaryReader {
	private readonly lines = new LineBeginnings(LINE_BYTES, (bytes, start, end, whole) =>
		this.takeLine(bytes, start, end, whole),
	);
	private readonly decoder = new TextDecoder();
	private seenBytes = 0;
	private hasGap = false;
	private header: Json | undefined;
	/** Set once the first line that is no header says that there will be none. */
	private noHeader = false;
	private seenEntries = 0;
	private damagedLines = 0;
	private slotTitle: string | undefined;
	private name: string | undefined;
	private prompt: string | undefined;

	push(chunk: Uint8Array): void {
		this.seenBytes += chunk.length;
		this.lines.push(chunk);
	}

	/** Says that bytes are left out between the last chunk and the next. */
	gap(): void {
		this.hasGap = true;
		this.lines.gap();
	}

	finish(file: FileFacts): SessionSummary {
		this.lines.finish();
		const header = this.header ?? {};
		const version = typeof header.version === 'number' ? header.version : 1;
		const created = Date.parse(textOf(header.timestamp));
		const name = this.name ?? this.slotTitle ?? textOf(header.title);
		const estimate = Math.round((this.seenEntries / Math.max(1, this.seenBytes)) * file.bytes);
		return {
			kind: this.kind(version, file.bytes),
			id: textOf(header.id),
			cwd: textOf(header.cwd),
			version,
			name: oneLine(name, NAME_CHARACTERS) || undefined,
			firstPrompt: this.prompt ?? '',
			parentSession: textOf(header.parentSession) || undefined,
			created: Number.isNaN(created) ? undefined : created,
			modified: file.modified,
			bytes: file.bytes,
			entries: this.hasGap ? Math.max(1, this.seenEntries, estimate) : this.seenEntries,
			exact: !this.hasGap,
			damagedLines: this.damagedLines,
		};
	}

	private kind(version: number, bytes: number): SummaryKind {
		if (bytes === 0) return 'empty';
		if (!this.header) return 'not-a-session';
		return version > SESSION_VERSION ? 'newer-version' : 'session';
	}

	private takeLine(bytes: Uint8Array, start: number, end: number, whole: boolean): void {
		if (isBlank(bytes, start, end) || this.noHeader) return;
		if (!this.header) return this.takeHeader(bytes, start, end, whole);
		if (!isObjectLine(bytes, start, end, whole)) this.damagedLines++;
		else {
			this.seenEntries++;
			this.takeEntry(bytes, start, end, whole);
		}
	}

	private takeHeader(bytes: Uint8Array, start: number, end: number, whole: boolean): void {
		const text = this.text(bytes, start, end);
		const value = whole ? parseObject(text) : headerFragment(text);
		if (value?.type === 'title' && this.slotTitle === undefined)
			this.slotTitle = textOf(value.title);
		else if (value?.type === 'session' && typeof value.id === 'string') this.header = value;
		else this.noHeader = true;
	}

	/** Parses only lines that look like a name or like the first prompt. */
	private takeEntry(bytes: Uint8Array, start: number, end: number, whole: boolean): void {
		const isMessage = startsWith(bytes, start, end, MESSAGE_START);
		if (isMessage && this.prompt !== undefined) return;
		const head = latin(bytes, start, Math.min(end, start + HEAD_BYTES));
		if (!isMessage && head.includes('"session_info"'))
			this.takeName(this.text(bytes, start, end), whole);
		else if (this.prompt === undefined && head.includes('"user"'))
			this.takePrompt(this.text(bytes, start, end), whole);
	}

	private takeName(text: string, whole: boolean): void {
		const value = whole ? parseObject(text) : undefined;
		if (value?.type === 'session_info' && typeof value.name === 'string') this.name = value.name;
	}

	private takePrompt(text: string, whole: boolean): void {
		const words = whole
			? promptOf(parseObject(text))
			: fragmentPrompt(text.slice(0, PROMPT_CHARACTERS * 40), PROMPT_CHARACTERS * 4);
		if (words !== undefined) this.prompt = oneLine(words, PROMPT_CHARACTERS) || IMAGE_PROMPT;
	}

	private text(bytes: Uint8Array, start: number, end: number): string {
		// Decoding drops a byte order mark.
		return this.decoder.decode(bytes.subarray(start, end));
	}
}

/** What is wrong with a file, in words for its row; undefined where nothing is known to be. */
export function summaryProblem(summary: SessionSummary): string | undefined {
	switch (summary.kind) {
		case 'empty':
			return 'The file is empty.';
		case 'not-a-session':
			return 'This is no session file, or its first line is damaged.';
		case 'newer-version':
			return `Written by a newer tool (session version ${summary.version}).`;
		case 'unreadable':
			return 'The file cannot be read.';
		case 'session':
			return summary.damagedLines > 0 ? 'Some lines are damaged.' : undefined;
	}
}

const OPENING = 0x7b;
const CLOSING = 0x7d;
const SPACE = 0x20;
const MESSAGE_START = new TextEncoder().encode('{"type":"message"');

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; i++) {
		const byte = bytes[i] ?? 0;
		if (byte > SPACE || byte === 0) return false;
	}
	return true;
}

/** True for a line that begins and ends like an object; of a clipped line only the beginning is known. */
function isObjectLine(bytes: Uint8Array, start: number, end: number, whole: boolean): boolean {
	let first = start;
	while (first < end && isSpace(bytes[first])) first++;
	let last = end - 1;
	while (last > first && isSpace(bytes[last])) last--;
	return bytes[first] === OPENING && (!whole || bytes[last] === CLOSING);
}

function isSpace(byte: number | undefined): boolean {
	return byte === SPACE || byte === 0x09 || byte === 0x0d;
}

function startsWith(bytes: Uint8Array, start: number, end: number, text: Uint8Array): boolean {
	if (end - start < text.length) return false;
	for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text[i]) return false;
	return true;
}

function latin(bytes: Uint8Array, start: number, end: number): string {
	return String.fromCharCode(...bytes.subarray(start, end));
}

/** A header longer than what is kept of a line: its first fields are what a list needs. */
function headerFragment(text: string): Json | undefined {
	const field = (key: string) => fragmentText(text, key, 4096);
	if (!/^\s*\{\s*"type"\s*:\s*"session"/.test(text)) return undefined;
	const version = /"version"\s*:\s*(\d+)/.exec(text)?.[1];
	const header = { type: 'session', id: field('id'), cwd: field('cwd'), title: field('title') };
	return {
		...header,
		timestamp: field('timestamp'),
		parentSession: field('parentSession'),
		...(version ? { version: Number(version) } : {}),
	};
}

/** The words of a user message; undefined for any other entry. */
function promptOf(value: Json | undefined): string | undefined {
	if (value?.type !== 'message' || !isObject(value.message)) return undefined;
	return value.message.role === 'user' ? contentText(value.message.content) : undefined;
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

/** A text on one line, its beginning. */
function oneLine(text: string, max: number): string {
	return firstLine(text.slice(0, max * 4).replace(/\s+/g, ' '), max);
}
