/** The o200k tokenizer in a worker thread: started when it is needed, ended when it is not. */
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { abortError, errorText } from '../util/errors.ts';
import { evenSample } from '../util/even-sample.ts';
import { silentLogger, type Logger } from '../util/logger.ts';
import { estimateTextTokens } from '../util/tokens.ts';

/** What the worker is sent: some texts. */
export interface TextsToCount {
	id: number;
	texts: string[];
}

/** What it answers: their tokens. */
export interface CountedTexts {
	id: number;
	counts: number[];
}

export interface WorkerTokenizerOptions {
	/** Absolute path of the worker's program; the one beside the running program by default. */
	file?: string;
	/** How long the worker stays without work, in ms. */
	idleMs?: number;
	log?: Logger;
}

/** Characters of one message to the worker: about 0.1 s of work, and what others wait for at most. */
const BATCH_CHARACTERS = 250_000;
/** Of a longer text so much is sent, taken evenly, and the count scaled. */
const SAMPLED_CHARACTERS = 500_000;
const SAMPLE_WIDTH = 4_096;
const IDLE_MS = 60_000;
/** The encoding takes about 70 MB. */
const HEAP_MB = 256;
/** After so many failures in a row nothing is tried any more. */
const MAXIMUM_FAILURES = 3;

interface Waiting {
	resolve: (counts: number[]) => void;
	reject: (error: unknown) => void;
}

export class WorkerTokenizer {
	private readonly file: string;
	private readonly idleMs: number;
	private readonly log: Logger;
	private worker: Worker | undefined;
	private idleTimer: NodeJS.Timeout | undefined;
	private readonly waiting = new Map<number, Waiting>();
	private lastId = 0;
	private failures = 0;
	private hasLogged = false;
	private disposed = false;

	constructor({ file, idleMs = IDLE_MS, log = silentLogger }: WorkerTokenizerOptions = {}) {
		this.file = file ?? path.join(__dirname, 'tokenizer-worker.js');
		this.idleMs = idleMs;
		this.log = log;
	}

	/** True while the worker thread is there. */
	get isRunning(): boolean {
		return this.worker !== undefined;
	}

	/**
	 * Tokens of each text, in order. Where the worker cannot count, the estimate takes its place and the
	 * reason is logged, once. Calls take turns, batch by batch.
	 * @throws AbortError when the signal fires first
	 */
	async count(texts: readonly string[], signal?: AbortSignal): Promise<number[]> {
		const counts: number[] = [];
		for (let start = 0; start < texts.length;) {
			if (signal?.aborted) throw abortError('Counting tokens');
			const batch = nextBatch(texts, start);
			counts.push(...(await this.countBatch(batch)));
			start += batch.length;
		}
		return counts;
	}

	/** Ends the worker; what is still being counted is estimated, as is all that comes. */
	dispose(): void {
		this.disposed = true;
		this.end();
	}

	private async countBatch(texts: readonly string[]): Promise<number[]> {
		const samples = texts.map((text) => evenSample(text, SAMPLED_CHARACTERS, SAMPLE_WIDTH));
		const sent = samples.map(({ text }) => text);
		while (!this.disposed && this.failures < MAXIMUM_FAILURES) {
			try {
				const counts = await this.ask(sent);
				this.failures = 0;
				return samples.map(({ scale }, index) => Math.round((counts[index] ?? 0) * scale));
			} catch (error) {
				// What is wrong with the message fails again in a new worker, and is estimated then.
				this.logOnce(error);
			}
		}
		return texts.map((text) => estimateTextTokens(text));
	}

	private ask(texts: string[]): Promise<number[]> {
		clearTimeout(this.idleTimer);
		return new Promise((resolve, reject) => {
			const worker = (this.worker ??= this.start());
			const id = ++this.lastId;
			this.waiting.set(id, { resolve, reject });
			// An idle worker must not keep the process alive; one that is asked must.
			worker.ref();
			worker.postMessage({ id, texts } satisfies TextsToCount);
		});
	}

	private start(): Worker {
		const worker = new Worker(this.file, {
			name: 'espalier-tokenizer',
			resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
		});
		const isCurrent = () => this.worker === worker;
		worker.on('message', ({ id, counts }: CountedTexts) => {
			const waiting = this.waiting.get(id);
			this.waiting.delete(id);
			waiting?.resolve(counts);
			if (this.waiting.size === 0 && isCurrent()) this.rest(worker);
		});
		worker.on('error', (error) => {
			if (isCurrent()) this.fail(error);
		});
		worker.on('exit', (code) => {
			if (isCurrent()) this.fail(new Error(`The tokenizer ended with code ${code}.`));
		});
		return worker;
	}

	private rest(worker: Worker): void {
		worker.unref();
		this.idleTimer = setTimeout(() => this.end(), this.idleMs);
		this.idleTimer.unref();
	}

	private fail(error: unknown): void {
		if (this.waiting.size > 0) this.failures++;
		this.end(error);
	}

	/** Lets the worker go; who waits for it is told why. */
	private end(reason: unknown = new Error('The tokenizer was ended.')): void {
		clearTimeout(this.idleTimer);
		const { worker } = this;
		this.worker = undefined;
		void worker?.terminate();
		const waiting = [...this.waiting.values()];
		this.waiting.clear();
		for (const { reject } of waiting) reject(reason);
	}

	private logOnce(error: unknown): void {
		if (this.hasLogged || this.disposed) return;
		this.hasLogged = true;
		this.log.warn(`Tokens are estimated where the tokenizer fails: ${errorText(error)}`);
	}
}

/** The texts from `start` on that go into one message: as many as fit, at least one. */
function nextBatch(texts: readonly string[], start: number): string[] {
	const batch: string[] = [];
	let characters = 0;
	for (let index = start; index < texts.length; index++) {
		const text = texts[index] ?? '';
		characters += Math.min(text.length, SAMPLED_CHARACTERS);
		if (batch.length > 0 && characters > BATCH_CHARACTERS) break;
		batch.push(text);
	}
	return batch;
}
