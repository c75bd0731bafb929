/**
 * Lists session files newest first, a page at a time: names and dates of all come first, then the
 * windows of one page. Memory is bounded by the rows that are given; the thread is shared.
 */
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
	SummaryReader,
	summarize,
	unreadableSummary,
	type FileFacts,
	type SessionSummary,
} from '../session/session-summary.ts';
import { createYielder } from '../util/async.ts';
import type { SessionFolder } from './session-folders.ts';

/** Bytes read of a file's beginning and end. */
const HEAD_BYTES = 64 << 10;
const TAIL_BYTES = 32 << 10;
/** Bytes read at a time of a file that is read whole. */
const CHUNK_BYTES = 1 << 20;
/** Files looked at at once; each of the workers has a buffer of its own. */
const WORKERS = 4;
/** Rows of the first page, and of each that follows: a view takes over few pages faster than many. */
const FIRST_PAGE = 40;
const NEXT_PAGE = 400;
/** The most bytes that counting reads in one go; what is left keeps its estimate. */
const COUNTING_BYTES = 512 << 20;

/** What a listing does with files. */
export interface ListingFiles {
	/** The names in a folder. */
	names(folder: string): Promise<string[]>;
	/** Size and date of a file; undefined for what is no plain file. */
	facts(path: string): Promise<FileFacts | undefined>;
	open(path: string): Promise<ListingFile>;
}

export interface ListingFile {
	/** Fills `buffer` from `position` in the file; resolves with how many bytes there were. */
	read(buffer: Uint8Array, position: number): Promise<number>;
	close(): Promise<void>;
}

export interface SessionRow {
	path: string;
	folder: SessionFolder;
	summary: SessionSummary;
}

export interface ListingPage {
	/** Newest first, and older than those of the page before. */
	rows: SessionRow[];
	/** Files looked at so far, and how many there are. */
	read: number;
	total: number;
}

interface Candidate extends FileFacts {
	path: string;
	folder: SessionFolder;
}

/** Lists sessions; keeps the summaries of files that have not changed since the last listing. */
export class SessionListing {
	/** Folders that are there but could not be read at the last listing, and why. */
	readonly unreadable = new Map<string, string>();
	private readonly files: ListingFiles;
	private readonly summaries = new Map<string, SessionSummary>();

	constructor(files: ListingFiles = plainFiles) {
		this.files = files;
	}

	/**
	 * The sessions in these folders, newest first. Every page has rows, but for a last one that only
	 * says that all is read; a file that vanished meanwhile has none, one that cannot be read has one
	 * that says so.
	 */
	async *pages(
		folders: readonly SessionFolder[],
		signal?: AbortSignal,
	): AsyncGenerator<ListingPage, void, undefined> {
		const candidates = await this.candidates(folders, signal);
		const buffers = Array.from({ length: WORKERS }, () =>
			Buffer.allocUnsafe(HEAD_BYTES + TAIL_BYTES),
		);
		const total = candidates.length;
		for (let read = 0, size = FIRST_PAGE; read < total; size = NEXT_PAGE) {
			const batch = candidates.slice(read, read + size);
			const summaries = await this.summarizeAll(batch, buffers, signal);
			if (signal?.aborted) return;
			read += batch.length;
			const rows: SessionRow[] = [];
			for (const [index, { path, folder }] of batch.entries()) {
				const summary = summaries[index];
				if (!summary) continue;
				if (folder.accepts(summary)) rows.push({ path, folder, summary });
			}
			if (rows.length > 0 || read === total) yield { rows, read, total };
		}
		// What is gone is forgotten.
		const listed = new Set(candidates.map(({ path }) => path));
		for (const path of this.summaries.keys()) if (!listed.has(path)) this.summaries.delete(path);
	}

	/**
	 * Reads files whose entries were estimated whole, in the order given, and gives their rows with exact
	 * counts and the name given last: a few at first, then ever more at once.
	 */
	async *counted(
		rows: readonly SessionRow[],
		signal?: AbortSignal,
	): AsyncGenerator<SessionRow[], void, undefined> {
		const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
		let budget = COUNTING_BYTES;
		let done: SessionRow[] = [];
		let size = 10;
		for (const row of rows) {
			const { exact, kind, bytes } = row.summary;
			if (exact || kind !== 'session' || bytes > budget) continue;
			budget -= bytes;
			const summary = await this.readWhole(row, buffer, signal);
			if (signal?.aborted) return;
			if (summary?.kind !== 'session') continue;
			this.summaries.set(row.path, summary);
			done.push({ ...row, summary });
			if (done.length < size) continue;
			yield done;
			done = [];
			size *= 4;
		}
		if (done.length > 0) yield done;
	}

	private async candidates(
		folders: readonly SessionFolder[],
		signal?: AbortSignal,
	): Promise<Candidate[]> {
		this.unreadable.clear();
		const lists = await Promise.all(folders.map((folder) => this.pathsIn(folder)));
		const paths = lists.flat();
		const candidates: Candidate[] = [];
		await inParallel(paths, WORKERS, signal, async ({ path, folder }) => {
			// A file that is gone by now is no candidate.
			const facts = await this.files.facts(path).catch(() => undefined);
			if (facts) candidates.push({ path, folder, ...facts });
		});
		// Names begin with the time: of files copied at one moment the later begun comes first.
		return candidates.sort(
			(a, b) => b.modified - a.modified || (a.path < b.path ? 1 : a.path > b.path ? -1 : 0),
		);
	}

	private async pathsIn(folder: SessionFolder): Promise<{ path: string; folder: SessionFolder }[]> {
		try {
			const names = await this.files.names(folder.path);
			return names
				.filter((name) => name.endsWith('.jsonl'))
				.map((name) => ({ path: join(folder.path, name), folder }));
		} catch (error) {
			const code = codeOf(error);
			if (code !== 'ENOENT') this.unreadable.set(folder.path, code);
			return [];
		}
	}

	private async summarizeAll(
		batch: readonly Candidate[],
		buffers: readonly Buffer[],
		signal?: AbortSignal,
	): Promise<(SessionSummary | undefined)[]> {
		const summaries: (SessionSummary | undefined)[] = [];
		await inParallel(batch, buffers.length, signal, async (candidate, index, worker) => {
			const known = this.summaries.get(candidate.path);
			const isSame = known?.bytes === candidate.bytes && known.modified === candidate.modified;
			const buffer = buffers[worker] as Buffer;
			const summary = isSame ? known : await this.readWindows(candidate, buffer);
			summaries[index] = summary;
			// What could not be read may be readable next time, though it did not change.
			if (summary && summary.kind !== 'unreadable') this.summaries.set(candidate.path, summary);
		});
		return summaries;
	}

	private async readWindows(
		{ path, bytes, modified }: Candidate,
		buffer: Buffer,
	): Promise<SessionSummary | undefined> {
		const facts = { bytes, modified };
		return this.withFile(path, facts, async (file) => {
			const head = buffer.subarray(0, Math.min(HEAD_BYTES, bytes));
			const headLength = await file.read(head, 0);
			const tailStart = Math.max(HEAD_BYTES, bytes - TAIL_BYTES);
			const tail = buffer.subarray(HEAD_BYTES, HEAD_BYTES + Math.max(0, bytes - tailStart));
			const tailLength = tail.length > 0 ? await file.read(tail, tailStart) : 0;
			return summarize(head.subarray(0, headLength), tail.subarray(0, tailLength), facts);
		});
	}

	private readWhole(
		{ path, summary: { bytes, modified } }: SessionRow,
		buffer: Buffer,
		signal?: AbortSignal,
	): Promise<SessionSummary | undefined> {
		const facts = { bytes, modified };
		return this.withFile(path, facts, async (file) => {
			const reader = new SummaryReader();
			const pause = createYielder();
			for (let at = 0; at < bytes && !signal?.aborted;) {
				const wanted = buffer.subarray(0, Math.min(CHUNK_BYTES, bytes - at));
				const length = await file.read(wanted, at);
				if (length === 0) break;
				reader.push(wanted.subarray(0, length));
				at += length;
				await pause();
			}
			return reader.finish(facts);
		});
	}

	private async withFile(
		path: string,
		facts: FileFacts,
		use: (file: ListingFile) => Promise<SessionSummary>,
	): Promise<SessionSummary | undefined> {
		let file: ListingFile | undefined;
		try {
			file = await this.files.open(path);
			return await use(file);
		} catch (error) {
			return codeOf(error) === 'ENOENT' ? undefined : unreadableSummary(facts);
		} finally {
			// Nothing was written: a failed close loses nothing.
			await file?.close().catch(() => undefined);
		}
	}
}

/** Does something with each item, a few at a time, sharing the thread; stops early where asked to. */
async function inParallel<T>(
	items: readonly T[],
	workers: number,
	signal: AbortSignal | undefined,
	each: (item: T, index: number, worker: number) => Promise<void>,
): Promise<void> {
	let next = 0;
	const pause = createYielder();
	const work = async (worker: number): Promise<void> => {
		while (next < items.length && !signal?.aborted) {
			const index = next++;
			await each(items[index] as T, index, worker);
			await pause();
		}
	};
	await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
}

function codeOf(error: unknown): string {
	return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}

const plainFiles: ListingFiles = {
	names: (folder) => readdir(folder),
	async facts(path) {
		const found = await stat(path);
		// Opening a pipe would wait for its other end.
		return found.isFile() ? { bytes: found.size, modified: found.mtimeMs } : undefined;
	},
	async open(path) {
		const file = await open(path, 'r');
		return {
			async read(buffer, position) {
				return (await file.read(buffer, 0, buffer.length, position)).bytesRead;
			},
			close: () => file.close(),
		};
	},
};
