/** What a stored summary stands for: which entries, from which text to which. */
import { isFromExtension, type BranchSummaryEntry, type CompactionEntry } from './entries.ts';
import { entryText, firstLine } from './entry-text.ts';
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
	const path = tree.idsTo(entry.id);
	const recorded = isFromExtension(entry) ? undefined : coveredRange(entry.details);
	if (recorded) {
		const first = path.indexOf(recorded.firstEntryId);
		const last = path.indexOf(recorded.lastEntryId);
		const covered = first >= 0 && last >= first ? path.slice(first, last + 1) : [];
		const count = recorded.messages ?? covered.filter((id) => isMessageLike(tree, id)).length;
		return { count, ...texts(tree, covered), assumed: false };
	}
	const firstKept = path.indexOf(entry.firstKeptEntryId);
	const covered = path
		.slice(0, firstKept < 0 ? path.length - 1 : firstKept)
		.filter((id) => id !== entry.id && isMessageLike(tree, id));
	return { count: covered.length, ...texts(tree, covered), assumed: true };
}

/** The entries that a branch summary stands for. */
export function branchCoverage(tree: SessionTree, entry: BranchSummaryEntry): Coverage {
	const left = tree.idsTo(entry.fromId);
	const shared = tree.commonAncestor(entry.fromId, tree.parentOf(entry.id));
	const ids = left.slice(shared === null ? 0 : left.indexOf(shared) + 1);
	const recorded = (entry.details as { coveredEntries?: unknown } | null | undefined)
		?.coveredEntries;
	return {
		count: typeof recorded === 'number' ? recorded : ids.length,
		...texts(tree, ids),
		assumed: false,
	};
}

/** The texts at both ends; reads the entries that it shows. */
function texts(
	tree: SessionTree,
	ids: readonly string[],
): Pick<Coverage, 'firstText' | 'lastText'> {
	const isUser = (id: string) => tree.roleOf(id) === 'user';
	const first = ids.find(isUser) ?? ids.find((id) => textOf(tree, id) !== '');
	const last = ids.findLast(isUser);
	return {
		firstText: first === undefined ? '' : textOf(tree, first),
		lastText: last === undefined || last === first ? '' : textOf(tree, last),
	};
}

function textOf(tree: SessionTree, id: string): string {
	const entry = tree.get(id);
	return entry ? firstLine(entryText(entry), TEXT_LENGTH) : '';
}

function isMessageLike(tree: SessionTree, id: string): boolean {
	const type = tree.typeOf(id);
	return type === 'message' || type === 'custom_message';
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
