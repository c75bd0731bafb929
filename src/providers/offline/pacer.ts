/** Owns giving way to the event loop during long work, and noticing that it was cancelled. */
import { abortError } from '../../util/errors.ts';

/**
 * Characters of text read between two pauses. Reading runs at some 20 characters a microsecond, so
 * this is a few milliseconds; counted rather than timed, so that no clock is involved.
 */
const WORK_BETWEEN_PAUSES = 120_000;
/** What one message costs beside its text, in the same unit. */
const MESSAGE_COST = 1_500;

export class Pacer {
	readonly #signal: AbortSignal;
	#work = 0;

	constructor(signal: AbortSignal) {
		this.#signal = signal;
		this.check();
	}

	/** @throws an AbortError where the signal fired. */
	check(): void {
		if (this.#signal.aborted) throw abortError('The offline summary');
	}

	/** Counts the work just done, and pauses when there was enough of it. */
	async worked(characters: number): Promise<void> {
		this.#work += characters + MESSAGE_COST;
		if (this.#work >= WORK_BETWEEN_PAUSES) await this.pause();
	}

	/** Lets timers and input run before going on. */
	async pause(): Promise<void> {
		this.#work = 0;
		await new Promise<void>((resolve) => setTimeout(resolve, 0));
		this.check();
	}
}
