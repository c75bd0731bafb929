/** What a command prints: its beginning and end for the session, all of it in a file where it is long. */
import { randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Characters that are kept of a long output; errors tend to stand at the end. */
const HEAD = 15_000;
const TAIL = 35_000;
/** Characters that the file holds at most. */
const LONGEST_FILE = 100_000_000;
/** How often listeners are told at most, in ms, and of how many characters. */
const TELL_EVERY_MS = 50;
const TOLD_AT_ONCE = 20_000;

export interface CollectedOutput {
	output: string;
	truncated: boolean;
	fullOutputPath?: string;
}

export class CommandOutput {
	private readonly folder: string;
	private readonly tell: (text: string) => void;
	private head = '';
	private tail = '';
	private length = 0;
	private file: WriteStream | undefined;
	private fileFailed = false;
	private untold = '';
	private timer: ReturnType<typeof setTimeout> | undefined;

	/** @param folder where files with whole outputs go; it is made where it is not there */
	constructor(folder: string, tell: (text: string) => void) {
		this.folder = folder;
		this.tell = tell;
	}

	/** Takes a piece. Where it returns a promise, the next is to be brought when that resolves. */
	add(piece: string): Promise<void> | undefined {
		const text = stripVTControlCharacters(piece);
		this.tellSoon(text);
		const before = this.length;
		this.length += text.length;
		const room = Math.max(0, HEAD - before);
		this.head += text.slice(0, room);
		const rest = this.tail + text.slice(room);
		if (this.length <= HEAD + TAIL) {
			this.tail = rest;
			return undefined;
		}
		// All that came is still in head and tail when the file begins.
		const written = this.file ? this.write(text) : this.begin(this.head + rest);
		this.tail = rest.slice(-TAIL);
		return written;
	}

	/** Ends the output. */
	async finish(): Promise<CollectedOutput> {
		clearTimeout(this.timer);
		this.tellNow();
		const cut = this.length - this.head.length - this.tail.length;
		if (cut <= 0) return { output: this.head + this.tail, truncated: false };
		const output = `${this.head}\n[… ${cut} characters cut …]\n${this.tail}`;
		const fullOutputPath = await this.endFile();
		return { output, truncated: true, ...(fullOutputPath ? { fullOutputPath } : {}) };
	}

	private begin(text: string): Promise<void> | undefined {
		try {
			mkdirSync(this.folder, { recursive: true, mode: 0o700 });
		} catch {
			this.fileFailed = true;
			return undefined;
		}
		const file = path.join(this.folder, `output-${randomUUID()}.log`);
		this.file = createWriteStream(file, { flags: 'wx', mode: 0o600 });
		// The command goes on without it: its end is kept in any case.
		this.file.on('error', () => (this.fileFailed = true));
		return this.write(text);
	}

	private write(text: string): Promise<void> | undefined {
		const { file } = this;
		if (!file || this.fileFailed || this.length > LONGEST_FILE) return undefined;
		if (file.write(text)) return undefined;
		return new Promise((resolve) => {
			const go = () => {
				file.off('drain', go).off('close', go);
				resolve();
			};
			file.on('drain', go).on('close', go);
		});
	}

	private async endFile(): Promise<string | undefined> {
		const { file } = this;
		if (!file) return undefined;
		if (!this.fileFailed && this.length > LONGEST_FILE)
			file.write(`\n[Only so much is kept: ${this.length} characters were printed.]\n`);
		await new Promise<void>((resolve) => {
			if (file.closed) resolve();
			else file.once('close', resolve).end();
		});
		return this.fileFailed ? undefined : String(file.path);
	}

	private tellSoon(text: string): void {
		this.untold += text;
		if (this.untold.length > TOLD_AT_ONCE) this.untold = this.untold.slice(-TOLD_AT_ONCE);
		this.timer ??= setTimeout(() => this.tellNow(), TELL_EVERY_MS);
	}

	private tellNow(): void {
		this.timer = undefined;
		if (this.untold) this.tell(this.untold);
		this.untold = '';
	}
}
