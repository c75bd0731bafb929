/**
 * Token counts in OpenAI's o200k encoding. Built into a file of its own (dist/o200k.js), which is large
 * and takes about 0.4 s to load: never on activation, never in the extension host's thread.
 */
import tokens from 'gpt-tokenizer/bpeRanks/o200k_base';
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants';
import { evenSample } from '../util/even-sample.ts';
import { countBytePairs } from './byte-pairs.ts';
import { TokenTable } from './token-table.ts';

/** Of a longer text evenly spread parts are counted, so many characters together. */
const SAMPLED_CHARACTERS = 500_000;
const SAMPLE_WIDTH = 4_096;
/** Text is split into pieces in slices of this many characters: the expression keeps its place for each. */
const SLICE = 8_192;
/** How far back from a slice's end a natural break is looked for, in characters. */
const BREAK_REACH = 1_024;

const table = new TokenTable(tokens);
const encoder = new TextEncoder();
/** The bytes of the piece that is being counted: at most three for each of a slice's characters. */
const bytes = new Uint8Array(SLICE * 3);

/**
 * Tokens of a text. What looks like a special token counts as the plain text that it is. Up to
 * 500,000 characters the count is exact but for runs of over 384 bytes without a break, which are cut.
 */
export function countO200k(text: string): number {
	const sample = evenSample(text, SAMPLED_CHARACTERS, SAMPLE_WIDTH);
	let count = 0;
	for (let start = 0; start < sample.text.length;) {
		const end = sliceEnd(sample.text, start);
		count += countSlice(sample.text.slice(start, end));
		start = end;
	}
	return Math.round(count * sample.scale);
}

function countSlice(slice: string): number {
	let count = 0;
	for (const [piece] of slice.matchAll(O200K_TOKEN_SPLIT_REGEX))
		count += countBytePairs(bytes, encoder.encodeInto(piece, bytes).written, table);
	return count;
}

/** The end of the slice that begins at `start`: a space behind a visible character, where one is near. */
function sliceEnd(text: string, start: number): number {
	const end = start + SLICE;
	if (end >= text.length) return text.length;
	for (let at = end; at > end - BREAK_REACH; at--)
		if (text[at] === ' ' && isVisibleAscii(text.charCodeAt(at - 1))) return at;
	return isLowSurrogate(text.charCodeAt(end)) ? end - 1 : end;
}

function isVisibleAscii(code: number): boolean {
	return code > 0x20 && code < 0x7f;
}

function isLowSurrogate(code: number): boolean {
	return code >= 0xdc00 && code <= 0xdfff;
}
