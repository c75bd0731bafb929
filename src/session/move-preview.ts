/** What a move in the tree would leave behind, for the question that is asked before it. */
import { collectEntriesForBranchSummary } from './compaction/branch-summarization.ts';
import { entryTokens } from './entry-text.ts';
import { navigationTarget } from './navigation.ts';
import type { SessionManager } from './session-manager.ts';

export interface MovePreview {
	/** Entries that the new position does not have. */
	entries: number;
	/** How many of them a model would have seen. */
	messages: number;
	/** Estimated tokens of those. */
	tokens: number;
}

/** Counts what choosing `targetId` leaves behind. */
export function previewMove(manager: SessionManager, targetId: string): MovePreview {
	const { leafId } = navigationTarget(manager, targetId);
	const { entries } = collectEntriesForBranchSummary(manager.tree, manager.leafId, leafId);
	let messages = 0;
	let tokens = 0;
	for (const entry of entries) {
		const size = entryTokens(entry);
		tokens += size;
		if (size > 0) messages++;
	}
	return { entries: entries.length, messages, tokens };
}
