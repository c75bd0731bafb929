/** Where a compaction cuts: what lies before is summarized, what follows is kept as it is. */
import { ContextEntries } from '../context-entries.ts';
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
	const start = {
		compaction: undefined,
		compactionIndex: -1,
		firstKeptIndex: startIndex,
		unknownFirstKept: false,
	};
	const cut = cutForSize(new ContextEntries(entries, start, endIndex), keepTokens, count);
	if (!cut) return { firstKeptEntryIndex: startIndex, turnStartIndex: -1, isSplitTurn: false };
	return {
		firstKeptEntryIndex: cut.first,
		turnStartIndex: cut.turnStart,
		isSplitTurn: cut.turnStart >= 0,
	};
}

/** A cut in the entries of a context, by their places. */
export interface Cut {
	/** The first entry to keep, metadata included. */
	first: number;
	/** The entry that starts the turn which the cut splits; -1 where none is split. */
	turnStart: number;
}

/** The cut that keeps at most `keepTokens` of the context; undefined where there is nowhere to cut. */
export function cutForSize(
	entries: ContextEntries,
	keepTokens: number,
	count?: TokenCounter,
): Cut | undefined {
	return cutOf(entries, findCut(entries, keepTokens, count));
}

/** The last cut that keeps the entry at `place` and all that follows; undefined where there is none. */
export function cutBefore(entries: ContextEntries, place: number): Cut | undefined {
	const open = new OpenCalls(newestFirst(entries));
	for (let index = entries.end - 1; index >= entries.from; index--) {
		const entry = entries.entryAt(index);
		if (!entry) continue;
		const message = entries.messageAt(index);
		if (message) open.meet(message);
		if (index <= place && !open.any && isCutPoint(entry)) return cutOf(entries, index);
	}
	return undefined;
}

/** Completes a cut at the place of a valid cut point. */
function cutOf(entries: ContextEntries, place: number): Cut | undefined {
	const cutEntry = entries.entryAt(place);
	if (!cutEntry) return undefined;
	const turnStart = isTurnStart(cutEntry) ? -1 : turnStartBefore(entries, place);
	return { first: pullBackMetadata(entries, place), turnStart };
}

/** A message typed between a call and its result starts no turn: history and prefix would part them. */
function turnStartBefore(entries: ContextEntries, place: number): number {
	const open = new OpenCalls(newestFirst(entries, place));
	for (let index = place - 1; index >= entries.from; index--) {
		const entry = entries.entryAt(index);
		if (!entry) continue;
		const message = entries.messageAt(index);
		if (message) open.meet(message);
		if (!open.any && isTurnStart(entry)) return index;
	}
	return -1;
}

function* newestFirst(entries: ContextEntries, end = entries.end): Generator<AgentMessage> {
	for (let index = end - 1; index >= entries.from; index--) {
		const message = entries.messageAt(index);
		if (message) yield message;
	}
}

function findCut(entries: ContextEntries, keepTokens: number, count?: TokenCounter): number {
	const open = new OpenCalls(newestFirst(entries));
	let cut = -1;
	let kept = 0;
	/** A failed or stopped answer reaches no model: what it was to answer stays with it. */
	let isSent = false;
	for (let index = entries.end - 1; index >= entries.from; index--) {
		const entry = entries.entryAt(index);
		if (!entry) continue;
		const message = entries.messageAt(index);
		if (message) {
			kept += estimateTokens(message, count);
			open.meet(message);
		}
		isSent ||= message !== undefined && buildRequest([message]).messages.length > 0;
		if (!isSent || open.any || !isCutPoint(entry)) continue;
		if (cut >= 0 && kept > keepTokens) break;
		cut = index;
		if (kept > keepTokens) break;
	}
	return cut;
}

/** Metadata describes what follows it, so it moves with it; anything that adds context does not. */
function pullBackMetadata(entries: ContextEntries, cut: number): number {
	let first = cut;
	for (let index = cut - 1; index >= entries.from; index--) {
		const entry = entries.entryAt(index);
		// Left out of the context: neither adds to it nor can begin the kept part.
		if (!entry) continue;
		if (entries.messageAt(index) || entry.type === 'message' || entry.type === 'compaction') break;
		first = index;
	}
	return first;
}
