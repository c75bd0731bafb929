/** Token estimates for text, by script; no tokenizer is loaded. */

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

/**
 * Estimates the tokens of `text`: characters/4 for ASCII as pi does, more for other scripts, where
 * characters/4 is off by a factor of three. A surrogate pair counts once. Linear in the length.
 */
export function estimateTextTokens(text: string): number {
	let tokens = 0;
	for (let i = 0; i < text.length; i++) {
		const code = text.charCodeAt(i);
		if (code < 0x80) tokens += ASCII_TOKENS;
		else if (code < FIRST_IDEOGRAPH) tokens += ALPHABET_TOKENS;
		else if (code < 0xdc00 || code > 0xdfff) tokens += IDEOGRAPH_TOKENS;
	}
	return Math.ceil(tokens);
}
