/** The plainest possible reader of a session file, which the real one is compared with. */

export type Json = Record<string, unknown>;

/** What a session file says: its entries in file order, the first of each id. */
export function readPlainly(bytes: Uint8Array): Json[] {
	const lines = new TextDecoder().decode(bytes).split('\n').map(parse);
	const header = lines.findIndex((value) => value?.type === 'session');
	const entries = new Map<string, Json>();
	for (const value of lines.slice(header + 1)) {
		if (typeof value?.type !== 'string') continue;
		if (typeof value.id !== 'string' || value.id === '' || entries.has(value.id)) continue;
		entries.set(value.id, normalized(value));
	}
	return [...entries.values()];
}

/** The role of a message; undefined for other entries. */
export function plainRole({ type, message }: Json): unknown {
	return type === 'message' ? (message as Json | undefined)?.role : undefined;
}

function parse(line: string): Json | undefined {
	try {
		const value: unknown = JSON.parse(line);
		const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
		return isObject ? (value as Json) : undefined;
	} catch {
		return undefined;
	}
}

/** A parent that is no text is none, and a time that is no text is empty. */
function normalized(value: Json): Json {
	const { parentId, timestamp } = value;
	return {
		...value,
		parentId: typeof parentId === 'string' ? parentId : null,
		timestamp: typeof timestamp === 'string' ? timestamp : '',
	};
}
