/**
 * Pages of the chat: walks from an entry towards the root and converts only what the page shows, so
 * that the work grows with the page and not with the history.
 */
import type { ChatItem } from '../../protocol/chat-item.ts';
import { EARLIER_COUNT_LIMIT } from '../../protocol/panel.ts';
import type { SessionEntry } from '../../session/entries.ts';
import {
	chatItem,
	looseResultItem,
	storedResult,
	toolCallIds,
	type StoredResult,
} from './chat-items.ts';

/** What a page needs of a session's tree. */
export interface EntrySource {
	get(id: string): SessionEntry | undefined;
	parentOf(id: string): string | null;
}

export interface ChatPage {
	/** Oldest first. */
	items: ChatItem[];
	/** How many entries lie before the page, counted up to EARLIER_COUNT_LIMIT. */
	earlier: number;
}

/** How far to look beyond a full page, in entries, so that a tool result meets its call. */
const OVERRUN = 50;
/** Results that wait for their calls; damaged files hold any number that have none. */
const MAX_WAITING = 500;

/** The last `limit` items of the path that ends at `fromId`. */
export function chatPage(source: EntrySource, fromId: string | null, limit: number): ChatPage {
	const newestFirst: ChatItem[] = [];
	const waiting = new Map<string, StoredResult>();
	let at = fromId;
	let overrun = 0;
	for (; at !== null; at = source.parentOf(at)) {
		const full = newestFirst.length - waiting.size >= limit || waiting.size >= MAX_WAITING;
		if (full && (waiting.size === 0 || overrun++ >= OVERRUN)) break;
		const entry = source.get(at);
		if (!entry) break;
		const result = storedResult(entry);
		if (result) {
			// Of two results for one call the newest, met first, counts; the other stays on its own.
			if (!waiting.has(result.message.toolCallId)) waiting.set(result.message.toolCallId, result);
			// It holds its place until its call is found; where it is not, it is shown here.
			newestFirst.push(looseResultItem(result));
			continue;
		}
		const claimed = claim(entry, waiting);
		if (claimed.size > 0) removeLoose(newestFirst, claimed);
		const item = chatItem(entry, claimed);
		if (item) newestFirst.push(item);
	}
	return { items: newestFirst.reverse(), earlier: countUp(source, at) };
}

/**
 * The items that an appended entry adds or changes: its own, or the answer that made the call which
 * it is the result of.
 */
export function appendedItems(source: EntrySource, entry: SessionEntry): ChatItem[] {
	const result = storedResult(entry);
	if (!result) {
		const item = chatItem(entry, new Map());
		return item ? [item] : [];
	}
	const results = new Map<string, StoredResult>();
	let steps = 0;
	for (let at: string | null = entry.id; at !== null && steps < OVERRUN; steps++) {
		const found = source.get(at);
		if (!found) break;
		const stored = storedResult(found);
		// Walking back, so the first result met for a call is its newest.
		if (stored && !results.has(stored.message.toolCallId))
			results.set(stored.message.toolCallId, stored);
		if (toolCallIds(found).includes(result.message.toolCallId)) {
			const item = chatItem(found, results);
			return item ? [item] : [];
		}
		at = source.parentOf(at);
	}
	return [looseResultItem(result)];
}

/** Takes the waiting results of an entry's calls. */
function claim(entry: SessionEntry, waiting: Map<string, StoredResult>): Map<string, StoredResult> {
	const claimed = new Map<string, StoredResult>();
	if (waiting.size === 0) return claimed;
	for (const id of toolCallIds(entry)) {
		const result = waiting.get(id);
		if (!result) continue;
		claimed.set(id, result);
		waiting.delete(id);
	}
	return claimed;
}

function removeLoose(items: ChatItem[], claimed: ReadonlyMap<string, StoredResult>): void {
	const ids = new Set([...claimed.values()].map(({ entryId }) => entryId));
	for (let index = items.length - 1, left = ids.size; index >= 0 && left > 0; index--) {
		if (!ids.has(items[index]?.id ?? '')) continue;
		items.splice(index, 1);
		left--;
	}
}

function countUp(source: EntrySource, fromId: string | null): number {
	let count = 0;
	for (let at = fromId; at !== null && count < EARLIER_COUNT_LIMIT; at = source.parentOf(at))
		count++;
	return count;
}
