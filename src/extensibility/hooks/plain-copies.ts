/** Copies of what passes between a session and its hooks, so that neither can reach into the other. */
import { createYielder } from '../../util/async.ts';

/**
 * A copy of an event for one hook, which may do with it what it likes; signals are shared. Gives the
 * thread away in between, since an event can hold a whole context.
 */
export async function copyOfEvent<T>(event: T): Promise<T> {
	return (await copied(event, createYielder())) as T;
}

async function copied(value: unknown, pause: () => Promise<void> | undefined): Promise<unknown> {
	if (typeof value !== 'object' || value === null || value instanceof AbortSignal) return value;
	await pause();
	if (Array.isArray(value)) {
		const items: unknown[] = [];
		for (const item of value) {
			items.push(structuredClone(item));
			await pause();
		}
		return items;
	}
	if (Object.getPrototypeOf(value) !== Object.prototype) return structuredClone(value);
	const fields: Record<string, unknown> = {};
	for (const [name, field] of Object.entries(value)) fields[name] = await copied(field, pause);
	return fields;
}

/**
 * What a hook answered, as the data that it comes to in a session file: without getters, functions and
 * proxies. Undefined where that is no data at all.
 * @throws where it cannot be written as JSON, or throws itself
 */
export function plainAnswer(answer: unknown): unknown {
	const json: string | undefined = JSON.stringify(answer);
	return json === undefined ? undefined : JSON.parse(json);
}
