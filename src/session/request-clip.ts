/**
 * Clips messages of a request that alone leave no room for anything else: a result of 14,000 tokens in a
 * window of 8,000. The session keeps the whole (spec: one group larger than the window).
 */
import type { LlmMessage, TextContent } from '../agent/messages.ts';
import { estimateTextTokens, IMAGE_TOKENS, type TokenCounter } from '../util/tokens.ts';
import { clipToFit } from '../util/clip-text.ts';
import { llmMessageTokens } from './message-tokens.ts';
import type { AgentMessage } from './messages.ts';
import type { RequestOptions } from './request-builder.ts';
import type { RequestMessages } from './tool-call-pairs.ts';

/** The share of the room that one group may take; the rest is for a summary. */
const GROUP_SHARE = 0.75;
/** No part is clipped to fewer tokens than this, so that something of each is told. */
const LEAST_PART_TOKENS = 64;
const NO_IMAGE: TextContent = {
	type: 'text',
	text: '[An image does not fit here and is left out.]',
};

/** Tokens that messages which belong together may take of `room`. */
export function groupLimit(room: number): number {
	return Math.max(0, Math.floor(room * GROUP_SHARE));
}

/**
 * Clips each group of messages that belong together (an assistant message and its results, or one
 * message) in place where it takes more than its share of the room, wherever it stands: the newest one
 * today is followed by others tomorrow. Thinking goes first, then images that are too many, then the
 * largest texts are shortened.
 * @returns the session's messages that were clipped
 */
export function clipLargeGroups(
	{ messages, sources }: RequestMessages,
	{ room, count = estimateTextTokens }: RequestOptions,
): Set<AgentMessage> {
	const clipped = new Set<AgentMessage>();
	if (room === undefined) return clipped;
	const limit = groupLimit(room);
	for (let start = 0, end = 1; start < messages.length; start = end, end++) {
		let tokens = 0;
		for (let index = start; index < end; index++) {
			const [message, source] = [messages[index], sources[index]];
			tokens +=
				(source && count.known?.(source)) ?? (message ? llmMessageTokens(message, count) : 0);
			if (messages[end]?.role === 'toolResult') end++;
		}
		if (tokens <= limit) continue;
		const group = messages.slice(start, end);
		for (const [index, message] of clippedGroup(group, limit, count).entries()) {
			if (message === group[index]) continue;
			messages[start + index] = message;
			const source = sources[start + index];
			if (source) clipped.add(source);
		}
	}
	return clipped;
}

/** The messages of a group that is too large, those that were clipped being others than before. */
function clippedGroup(
	group: readonly LlmMessage[],
	limit: number,
	count: TokenCounter,
): readonly LlmMessage[] {
	const excessOf = (messages: readonly LlmMessage[]) =>
		messages.reduce((sum, message) => sum + llmMessageTokens(message, count), -limit);
	let smaller: readonly LlmMessage[] = group.map(withoutThinking);
	if (excessOf(smaller) > 0) smaller = withFewerImages(smaller, limit);
	const excess = excessOf(smaller);
	if (excess <= 0) return smaller;
	const cap = capFor(smaller, excess, count);
	return smaller.map((message) =>
		withTexts(message, (text) => clipToFit(text, (part) => count(part) <= cap)),
	);
}

function withoutThinking(message: LlmMessage): LlmMessage {
	if (message.role !== 'assistant') return message;
	const content = message.content.filter(({ type }) => type !== 'thinking');
	return content.length === message.content.length ? message : { ...message, content };
}

/** An image is there or not: half of the room at most is for images, the newest first. */
function withFewerImages(group: readonly LlmMessage[], limit: number): LlmMessage[] {
	let left = Math.floor(limit / 2 / IMAGE_TOKENS);
	const newestFirst = group.toReversed().map((message) => {
		if (typeof message.content === 'string') return message;
		const newest = message.content.toReversed();
		const fewer = newest.map((part) => (part.type !== 'image' || left-- > 0 ? part : NO_IMAGE));
		return fewer.includes(NO_IMAGE)
			? ({ ...message, content: fewer.reverse() } as LlmMessage)
			: message;
	});
	return newestFirst.reverse();
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
