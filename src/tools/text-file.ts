/** Text in files: what is text, its byte order mark, and its line ends. */
import { createYielder } from '../util/async.ts';

const BOM = '\ufeff';
/** How far a file is looked at to see whether it is text, in bytes. */
const LOOKED_AT = 8_192;
const LINES_BETWEEN_LOOKS = 1_000;

/** True where bytes are no text for people: they hold NUL near their beginning. */
export function isBinary(bytes: Uint8Array): boolean {
	return bytes.subarray(0, LOOKED_AT).includes(0);
}

/**
 * The text of a file, without its byte order mark.
 * @throws Error where the bytes are no UTF-8
 */
export function decodeText(bytes: Uint8Array, shown: string): { text: string; bom: string } {
	if (isBinary(bytes)) throw new Error(`${shown} is a binary file.`);
	let text: string;
	try {
		text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		throw new Error(`${shown} is no UTF-8 text.`);
	}
	return text.startsWith(BOM) ? { text: text.slice(BOM.length), bom: BOM } : { text, bom: '' };
}

export function encodeText(text: string): Uint8Array {
	return new TextEncoder().encode(text);
}

/** The lines of a text, without their ends; none for an empty text. */
export function linesOf(text: string): string[] {
	const lines: string[] = [];
	let start = 0;
	// Splitting by an expression takes several times as long, and files may be large.
	for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
		lines.push(text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end));
		start = end + 1;
	}
	if (start < text.length) lines.push(text.slice(start));
	return lines;
}

/** Some of a text's lines, from one on (from 1), and how many there are; gives the thread away. */
export async function someLines(
	text: string,
	first: number,
	count: number,
): Promise<{ lines: string[]; total: number }> {
	const pause = createYielder();
	let from = 0;
	let to = 0;
	let total = 0;
	for (let start = 0; start < text.length; total++) {
		if (total % LINES_BETWEEN_LOOKS === 0) await pause();
		if (total === first - 1) from = start;
		const end = text.indexOf('\n', start);
		start = end < 0 ? text.length : end + 1;
		if (total < first - 1 + count) to = start;
	}
	return { lines: total < first ? [] : linesOf(text.slice(from, to)), total };
}

/** The media type of an image that models can be sent; undefined for anything else. */
export function imageType(bytes: Uint8Array): string | undefined {
	const begins = (signature: readonly number[], at = 0) =>
		signature.every((byte, index) => bytes[at + index] === byte);
	if (begins([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'image/png';
	if (begins([0xff, 0xd8, 0xff])) return 'image/jpeg';
	if (begins([0x47, 0x49, 0x46, 0x38])) return 'image/gif';
	if (begins([0x52, 0x49, 0x46, 0x46]) && begins([0x57, 0x45, 0x42, 0x50], 8)) return 'image/webp';
	return undefined;
}

/** Base64 of bytes, in slices: a call takes only so many arguments. */
export function base64(bytes: Uint8Array): string {
	const slice = 0x2000;
	let binary = '';
	for (let at = 0; at < bytes.length; at += slice)
		binary += String.fromCharCode(...bytes.subarray(at, at + slice));
	return btoa(binary);
}
