/** Cuts texts to what a panel shows; the whole is one click away, in the entry. */
import type { ShownText } from '../../protocol/chat-item.ts';

/** A message or a summary. */
export const MESSAGE_CHARACTERS = 20_000;
/** What a tool or a command printed: it is folded, so its beginning will do. */
export const OUTPUT_CHARACTERS = 8_000;
/** The arguments of a tool call. */
export const ARGUMENT_CHARACTERS = 4_000;

/** The first `limit` characters; a surrogate pair is never halved. */
export function clip(text: string, limit: number): ShownText {
	if (text.length <= limit) return { text, cut: 0 };
	const last = text.charCodeAt(limit - 1);
	const end = last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
	return { text: text.slice(0, end), cut: text.length - end };
}

/** One line of at most `limit` characters. */
export function oneLine(text: string, limit: number): string {
	const line = clip(text.trimStart(), limit).text.replace(/\s+/g, ' ').trim();
	return text.trim().length > limit ? `${line}…` : line;
}
