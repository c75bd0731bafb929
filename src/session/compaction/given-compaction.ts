/** Checks a compaction that a hook made: other code's results are used only where they are sound. */
import type { HookCompaction } from '../../extensibility/hooks/types.ts';
import type { TokenCounter } from '../../util/tokens.ts';
import { contextTokens } from '../context-tokens.ts';
import { keptContextEntries, messagesOf } from '../context.ts';
import type { SessionEntry } from '../entries.ts';
import type { AgentMessage } from '../messages.ts';
import type { CompactionPreparation } from './compaction.ts';
import { OpenCalls } from './open-calls.ts';

/**
 * What a hook's compaction leaves, or why it cannot be used: its summary must be a text, its boundary an
 * entry of the context and no tool result, and the context must become smaller (spec: persist and reload).
 * @param path the part of the path that the context is made from
 */
export function compactionAtBoundary(
	given: HookCompaction,
	path: readonly SessionEntry[],
	{ tokensBefore, roomTokens }: CompactionPreparation,
	count?: TokenCounter,
): { tokensAfter: number; keptMessages: number } | string {
	const { summary, firstKeptEntryId } = given;
	if (typeof summary !== 'string' || summary.trim() === '') return 'it gave no summary';
	const place = path.findIndex(({ id }) => id === firstKeptEntryId);
	const boundary = path[place];
	if (!boundary) return `its boundary ${String(firstKeptEntryId)} is not in the context`;
	if (boundary.type === 'message' && boundary.message.role === 'toolResult')
		return 'its boundary is a tool result, which would lose its call';
	const later = new Set(path.slice(place));
	const items = keptContextEntries(path);
	const messages = messagesOf(items.filter(({ entry }) => later.has(entry)));
	if (partsCall(messagesOf(items), messages.length))
		return 'its boundary lies between a tool call and its result';
	const tokensAfter = contextTokens(
		[{ role: 'compactionSummary', summary, tokensBefore, timestamp: 0 }, ...messages],
		count,
		roomTokens,
	);
	if (tokensAfter >= tokensBefore) return 'it would not make the context smaller';
	return { tokensAfter, keptMessages: messages.length };
}

/** True where one of the last `kept` messages answers a call that lies before them. */
function partsCall(messages: readonly AgentMessage[], kept: number): boolean {
	const newestFirst = messages.toReversed();
	const open = new OpenCalls(newestFirst);
	for (const message of newestFirst.slice(0, kept)) open.meet(message);
	return open.any;
}
