/**
 * Plans what to prune: old tool outputs whose content a notice can stand for, all of them or none.
 * Nothing is changed here.
 */
import type { ToolResultMessage } from '../../agent/messages.ts';
import type { TokenCounter } from '../../util/tokens.ts';
import { findContextStart, keptContextEntries, messagesOf } from '../context.ts';
import { estimateTokens } from '../message-tokens.ts';
import type { SessionEntry } from '../entries.ts';
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
 * Plans the pruning of a path's context. What an earlier compaction summarized, what no model would be sent, and what a context edit speaks for is not looked at.
 * @param pathEntries a path, root first, or the end of it that its context is made from
 */
export function pruneToolOutputs(
	pathEntries: readonly SessionEntry[],
	settings: PruneSettings = PRUNE_DEFAULTS,
	count?: TokenCounter,
): PrunePlan {
	const outputs: PrunableOutput[] = [];
	let possibleTokens = 0;
	let newerTokens = 0;
	for (const { entry, message, isEdited } of sentResults(pathEntries).reverse()) {
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
	const edited = new Set<string>();
	for (const { entry } of kept) if (entry.type === 'context_edit') edited.add(entry.targetId);
	const sent = new Set(buildRequest(messagesOf(kept)).sources);
	const results: SentResult[] = [];
	for (const { entry, message } of kept)
		if (message?.role === 'toolResult' && sent.has(message))
			results.push({ entry, message, isEdited: edited.has(entry.id) });
	return results;
}
