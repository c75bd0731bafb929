/** Where a compaction cuts: what lies before is summarized, what follows is kept as it is. */
import { keptContextEntries, type ContextEntry } from '../context.ts';
import { estimateTokens } from '../context-tokens.ts';
import type { SessionEntry } from '../entries.ts';
import type { TokenCounter } from '../../util/tokens.ts';
import { OpenCalls } from './open-calls.ts';

export interface CutPoint {
	/** Index of the first entry to keep. */
	firstKeptEntryIndex: number;
	/** Index of the entry that starts the turn which the cut splits; -1 where none is split. */
	turnStartIndex: number;
	isSplitTurn: boolean;
}

const CUT_ROLES = new Set([
	'user',
	'assistant',
	'bashExecution',
	'custom',
	'hookMessage',
	'branchSummary',
	'compactionSummary',
]);

/** Entries at which the kept part may begin (spec: valid cut points); never a tool result. */
function isCutPoint(entry: SessionEntry): boolean {
	if (entry.type === 'message') return CUT_ROLES.has(entry.message.role);
	return entry.type === 'custom_message' || entry.type === 'branch_summary';
}

/** Entries that start a turn (spec: split turns). */
function isTurnStart(entry: SessionEntry): boolean {
	if (entry.type === 'message')
		return entry.message.role === 'user' || entry.message.role === 'bashExecution';
	return entry.type === 'custom_message' || entry.type === 'branch_summary';
}

/**
 * Finds the cut that keeps at most `keepTokens` of the entries from `startIndex` up to (not
 * including) `endIndex`. Sizes are summed backwards and tested at cut points alone, so an assistant
 * message and its tool results count as one; the newest such group is always kept. A tool call and
 * its results are never separated. Whether the turn is split is decided before the metadata that
 * stands just before the cut is pulled into the kept part.
 * Keeps everything (`firstKeptEntryIndex === startIndex`) where there is nowhere to cut.
 */
export function findCutPoint(
	entries: readonly SessionEntry[],
	startIndex: number,
	endIndex: number,
	keepTokens: number,
	count?: TokenCounter,
): CutPoint {
	const items = keptContextEntries(entries.slice(0, endIndex), {
		compaction: undefined,
		compactionIndex: -1,
		firstKeptIndex: startIndex,
		unknownFirstKept: false,
	});
	const cut = findCut(items, keepTokens, count);
	if (cut < 0) return { firstKeptEntryIndex: startIndex, turnStartIndex: -1, isSplitTurn: false };
	const cutEntry = items[cut]?.entry;
	const turnStart =
		cutEntry && isTurnStart(cutEntry)
			? -1
			: items.findLastIndex(({ entry }, index) => index < cut && isTurnStart(entry));
	return {
		firstKeptEntryIndex: startIndex + pullBackMetadata(items, cut),
		turnStartIndex: turnStart < 0 ? -1 : startIndex + turnStart,
		isSplitTurn: turnStart >= 0,
	};
}

function findCut(items: readonly ContextEntry[], keepTokens: number, count?: TokenCounter): number {
	const open = new OpenCalls(items.flatMap(({ messages }) => messages));
	let cut = -1;
	let kept = 0;
	for (let index = items.length - 1; index >= 0; index--) {
		const item = items[index];
		if (!item) continue;
		for (const message of item.messages) {
			kept += estimateTokens(message, count);
			open.meet(message);
		}
		if (open.any || !isCutPoint(item.entry)) continue;
		if (cut >= 0 && kept > keepTokens) break;
		cut = index;
		if (kept > keepTokens) break;
	}
	return cut;
}

/** Metadata describes what follows it, so it moves with it; anything that adds context does not. */
function pullBackMetadata(items: readonly ContextEntry[], cut: number): number {
	let first = cut;
	for (let before = items[first - 1]; before; before = items[first - 1]) {
		const { entry, messages } = before;
		if (messages.length > 0 || entry.type === 'message' || entry.type === 'compaction') break;
		first--;
	}
	return first;
}
