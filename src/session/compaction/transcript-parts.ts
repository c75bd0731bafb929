/** Cuts a transcript into parts that fit a budget, on message boundaries. */
import { estimateTextTokens } from '../../util/tokens.ts';
import { clipToFit } from '../../util/clip-text.ts';

/** Hands out a transcript part by part; the budget may be another one for each part. */
export class TranscriptParts {
	readonly #blocks: readonly string[];
	readonly #tokens: number[];
	#next = 0;

	/** @param blocks one message each, oldest first, none empty. */
	constructor(blocks: readonly string[]) {
		this.#blocks = blocks;
		// One more for the blank line between two blocks.
		this.#tokens = blocks.map((block) => estimateTextTokens(block) + 1);
	}

	get done(): boolean {
		return this.#next >= this.#blocks.length;
	}

	/**
	 * The next part: as many messages as fit `budget` tokens by the estimate, or a single larger one,
	 * clipped. It counts as told only after `advance`, so that it can be asked for again with a
	 * smaller budget.
	 */
	peek(budget: number): { text: string; advance: () => void } {
		let end = this.#next;
		let used = 0;
		while (end < this.#blocks.length && used + this.#tokens[end]! <= budget) {
			used += this.#tokens[end]!;
			end++;
		}
		let text = this.#blocks.slice(this.#next, end).join('\n\n');
		if (end === this.#next) {
			text = clipToFit(this.#blocks[end]!, (clipped) => estimateTextTokens(clipped) <= budget);
			end++;
		}
		return { text, advance: () => void (this.#next = end) };
	}
}
