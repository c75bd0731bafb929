/** Numbers as people read them. */

/** Tokens, short: 850, 4.3k, 128k, 1.2M. */
export function shortTokens(tokens: number): string {
	if (tokens < 1000) return String(Math.round(tokens));
	if (tokens < 9950) return `${trim((tokens / 1000).toFixed(1))}k`;
	if (tokens < 999_500) return `${Math.round(tokens / 1000)}k`;
	return `${trim((tokens / 1_000_000).toFixed(1))}M`;
}

function trim(number: string): string {
	return number.replace(/\.0$/, '');
}

/** "1 file", "3 files". */
export function plural(count: number, one: string, many = `${one}s`): string {
	return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** What a summary did to the context: "128k → 21k tokens". */
export function tokenChange(before: number | null, after: number | null): string {
	if (before === null) return after === null ? '' : `${shortTokens(after)} tokens after`;
	if (after === null) return `${shortTokens(before)} tokens before`;
	return `${shortTokens(before)} → ${shortTokens(after)} tokens`;
}

/** The header's meter: "≈ 43k of 128k tokens (estimate)"; "43k of 128k tokens" where all was reported. */
export function contextMeter(tokens: number, window: number, isExact: boolean): string {
	const of = window > 0 ? ` of ${shortTokens(window)}` : '';
	const count = `${shortTokens(tokens)}${of} tokens`;
	return isExact ? count : `≈ ${count} (estimate)`;
}
