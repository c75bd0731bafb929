/**
 * Plans what to prune: old tool outputs whose content a notice can stand for, all of them or none.
 * Nothing is changed here.
 */
import type { ToolResultMessage } from '../../agent/messages.ts';
import { createYielder } from '../../util/async.ts';
import type { TokenCounter } from '../../util/tokens.ts';
import { findContextStart, keptContextEntries, type ContextEntry } from '../context.ts';
import { estimateTokens } from '../context-tokens.ts';
import type { SessionEntry } from '../entries.ts';
import type { AgentMessage } from '../messages.ts';
import { isPrunedMessage, noticed } from '../pruned-message.ts';
import { buildRequest } from '../request-builder.ts';

export interface PruneSettings {
	/** Tokens of the newest tool output that stay as they are. */
	protectTokens: number;
	/** Tokens that pruning must save, else nothing is pruned. */
	minimumSavings: number;
	/** Tools whose results are never pruned. */
	protectedTools: readonly string[];
}

export const PRUNE_DEFAULTS: PruneSettings = {
	protectTokens: 40_000,
	minimumSavings: 20_000,
	protectedTools: ['skill', 'read'],
};

/** A tool output to prune. */
export interface PrunableOutput {
	entryId: string;
	/** Estimated tokens of its content. */
	tokens: number;
	/** How many of them pruning saves. */
	savedTokens: number;
	/** What the model sees in its place. */
	notice: string;
}

export interface PrunePlan {
	/** Newest first; empty where pruning would save too little. */
	outputs: PrunableOutput[];
	/** Estimated tokens that pruning saves; 0 without outputs. */
	savedTokens: number;
	/** Estimated tokens that could be saved, were there no least saving. */
	possibleTokens: number;
}

/**
 * Plans the pruning of a path's context, giving the thread away now and then. What an earlier compaction
 * summarized, what no model would be sent, and what a context edit speaks for is not looked at.
 * @param pathEntries a path, root first, or the end of it that its context is made from
 */
export async function pruneToolOutputs(
	pathEntries: readonly SessionEntry[],
	settings: PruneSettings = PRUNE_DEFAULTS,
	count?: TokenCounter,
): Promise<PrunePlan> {
	const pause = createYielder();
	const outputs: PrunableOutput[] = [];
	let possibleTokens = 0;
	let newerTokens = 0;
	for (const { entry, message, isEdited } of sentResults(pathEntries).reverse()) {
		await pause();
		const tokens = estimateTokens(message, count);
		const isKept =
			isEdited ||
			isPrunedMessage(message) ||
			newerTokens < settings.protectTokens ||
			settings.protectedTools.includes(message.toolName);
		newerTokens += tokens;
		if (isKept) continue;
		const notice = noticeFor(tokens);
		const noticeTokens = estimateTokens(noticed(message, { notice, prunedAt: 0 }), count);
		const saved = tokens - noticeTokens;
		if (saved < noticeTokens) continue;
		outputs.push({ entryId: entry.id, tokens, savedTokens: saved, notice });
		possibleTokens += saved;
	}
	return possibleTokens >= settings.minimumSavings && outputs.length > 0
		? { outputs, savedTokens: possibleTokens, possibleTokens }
		: { outputs: [], savedTokens: 0, possibleTokens };
}

function noticeFor(tokens: number): string {
	return `[Output truncated - ${tokens} tokens]`;
}

interface SentResult {
	entry: SessionEntry;
	message: ToolResultMessage;
	/** True where the context shows the content of a context edit, whatever the entry holds. */
	isEdited: boolean;
}

/** The tool results of a path's context that a model is sent, oldest first. */
function sentResults(path: readonly SessionEntry[]): SentResult[] {
	const kept = keptContextEntries(path, findContextStart(path));
	const edited = new Set(
		kept.map(({ entry }) => (entry.type === 'context_edit' ? entry.targetId : undefined)),
	);
	const sent = sentEntryIds(kept);
	const results: SentResult[] = [];
	for (const { entry, messages } of kept)
		for (const message of messages)
			if (message.role === 'toolResult' && sent.has(entry.id))
				results.push({ entry, message, isEdited: edited.has(entry.id) });
	return results;
}

/** A mark that goes through the request builder with the message that it is on. */
const MARK = 'entryId';

/** The ids of the entries whose tool results the request builder pairs with a call. */
function sentEntryIds(kept: readonly ContextEntry[]): Set<string> {
	const marked = kept.flatMap(({ entry, messages }) =>
		messages.map((message): AgentMessage => Object.assign({ [MARK]: entry.id }, message)),
	);
	const ids = new Set<string>();
	for (const message of buildRequest(marked).messages) {
		const id = (message as unknown as Record<string, unknown>)[MARK];
		if (message.role === 'toolResult' && typeof id === 'string') ids.add(id);
	}
	return ids;
}
