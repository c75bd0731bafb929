/** Makes text from a server fit to be shown: without secrets, on one line, short. */

/** Token shapes of the usual providers, and whatever follows an authorization scheme. */
const secretShapes: readonly RegExp[] = [
	/\b(?:bearer|basic)\s+[\w.~+/=*-]{6,}/gi,
	/\b(?:sk|pk|rk|gsk|xai|hf|ghp|gho|ghu|github_pat)[-_][\w*-]{10,}/g,
	/\bAIza[\w-]{20,}/g,
	/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
];

/** Shorter "keys" are the dummies of local servers; replacing them would garble ordinary words. */
const SHORTEST_SECRET = 4;

/** Replaces the given secrets, and whatever looks like one, by "[secret]". */
export function redact(text: string, secrets: readonly string[]): string {
	let redacted = text;
	for (const secret of secrets)
		if (secret.length >= SHORTEST_SECRET) redacted = redacted.replaceAll(secret, '[secret]');
	for (const shape of secretShapes) redacted = redacted.replace(shape, '[secret]');
	return redacted.replace(/\/\/[^/\s@]+@/g, '//[secret]@');
}

/** The beginning of a server's text on one line, at most `limit` characters, without HTML tags. */
export function excerpt(text: string, limit = 200): string {
	const plain = text
		.slice(0, 20_000)
		.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ')
		.replace(/<[^<>]*>/g, ' ')
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
	return plain.length > limit ? `${plain.slice(0, limit).trimEnd()}…` : plain;
}
