/**
 * Entries on their way into another file. Some stay behind: gaps, and in forks labels, which are written
 * anew. What names one of those as its parent, or as the first entry kept, names the next one then.
 */
import type { SessionEntry } from './entries.ts';
import { isDamaged, requireReadable } from './entry-parse.ts';
import type { SessionTree } from './session-tree.ts';

export type StaysBehind = (entry: SessionEntry) => boolean;

/** True for an entry that cannot be copied, since it cannot be read. */
export const isGap: StaysBehind = (entry) => isDamaged(requireReadable(entry));

/**
 * The entry as it goes into the copy; itself where nothing in it changes.
 * @throws UserError('unreadable') where the file cannot be read now
 */
export function copiedEntry(
	tree: SessionTree,
	entry: SessionEntry,
	staysBehind: StaysBehind,
): SessionEntry {
	const parentId = copiedParent(tree, entry.id, staysBehind);
	const changed = parentId === entry.parentId ? entry : { ...entry, parentId };
	if (changed.type !== 'compaction') return changed;
	const firstKeptEntryId = copiedFirstKept(tree, changed.id, changed.firstKeptEntryId, staysBehind);
	return firstKeptEntryId === changed.firstKeptEntryId ? changed : { ...changed, firstKeptEntryId };
}

function copiedParent(tree: SessionTree, id: string, staysBehind: StaysBehind): string | null {
	for (let at = tree.parentOf(id); at !== null; at = tree.parentOf(at)) {
		const parent = tree.get(at);
		if (parent && !staysBehind(parent)) return at;
	}
	return null;
}

/** The first entry on the path to a compaction, from the one it keeps first on, that is copied. */
function copiedFirstKept(
	tree: SessionTree,
	compactionId: string,
	firstKeptEntryId: string,
	staysBehind: StaysBehind,
): string {
	const kept = tree.get(firstKeptEntryId);
	if (!kept || !staysBehind(kept)) return firstKeptEntryId;
	const keptPlace = tree.placeOf(firstKeptEntryId) ?? 0;
	let next = compactionId;
	for (let at: string | null = compactionId; at !== null; at = tree.parentOf(at)) {
		if (at === firstKeptEntryId) return next;
		// It is not on this path.
		if ((tree.placeOf(at) ?? 0) < keptPlace) break;
		const entry = tree.get(at);
		if (entry && !staysBehind(entry)) next = at;
	}
	return firstKeptEntryId;
}
