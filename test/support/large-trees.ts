/** Trees far larger than any session, for tests of what must not depend on their shape. */
import type { SessionEntry } from '../../src/session/entries.ts';
import { asWritten } from './every-kind.ts';
import { assistant } from './session-builder.ts';

/** Says by place what an entry is; the default is a conversation of questions and answers. */
type BodyAt = (place: number) => Record<string, unknown>;

export function idAt(place: number): string {
	return `e${place.toString(16).padStart(7, '0')}`;
}

function conversation(place: number): Record<string, unknown> {
	const user = { role: 'user', content: `ask ${place}`, timestamp: 1 };
	return { type: 'message', message: place % 2 === 0 ? user : assistant(`say ${place}`) };
}

/** Entries of which each hangs at the place that `parentAt` gives; a negative one is a root. */
export function treeOf(
	count: number,
	parentAt: (place: number) => number,
	bodyAt: BodyAt = conversation,
): SessionEntry[] {
	return Array.from({ length: count }, (_, place) => {
		const parent = parentAt(place);
		return asWritten({
			...{ id: idAt(place), parentId: parent < 0 ? null : idAt(parent) },
			...{ timestamp: '2026-01-01T00:00:00.000Z', ...bodyAt(place) },
		} as unknown as SessionEntry);
	});
}

/** A conversation without a branch. */
export function chain(count: number): SessionEntry[] {
	return treeOf(count, (place) => place - 1);
}

/** Entries that all follow the first one. */
export function star(count: number): SessionEntry[] {
	return treeOf(count, (place) => (place === 0 ? -1 : 0));
}

/** A conversation whose third entry is a compaction that keeps the first; all the rest follows it. */
export function longTail(count: number): SessionEntry[] {
	const compaction = {
		...{ type: 'compaction', summary: 's', firstKeptEntryId: idAt(0), tokensBefore: 1 },
	};
	return treeOf(
		count,
		(place) => place - 1,
		(place) => (place === 2 ? compaction : conversation(place)),
	);
}

/** A chain of which every entry was also left for a later answer, the deepest first. */
export function comb(teeth: number): SessionEntry[] {
	return treeOf(2 * teeth, (place) => (place < teeth ? place - 1 : 2 * teeth - 1 - place));
}
