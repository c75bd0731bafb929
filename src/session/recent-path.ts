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
	const ids = tree.idsTo(leafId);
	const from = Math.max(0, ids.length - most);
	const turn = from === 0 ? 0 : ids.findIndex((id, at) => at >= from && tree.roleOf(id) === 'user');
	const cut = turn < 0 ? from : turn;
	const omitted = new Set(ids.slice(0, cut));
	const path: SessionEntry[] = [];
	const pause = createYielder();
	for (const id of ids.slice(cut)) {
		const entry = tree.get(id);
		if (entry?.type === 'compaction') path.push(within(entry, omitted, ids[cut] ?? ''));
		else if (entry) path.push(entry);
		await pause();
	}
	return { path, omitted: cut };
}

/** A compaction as seen from a path that begins at `firstId`. */
function within(
	entry: CompactionEntry,
	omitted: ReadonlySet<string>,
	firstId: string,
): CompactionEntry {
	const move = (id: unknown) => (typeof id === 'string' && omitted.has(id) ? firstId : id);
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
