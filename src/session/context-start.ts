/** Where a leaf's context begins in the file, for those who only need to know what lies behind that. */
import type { SessionTree } from './session-tree.ts';

/**
 * The place of the first entry that the newest compaction on the way to `leafId` keeps; of that
 * compaction where it keeps none, of a later reset boundary, or -1 where neither is on the way. Reads
 * that one entry alone.
 */
export function contextStartPlace(tree: SessionTree, leafId: string | null): number {
	const starts = tree.upFrom(leafId, (type) => type === 'compaction' || type === 'reset_boundary');
	for (const entry of starts) {
		const place = tree.placeOf(entry.id) ?? -1;
		const kept = entry.type === 'compaction' ? tree.placeOf(entry.firstKeptEntryId) : undefined;
		return kept !== undefined && kept < place ? kept : place;
	}
	return -1;
}
