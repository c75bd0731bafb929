/** What a stored summary stands for: which entries, from which text to which. */
import { collectEntriesForBranchSummary } from './compaction/branch-summarization.ts';
import { findContextStart } from './context.ts';
import type { BranchSummaryEntry, CompactionEntry, SessionEntry } from './entries.ts';
import { entryText, firstLine, isMessageLike, isUserMessage } from './entry-text.ts';
import type { SessionTree } from './session-tree.ts';

export interface Coverage {
	/** Messages for a compaction, entries for a branch summary. */
	count: number;
	/** Beginning of the first and of the last user message that is covered; empty without one. */
	firstText: string;
	lastText: string;
	/** True where the entry does not record it, so that what precedes the kept entries is assumed. */
	assumed: boolean;
}

const TEXT_LENGTH = 60;

/** The messages whose content went into a compaction's summary. */
export function compactionCoverage(tree: SessionTree, entry: CompactionEntry): Coverage {
	const path = tree.pathTo(entry.id);
	const recorded = coveredRange(entry.details);
	if (recorded) {
		const first = path.findIndex(({ id }) => id === recorded.firstEntryId);
		const last = path.findIndex(({ id }) => id === recorded.lastEntryId);
		const covered = first >= 0 && last >= first ? path.slice(first, last + 1) : [];
		return {
			count: recorded.messages ?? covered.filter(isMessageLike).length,
			...texts(covered),
			assumed: false,
		};
	}
	const { firstKeptIndex } = findContextStart(path);
	const covered = path.slice(0, Math.min(firstKeptIndex, path.length - 1)).filter(isMessageLike);
	return { count: covered.length, ...texts(covered), assumed: true };
}

/** The entries that a branch summary stands for. */
export function branchCoverage(tree: SessionTree, entry: BranchSummaryEntry): Coverage {
	const { entries } = collectEntriesForBranchSummary(tree, entry.fromId, tree.parentOf(entry.id));
	const recorded = (entry.details as { coveredEntries?: unknown } | null | undefined)
		?.coveredEntries;
	return {
		count: typeof recorded === 'number' ? recorded : entries.length,
		...texts(entries),
		assumed: false,
	};
}

function texts(entries: readonly SessionEntry[]): Pick<Coverage, 'firstText' | 'lastText'> {
	const first = entries.find(isUserMessage) ?? entries.find((entry) => entryText(entry) !== '');
	const last = entries.findLast(isUserMessage);
	return {
		firstText: first ? firstLine(entryText(first), TEXT_LENGTH) : '',
		lastText: last && last !== first ? firstLine(entryText(last), TEXT_LENGTH) : '',
	};
}

function coveredRange(
	details: unknown,
): { firstEntryId: string; lastEntryId: string; messages: number | undefined } | undefined {
	const covered = (details as { covered?: unknown } | null | undefined)?.covered;
	if (typeof covered !== 'object' || covered === null) return undefined;
	const { firstEntryId, lastEntryId, messages } = covered as Record<string, unknown>;
	if (typeof firstEntryId !== 'string' || typeof lastEntryId !== 'string') return undefined;
	return {
		firstEntryId,
		lastEntryId,
		messages: typeof messages === 'number' ? messages : undefined,
	};
}
