/** Small parsers for values that crossed a process border; each returns a checked copy or fails. */

/** Takes anything; returns a value of its type, or throws a ParseFailure that `attempt` catches. */
export type Parser<T> = (value: unknown, path: string) => T;

class ParseFailure extends Error {}

function fail(path: string, wanted: string): never {
	throw new ParseFailure(`${path || 'message'}: expected ${wanted}`);
}

export const string: Parser<string> = (value, path) =>
	typeof value === 'string' ? value : fail(path, 'text');

export const boolean: Parser<boolean> = (value, path) =>
	typeof value === 'boolean' ? value : fail(path, 'true or false');

/** A whole number from zero on: counts, tokens, sequence numbers. */
export const count: Parser<number> = (value, path) =>
	Number.isSafeInteger(value) && (value as number) >= 0
		? (value as number)
		: fail(path, 'a whole number');

export function literal<T extends string | number>(...allowed: readonly T[]): Parser<T> {
	return (value, path) =>
		allowed.includes(value as T) ? (value as T) : fail(path, allowed.join(' or '));
}

export function nullable<T>(parser: Parser<T>): Parser<T | null> {
	return (value, path) => (value === null ? null : parser(value, path));
}

export function array<T>(parser: Parser<T>): Parser<T[]> {
	return (value, path) =>
		Array.isArray(value)
			? value.map((item, index) => parser(item, `${path}[${index}]`))
			: fail(path, 'a list');
}

/** A record with exactly these fields; others are left behind. */
export function object<T extends object>(fields: { [K in keyof T]-?: Parser<T[K]> }): Parser<T> {
	const entries = Object.entries<Parser<unknown>>(fields);
	return (value, path) => {
		if (typeof value !== 'object' || value === null) fail(path, 'a record');
		const source = value as Record<string, unknown>;
		const result: Record<string, unknown> = {};
		for (const [key, parser] of entries)
			result[key] = parser(Object.hasOwn(source, key) ? source[key] : undefined, `${path}.${key}`);
		return result as T;
	};
}

/** Picks the parser by the value of the field `tag`. */
export function tagged<K extends string, T extends { [P in K]: string }>(
	tag: K,
	cases: { [V in T[K]]: Parser<Extract<T, { [P in K]: V }>> },
): Parser<T> {
	return (value, path) => {
		const kind = (value as Record<string, unknown> | null | undefined)?.[tag];
		if (typeof kind !== 'string' || !Object.hasOwn(cases, kind))
			fail(`${path}.${tag}`, `one of ${Object.keys(cases).join(', ')}`);
		const parser = (cases as Record<string, Parser<unknown>>)[kind] as Parser<T>;
		return parser(value, `${path}<${kind}>`);
	};
}

export type Parsed<T> = { ok: true; value: T } | { ok: false; reason: string };

/** Runs a parser; never throws. */
export function attempt<T>(parser: Parser<T>, value: unknown): Parsed<T> {
	try {
		return { ok: true, value: parser(value, '') };
	} catch (error) {
		// A failing getter or proxy is as malformed as a wrong type, so anything thrown counts.
		return { ok: false, reason: error instanceof Error ? error.message : String(error) };
	}
}
