/** Owns the user's focus: which words it names, and which lines of the conversation speak of them. */
import { clip, plainLine, sentencesOf, sharedWords, significantWords, sameKey } from './text.ts';

const MOST_NOTES = 14;
const FOCUS_CHARS = 200;

export class Focus {
	/** The user's words, clean and clipped; empty where there is no focus. */
	readonly text: string;
	readonly #words: ReadonlySet<string>;
	readonly #hits: { line: string; share: number; order: number }[] = [];
	#order = 0;

	constructor(instructions: string | undefined) {
		this.text = clip(plainLine((instructions ?? '').slice(0, 2_000)), FOCUS_CHARS);
		this.#words = significantWords(this.text);
	}

	/** How well a line matches, 0 to 1. */
	match(line: string): number {
		return this.#words.size === 0 ? 0 : sharedWords(this.#words, significantWords(line));
	}

	/** True where a line speaks of the focus: a third of its words, at least one. */
	matches(line: string): boolean {
		return (
			this.match(line) >= 0.34 || (this.#words.size > 3 && this.match(line) * this.#words.size >= 2)
		);
	}

	/** Collects the matching sentences of a text. */
	collect(lines: readonly string[]): void {
		if (this.#words.size === 0) return;
		for (const raw of lines) {
			for (const line of sentencesOf(plainLine(raw.slice(0, 2_000)))) {
				this.#order++;
				if (line.length < 12 || /^(?:let me|now let)/i.test(line)) continue;
				if (this.matches(line))
					this.#hits.push({ line: clip(line, 260), share: this.match(line), order: this.#order });
			}
		}
	}

	/** The best matches, in the order of the conversation. */
	notes(): string[] {
		const seen = new Set<string>();
		return this.#hits
			.filter(({ line }) => !seen.has(sameKey(line)) && seen.add(sameKey(line)))
			.sort((a, b) => b.share - a.share || b.order - a.order)
			.slice(0, MOST_NOTES)
			.sort((a, b) => a.order - b.order)
			.map(({ line }) => line);
	}
}
