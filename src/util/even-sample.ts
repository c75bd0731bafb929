/** Evenly spread samples of long texts, so that work on a text of any length is bounded. */

/** Width of the windows that a sample is made of, in characters. */
const WINDOW = 128;

/**
 * Where the windows of a sample begin: spread evenly over `length` characters, each moved a little
 * within its share so that lines of one length cannot fall in step with them. The same for the same
 * lengths. Windows do not overlap where `windows * width` is no more than `length`.
 */
export function* windowStarts(length: number, windows: number, width: number): Generator<number> {
	const share = length / windows;
	const slack = Math.max(0, share - width);
	for (let index = 0; index < windows; index++) {
		// The golden ratio's multiples spread evenly and never repeat.
		const shift = (index * 0.618033988749895) % 1;
		yield Math.floor(index * share + shift * slack);
	}
}

/** A text that stands for a longer one, and how many times longer that is. */
export interface TextSample {
	text: string;
	scale: number;
}

/** The text itself up to `limit` characters, else about that much of it, taken evenly. */
export function evenSample(text: string, limit: number, width = WINDOW): TextSample {
	if (text.length <= limit) return { text, scale: 1 };
	const parts: string[] = [];
	for (const start of windowStarts(text.length, Math.max(1, Math.floor(limit / width)), width))
		parts.push(text.slice(start, start + width));
	const sample = parts.join('');
	return { text: sample, scale: text.length / sample.length };
}
