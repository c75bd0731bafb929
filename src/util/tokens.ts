/** Token estimates for text, by script; no tokenizer is loaded. */
import { windowStart } from './even-sample.ts';

/** Estimated tokens of one image, whatever its size (the figure that pi uses). */
export const IMAGE_TOKENS = 1200;

/** Counts the tokens of a text. Callers that hold a better counter than the estimate pass it in. */
export interface TokenCounter {
	(text: string): number;
	/** Tokens that a tool call takes besides its name and arguments; none where absent. */
	readonly perCall?: number;
	/** What is known of a whole message already, calls included; undefined where nothing is. */
	readonly known?: (message: object) => number | undefined;
}

const ASCII_TOKENS = 1 / 4;
/** Accented Latin, Greek, Cyrillic, Arabic, … : about two characters a token. */
const ALPHABET_TOKENS = 1 / 2;
/** Kana, Han, Hangul and symbols: close to one token a character. */
const IDEOGRAPH_TOKENS = 4 / 5;
const FIRST_IDEOGRAPH = 0x1100;

/** Texts up to here are looked at whole, in characters. */
const WHOLE_CHARACTERS = 512;
/** A longer one is judged by windows: one for so many of its characters, within these bounds. */
const CHARACTERS_PER_WINDOW = 128;
const LEAST_WINDOWS = 8;
const MOST_WINDOWS = 256;
const WINDOW = 16;

/**
 * Estimates the tokens of `text`: characters/4 for ASCII as pi does, more for other scripts, where
 * characters/4 is off by a factor of three. A surrogate pair counts once. Of a text over 512 characters
 * evenly spread windows are looked at, so that a session of any size is counted in no time.
 */
export function estimateTextTokens(text: string): number {
	const { length } = text;
	if (length <= WHOLE_CHARACTERS) return Math.ceil(scriptTokens(text, 0, length));
	const wanted = Math.floor(length / CHARACTERS_PER_WINDOW);
	const windows = Math.max(LEAST_WINDOWS, Math.min(MOST_WINDOWS, wanted));
	let tokens = 0;
	for (let index = 0; index < windows; index++) {
		const start = windowStart(index, windows, length, WINDOW);
		tokens += scriptTokens(text, start, start + WINDOW);
	}
	return Math.ceil((tokens * length) / (windows * WINDOW));
}

function scriptTokens(text: string, start: number, end: number): number {
	// Nearly all text is ASCII, and there may be very much of it: one comparison tells.
	let bits = 0;
	for (let i = start; i < end; i++) bits |= text.charCodeAt(i);
	if (bits < 0x80) return (end - start) * ASCII_TOKENS;
	let ascii = 0;
	let alphabet = 0;
	let ideographs = 0;
	for (let i = start; i < end; i++) {
		const code = text.charCodeAt(i);
		if (code < 0x80) ascii++;
		else if (code < FIRST_IDEOGRAPH) alphabet++;
		else if (code < 0xdc00 || code > 0xdfff) ideographs++;
	}
	return ascii * ASCII_TOKENS + alphabet * ALPHABET_TOKENS + ideographs * IDEOGRAPH_TOKENS;
}
