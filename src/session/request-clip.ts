/**
 * Clips the newest messages of a request where they alone leave no room for anything else: a result of
 * 14,000 tokens in a window of 8,000. The session keeps the whole (spec: one group larger than the window).
 */
import type { LlmMessage } from '../agent/messages.ts';
import { estimateTextTokens, type TokenCounter } from '../util/tokens.ts';
import { clipToFit } from './compaction/clip-text.ts';
import { llmMessageTokens } from './message-tokens.ts';
import type { AgentMessage } from './messages.ts';
import type { RequestOptions } from './request-builder.ts';
import type { RequestMessages } from './tool-call-pairs.ts';

/** The share of the room that the newest group may take; the rest is for a summary. */
const GROUP_SHARE = 0.75;
/** No part is clipped to fewer tokens than this, so that something of each is told. */
const LEAST_PART_TOKENS = 64;

/** Tokens that the last messages that belong together may take of `room`. */
export function groupLimit(room: number): number {
	return Math.max(0, Math.floor(room * GROUP_SHARE));
}

/**
 * Clips the last messages that belong together (an assistant message and its results, or one message)
 * in place, the largest texts first, where they take more than their share of the room.
 * @returns the session's messages that were clipped
 */
export function clipNewestGroup(
	{ messages, sources }: RequestMessages,
	{ room, count = estimateTextTokens }: RequestOptions,
): Set<AgentMessage> {
	const clipped = new Set<AgentMessage>();
	if (room === undefined) return clipped;
	const start = Math.max(
		0,
		messages.findLastIndex(({ role }) => role !== 'toolResult'),
	);
	const group = messages.slice(start);
	const limit = groupLimit(room);
	let tokens = 0;
	for (const [index, message] of group.entries()) {
		const source = sources[start + index];
		tokens += (source && count.known?.(source)) ?? llmMessageTokens(message, count);
	}
	if (tokens <= limit) return clipped;
	const cap = capFor(group, tokens - limit, count);
	for (const [index, whole] of group.entries()) {
		const message = withTexts(whole, (text) => clipToFit(text, (part) => count(part) <= cap));
		if (message === whole) continue;
		messages[start + index] = message;
		const source = sources[start + index];
		if (source) clipped.add(source);
	}
	return clipped;
}

/** The size that each text may have at most, so that the texts together shrink by `excess` tokens. */
function capFor(group: readonly LlmMessage[], excess: number, count: TokenCounter): number {
	const sizes: number[] = [];
	for (const message of group)
		withTexts(message, (text) => {
			sizes.push(count(text));
			return text;
		});
	sizes.sort((a, b) => b - a);
	let removed = 0;
	for (const [index, size] of sizes.entries()) {
		const next = sizes[index + 1] ?? 0;
		const step = (size - next) * (index + 1);
		if (removed + step >= excess)
			return Math.max(LEAST_PART_TOKENS, size - (excess - removed) / (index + 1));
		removed += step;
	}
	return LEAST_PART_TOKENS;
}

/** The message with each of its texts, those in arguments of calls included, passed through `change`. */
function withTexts(message: LlmMessage, change: (text: string) => string): LlmMessage {
	let changed = false;
	const passed = (text: string) => {
		const result = change(text);
		if (result !== text) changed = true;
		return result;
	};
	if (typeof message.content === 'string') return message;
	const content: unknown[] = message.content;
	const parts = content.map((part) => {
		const { type, text, arguments: args } = part as Record<string, unknown>;
		if (type === 'text' && typeof text === 'string')
			return { ...(part as object), text: passed(text) };
		if (type !== 'toolCall' || typeof args !== 'object' || args === null) return part;
		return { ...(part as object), arguments: withStrings(args, passed) };
	});
	return changed ? ({ ...message, content: parts } as typeof message) : message;
}

/** A copy with each string in it passed through `change`: edits of a file stand in lists of pairs. */
function withStrings(value: unknown, change: (text: string) => string): unknown {
	if (typeof value === 'string') return change(value);
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map((item) => withStrings(item, change));
	return Object.fromEntries(
		Object.entries(value).map(([name, field]) => [name, withStrings(field, change)]),
	);
}
