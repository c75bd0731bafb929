/** The newest part of a path, made so that its coverage comes out as in the whole path (explainContext). */
import { createYielder } from '../util/async.ts';
import type { CompactionEntry, SessionEntry } from './entries.ts';
import type { SessionTree } from './session-tree.ts';

export interface RecentPath {
	/** Root or cut first. Compactions that reach back behind the cut name the first entry here instead. */
	path: SessionEntry[];
	/** Entries before it that were left out. */
	omitted: number;
}

/**
 * Reads at most the newest `most` entries on the path to `leafId`, giving the thread away in between.
 * Where it has to cut, it cuts before a user message if one follows, so that no tool call is parted
 * from its result.
 */
export async function readRecentPath(
	tree: SessionTree,
	leafId: string | null,
	most: number,
): Promise<RecentPath> {
	const places: number[] = [];
	let at = leafId === null ? -1 : (tree.placeOf(leafId) ?? -1);
	for (; at >= 0 && places.length < most; at = tree.parentPlace(at)) places.push(at);
	places.reverse();
	// A whole path begins where it begins.
	const turn = at < 0 ? 0 : places.findIndex((place) => tree.roleAt(place) === 'user');
	const recent = places.slice(Math.max(0, turn));
	const firstId = tree.idAt(recent[0] ?? -1) ?? '';
	const before = [...ancestors(tree, recent[0] ?? -1)];
	const isBefore = (id: unknown) =>
		typeof id === 'string' && before.includes(tree.placeOf(id) ?? -1);
	const path: SessionEntry[] = [];
	const pause = createYielder();
	for (const place of recent) {
		const entry = tree.get(tree.idAt(place) ?? '');
		if (entry?.type === 'compaction') path.push(within(entry, isBefore, firstId));
		else if (entry) path.push(entry);
		await pause();
	}
	return { path, omitted: before.length };
}

/** The places of what lies before an entry on its path. Nothing is read: this is quick for any session. */
function* ancestors(tree: SessionTree, place: number): Generator<number> {
	for (let at = place; at >= 0 && (at = tree.parentPlace(at)) >= 0;) yield at;
}

/** A compaction as seen from a path that begins at `firstId`. */
function within(
	entry: CompactionEntry,
	isBefore: (id: unknown) => boolean,
	firstId: string,
): CompactionEntry {
	const move = (id: unknown) => (isBefore(id) ? firstId : id);
	const { details } = entry as { details?: { covered?: Record<string, unknown> | null } | null };
	const covered = details?.covered;
	return {
		...entry,
		firstKeptEntryId: move(entry.firstKeptEntryId) as string,
		...(covered
			? {
					details: {
						...details,
						covered: { ...covered, firstEntryId: move(covered.firstEntryId) },
					},
				}
			: {}),
	};
}
