/**
 * How full a leaf's context is: the one number behind the meter and the trigger. What the provider
 * reported last counts, where it still holds, and what came after it is estimated.
 */
import { createYielder } from '../util/async.ts';
import type { TokenCounter } from '../util/tokens.ts';
import { buildPathContext, findContextStart, keptContextEntries } from './context.ts';
import { tokensAt } from './context-tokens.ts';
import type { SessionEntry } from './entries.ts';
import type { AgentMessage } from './messages.ts';
import type { ModelName } from './observations.ts';
import { prunedAt, reportedUsage } from './reported-usage.ts';
import { buildRequest } from './request-builder.ts';
import type { SessionTree } from './session-tree.ts';

export interface ContextUsage {
	/** Tokens of the next request as it stands: system prompt, tools and messages. */
	tokens: number;
	/** Tokens of the built messages alone, as the counter counts them. */
	messageTokens: number;
	/** Tokens of the model's window. */
	contextWindow: number;
	/** The share of the window that is taken; over 100 where it does not fit. */
	percent: number;
	/** True where all of `tokens` was reported by the provider. */
	exact: boolean;
	basis: 'reported' | 'estimate';
	/** The answer whose reported usage counts. */
	reportedBy?: string;
}

export interface ContextUsageOptions {
	counter: TokenCounter;
	/** Tokens of the model's window. */
	contextWindow: number;
	/** Tokens of the system prompt and the tools; counted where the provider has not reported. */
	overheadTokens?: number;
	/** Tokens that the window leaves for the messages (see `buildRequest`). */
	room?: number;
	/** The model that will be asked: what another one reported is not taken then. */
	model?: ModelName;
	/** When tool outputs were pruned last, in ms since the epoch: what was reported before is too much. */
	prunedAt?: number;
}

/** The answer whose report counts, and what followed it. */
interface Report {
	entryId: string;
	total: number;
	answer: AgentMessage;
	after: ReadonlySet<AgentMessage>;
}

/**
 * Reads the usage of the context of `leafId`, giving the thread away now and then.
 * @throws UserError('unreadable') where the file cannot be read now
 */
export async function readContextUsage(
	tree: SessionTree,
	leafId: string | null,
	options: ContextUsageOptions,
): Promise<ContextUsage> {
	const { counter, contextWindow, overheadTokens = 0, room } = options;
	const path = await tree.readContextPathTo(leafId);
	const { messages } = buildPathContext(path);
	const report = lastReport(path, messages, options);
	const request = buildRequest(messages, { room, count: counter });
	let messageTokens = 0;
	let tailTokens = 0;
	let hasTail = false;
	let inTail = false;
	const pause = createYielder();
	for (const [index, source] of request.sources.entries()) {
		// A stand-in follows the call that it answers, so that it belongs where that belongs.
		if (report && source) inTail = report.after.has(source);
		else if (report && request.sources[index - 1] === report.answer) inTail = true;
		const tokens = tokensAt(request, index, counter);
		messageTokens += tokens;
		hasTail ||= inTail;
		if (inTail) tailTokens += tokens;
		await pause();
	}
	const tokens = report ? report.total + tailTokens : messageTokens + overheadTokens;
	return {
		tokens: Math.ceil(tokens),
		messageTokens: Math.ceil(messageTokens),
		contextWindow,
		percent: contextWindow > 0 ? (tokens / contextWindow) * 100 : 0,
		exact: report !== undefined && !hasTail,
		basis: report ? 'reported' : 'estimate',
		...(report ? { reportedBy: report.entryId } : {}),
	};
}

/** The newest report that still holds; undefined where there is none since the context changed otherwise. */
function lastReport(
	path: readonly SessionEntry[],
	messages: readonly AgentMessage[],
	{ model, prunedAt: prunedLast = -Infinity }: ContextUsageOptions,
): Report | undefined {
	const pruned = messages.reduce(
		(at, message) => Math.max(at, prunedAt(message) ?? at),
		prunedLast,
	);
	const start = findContextStart(path);
	const kept = keptContextEntries(path, start);
	// The messages after a summary are those of the kept entries; here they are gone through from the last.
	let end = messages.length;
	const firstAfterCompaction = kept.length - (path.length - 1 - start.compactionIndex);
	for (let index = kept.length - 1; index >= Math.max(0, firstAfterCompaction); index--) {
		const item = kept[index];
		if (!item || item.entry.type === 'context_edit') return undefined;
		if (!item.message) continue;
		const answer = messages[--end];
		if (answer?.role !== 'assistant') continue;
		const usage = reportedUsage(answer);
		if (!usage) continue;
		const isOther = model && (answer.provider !== model.provider || answer.model !== model.modelId);
		if (isOther || answer.timestamp < pruned) return undefined;
		const after = new Set(messages.slice(end + 1));
		return { entryId: item.entry.id, total: usage.total, answer, after };
	}
	return undefined;
}
