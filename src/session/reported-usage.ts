/** What a provider reported with an answer, where it can be believed. */
import type { AssistantMessage } from '../agent/messages.ts';
import type { AgentMessage } from './messages.ts';

/** No window is nearly as large: a count above it is damaged, and counts as not reported. */
const MOST_TOKENS = 1e9;

/** Tokens that a provider counted. */
export interface ReportedUsage {
	/** What was sent: messages, system prompt and tools, whatever a cache served of them. */
	prompt: number;
	/** The same and the answer. */
	total: number;
}

/**
 * The usage of an answer; undefined where the provider reported nothing, and for failed and aborted
 * answers, whose counts stand for half of something. The fields are added up: a total may be missing
 * or mean something else.
 */
export function reportedUsage(message: AgentMessage): ReportedUsage | undefined {
	if (!isFinishedAnswer(message)) return undefined;
	// Files are not validated: anything may stand here.
	const usage: unknown = message.usage;
	if (typeof usage !== 'object' || usage === null) return undefined;
	const fields = usage as Record<string, unknown>;
	const prompt = count(fields.input) + count(fields.cacheRead) + count(fields.cacheWrite);
	return prompt > 0 ? { prompt, total: prompt + count(fields.output) } : undefined;
}

/** True for an answer that did not fail and was not aborted. */
export function isFinishedAnswer(message: AgentMessage): message is AssistantMessage {
	return (
		message.role === 'assistant' &&
		message.stopReason !== 'error' &&
		message.stopReason !== 'aborted'
	);
}

function count(value: unknown): number {
	return typeof value === 'number' && value > 0 && value <= MOST_TOKENS ? value : 0;
}

/** When a tool result was pruned (oh-my-pi's field), in ms since the epoch; undefined where it was not. */
export function prunedAt(message: AgentMessage): number | undefined {
	if (message.role !== 'toolResult' || !('prunedAt' in message)) return undefined;
	return typeof message.prunedAt === 'number' ? message.prunedAt : undefined;
}
