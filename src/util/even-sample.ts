/** Evenly spread samples of long texts, so that work on a text of any length is bounded. */

/** Width of the windows that a sample is made of, in characters. */
const WINDOW = 128;

/**
 * Where the window `index` of a sample of `windows` begins: they are spread evenly over `length`
 * characters, each moved a little within its share so that lines of one length cannot fall in step with
 * them. The same for the same lengths. Windows do not overlap where all fit into the length.
 */
export function windowStart(index: number, windows: number, length: number, width: number): number {
	const share = length / windows;
	const slack = Math.max(0, share - width);
	// The golden ratio's multiples spread evenly and never repeat; of each its fraction (`% 1` is slow).
	const turns = index * 0.618033988749895;
	return Math.floor(index * share + (turns - Math.floor(turns)) * slack);
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
	const windows = Math.max(1, Math.floor(limit / width));
	for (let index = 0; index < windows; index++) {
		const start = windowStart(index, windows, text.length, width);
		parts.push(text.slice(start, start + width));
	}
	const sample = parts.join('');
	return { text: sample, scale: text.length / sample.length };
}
