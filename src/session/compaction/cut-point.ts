/** Where a compaction cuts: what lies before is summarized, what follows is kept as it is. */
import { keptContextEntries, type ContextEntry } from '../context.ts';
import { estimateTokens } from '../message-tokens.ts';
import type { SessionEntry } from '../entries.ts';
import type { AgentMessage } from '../messages.ts';
import type { TokenCounter } from '../../util/tokens.ts';
import { buildRequest } from '../request-builder.ts';
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
 * message and its tool results count as one; the newest such group that a model is sent is always
 * kept. A tool call and its results are never separated. Whether the turn is split is decided before
 * the metadata that stands just before the cut is pulled into the kept part.
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
	const cut = cutOf(items, findCut(items, keepTokens, count));
	if (!cut) return { firstKeptEntryIndex: startIndex, turnStartIndex: -1, isSplitTurn: false };
	return {
		firstKeptEntryIndex: startIndex + cut.first,
		turnStartIndex: cut.turnStart < 0 ? -1 : startIndex + cut.turnStart,
		isSplitTurn: cut.turnStart >= 0,
	};
}

/** A cut in a list of context entries, by their places in it. */
export interface Cut {
	/** The first entry to keep, metadata included. */
	first: number;
	/** The entry that starts the turn which the cut splits; -1 where none is split. */
	turnStart: number;
}

/** The cut that keeps at most `keepTokens` of the context; undefined where there is nowhere to cut. */
export function cutForSize(
	items: readonly ContextEntry[],
	keepTokens: number,
	count?: TokenCounter,
): Cut | undefined {
	return cutOf(items, findCut(items, keepTokens, count));
}

/** The last cut that keeps the entry at `place` and all that follows; undefined where there is none. */
export function cutBefore(items: readonly ContextEntry[], place: number): Cut | undefined {
	const open = new OpenCalls(newestFirst(items));
	for (let index = items.length - 1; index >= 0; index--) {
		const item = items[index];
		if (!item) continue;
		if (item.message) open.meet(item.message);
		if (index <= place && !open.any && isCutPoint(item.entry)) return cutOf(items, index);
	}
	return undefined;
}

/** Completes a cut at the place of a valid cut point. */
function cutOf(items: readonly ContextEntry[], place: number): Cut | undefined {
	const cutEntry = items[place]?.entry;
	if (!cutEntry) return undefined;
	const turnStart = isTurnStart(cutEntry) ? -1 : turnStartBefore(items, place);
	return { first: pullBackMetadata(items, place), turnStart };
}

/** A message typed between a call and its result starts no turn: history and prefix would part them. */
function turnStartBefore(items: readonly ContextEntry[], place: number): number {
	const open = new OpenCalls(newestFirst(items, place));
	for (let index = place - 1; index >= 0; index--) {
		const item = items[index];
		if (!item) continue;
		if (item.message) open.meet(item.message);
		if (!open.any && isTurnStart(item.entry)) return index;
	}
	return -1;
}

function* newestFirst(items: readonly ContextEntry[], end = items.length): Generator<AgentMessage> {
	for (let index = end - 1; index >= 0; index--) {
		const message = items[index]?.message;
		if (message) yield message;
	}
}

function findCut(items: readonly ContextEntry[], keepTokens: number, count?: TokenCounter): number {
	const open = new OpenCalls(newestFirst(items));
	let cut = -1;
	let kept = 0;
	/** A failed or stopped answer reaches no model: what it was to answer stays with it. */
	let isSent = false;
	for (let index = items.length - 1; index >= 0; index--) {
		const item = items[index];
		if (!item) continue;
		if (item.message) {
			kept += estimateTokens(item.message, count);
			open.meet(item.message);
		}
		isSent ||= item.message !== undefined && buildRequest([item.message]).messages.length > 0;
		if (!isSent || open.any || !isCutPoint(item.entry)) continue;
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
		const { entry, message } = before;
		if (message || entry.type === 'message' || entry.type === 'compaction') break;
		first--;
	}
	return first;
}
