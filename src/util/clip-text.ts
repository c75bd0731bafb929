/** Shortens text in its middle: beginning and end say most about a long output. */

/** Share of the kept characters that the beginning gets; errors tend to stand at the end. */
const HEAD_SHARE = 0.7;

/** Moves a cut back where it would fall inside a surrogate pair. */
function safeCut(text: string, at: number): number {
	const code = text.charCodeAt(at);
	return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

/**
 * Keeps about `limit` characters of `text` and says in their midst how many were left out, followed by
 * what `tell` has to say of them. Text that is within the limit comes back as it is.
 */
export function clipMiddle(
	text: string,
	limit: number,
	tell: (cut: string) => string = () => '',
): string {
	if (text.length <= limit) return text;
	const headEnd = safeCut(text, Math.floor(limit * HEAD_SHARE));
	const tailStart = safeCut(text, text.length - (limit - headEnd));
	const told = tell(text.slice(headEnd, tailStart));
	const marker = `[… ${tailStart - headEnd} characters cut …]`;
	return [text.slice(0, headEnd), marker, ...(told ? [told] : []), text.slice(tailStart)].join(
		'\n',
	);
}

/** The longest clip of `text` that `fits`; the empty string where not even its marker does. */
export function clipToFit(text: string, fits: (clipped: string) => boolean): string {
	if (fits(text)) return text;
	let low = 0;
	let high = text.length;
	let best = '';
	// The size of a clip grows with its limit, up to the few characters of the marker.
	for (let step = 0; step < 24 && high - low > 16; step++) {
		const limit = Math.floor((low + high) / 2);
		const clipped = clipMiddle(text, limit);
		if (fits(clipped)) {
			best = clipped;
			low = limit;
		} else high = limit;
	}
	return best;
}
