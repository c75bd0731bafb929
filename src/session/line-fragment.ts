/** Reads single texts from the beginning of a JSON line that is too long, or cut off, to be parsed. */

/** What a JSON string holds up to its closing quote, or up to where the fragment ends: whole escapes. */
const STRING_BODY = /(?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*/y;

/**
 * The text of the first `"key": "…"` at or after `from`, at most `max` characters of it; undefined where
 * there is none.
 */
export function fragmentText(
	fragment: string,
	key: string,
	max: number,
	from = 0,
): string | undefined {
	const opening = new RegExp(`"${key}"\\s*:\\s*"`, 'g');
	opening.lastIndex = from;
	if (!opening.test(fragment)) return undefined;
	// An escape takes up to six characters for one.
	const source = fragment.slice(opening.lastIndex, opening.lastIndex + max * 6);
	STRING_BODY.lastIndex = 0;
	const body = STRING_BODY.exec(source)?.[0] ?? '';
	return unescape(body).slice(0, max);
}

/**
 * The words of a user message in the beginning of its line, at most `max` characters; an empty text
 * where the line begins with something else (an image); undefined where it is no user message.
 */
export function fragmentPrompt(fragment: string, max: number): string | undefined {
	const role = /"role"\s*:\s*"user"/.exec(fragment);
	if (!role || !/"type"\s*:\s*"message"/.test(fragment)) return undefined;
	const content = /"content"\s*:\s*(["[])/.exec(fragment);
	if (!content) return '';
	const key = content[1] === '"' ? 'content' : 'text';
	return fragmentText(fragment, key, max, content.index) ?? '';
}

function unescape(body: string): string {
	try {
		return JSON.parse(`"${body}"`) as string;
	} catch {
		// Control characters or escapes that JSON does not know: better shown raw than not at all.
		return body;
	}
}
