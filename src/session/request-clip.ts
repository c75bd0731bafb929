/**
 * Clips messages of a request that alone leave no room for anything else: a result of 14,000 tokens in a
 * window of 8,000. The session keeps the whole (spec: one group larger than the window).
 */
import type { LlmMessage, TextContent } from '../agent/messages.ts';
import { estimateTextTokens, IMAGE_TOKENS, type TokenCounter } from '../util/tokens.ts';
import { clipToFit } from './compaction/clip-text.ts';
import { llmMessageTokens } from './message-tokens.ts';
import type { AgentMessage } from './messages.ts';
import type { RequestItem, RequestOptions } from './request-builder.ts';

/** The share of the room that one group may take; the rest is for a summary. */
export const GROUP_SHARE = 0.75;
/** No part is clipped to fewer tokens than this, so that something of each is told. */
const LEAST_PART_TOKENS = 64;
const NO_IMAGE: TextContent = {
	type: 'text',
	text: '[An image does not fit here and is left out.]',
};

/**
 * Clips each group of messages that belong together (an assistant message and its results, or one
 * message) in place where it takes more than its share of the room, wherever it stands: the newest one
 * today is followed by others tomorrow. Thinking goes first, then images that are too many, then the
 * largest texts are shortened.
 * @returns the session's messages that were clipped
 */
export function clipLargeGroups(items: RequestItem[], options: RequestOptions): Set<AgentMessage> {
	const clipped = new Set<AgentMessage>();
	const { room, count = estimateTextTokens } = options;
	if (room === undefined) return clipped;
	const limit = Math.max(0, Math.floor(room * GROUP_SHARE));
	for (let start = 0, end = 1; start < items.length; start = end, end++) {
		while (items[end]?.message.role === 'toolResult') end++;
		for (const [index, message] of clippedGroup(items.slice(start, end), limit, count).entries()) {
			const item = items[start + index];
			if (!item || message === item.message) continue;
			items[start + index] = { message, source: item.source };
			if (item.source) clipped.add(item.source);
		}
	}
	return clipped;
}

/** The group's messages, those that were clipped being others than before. */
function clippedGroup(
	group: readonly RequestItem[],
	limit: number,
	count: TokenCounter,
): LlmMessage[] {
	if (isSmall(group, limit) || tokensOf(group, count) <= limit)
		return group.map(({ message }) => message);
	let smaller = group.map(withoutThinking);
	if (tokensOf(smaller, count) > limit) smaller = withFewerImages(smaller, limit);
	const excess = tokensOf(smaller, count) - limit;
	if (excess <= 0) return smaller.map(({ message }) => message);
	const cap = capFor(smaller, excess, count);
	return smaller.map((item) => clipTexts(item, (text) => clipTo(text, cap, count)));
}

/** True where not even two tokens a character would be too many: most groups need not be counted. */
function isSmall(group: readonly RequestItem[], limit: number): boolean {
	const characters = group.reduce(
		(sum, { message }) => sum + llmMessageTokens(message, ({ length }) => length),
		0,
	);
	return characters * 2 <= limit;
}

function tokensOf(group: readonly RequestItem[], count: TokenCounter): number {
	return group.reduce(
		(sum, { message, source }) =>
			sum + ((source && count.known?.(source)) ?? llmMessageTokens(message, count)),
		0,
	);
}

function withoutThinking(item: RequestItem): RequestItem {
	const { message } = item;
	if (message.role !== 'assistant') return item;
	const content = message.content.filter((part) => part.type !== 'thinking');
	// What is known of the source does not hold for what is left of it.
	return content.length === message.content.length
		? item
		: { message: { ...message, content }, source: undefined };
}

/** An image is there or not: half of the room at most is for images, the newest first. */
function withFewerImages(group: readonly RequestItem[], limit: number): RequestItem[] {
	let left = Math.floor(limit / 2 / IMAGE_TOKENS);
	const newestFirst = group.toReversed().map((item) => {
		const { content } = item.message;
		if (typeof content === 'string') return item;
		const newest = content.toReversed();
		const fewer = newest.map((part) => (part.type !== 'image' || left-- > 0 ? part : NO_IMAGE));
		return fewer.includes(NO_IMAGE)
			? { message: { ...item.message, content: fewer.reverse() } as LlmMessage, source: undefined }
			: item;
	});
	return newestFirst.reverse();
}

/** The size that each text may have at most, so that the texts together shrink by `excess` tokens. */
function capFor(group: readonly RequestItem[], excess: number, count: TokenCounter): number {
	const sizes: number[] = [];
	for (const item of group)
		clipTexts(item, (text) => {
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

function clipTo(text: string, cap: number, count: TokenCounter): string {
	return clipToFit(text, (clipped) => count(clipped) <= cap);
}

/** The message with each of its texts, those in arguments of calls included, passed through `clip`. */
function clipTexts({ message }: RequestItem, clip: (text: string) => string) {
	let changed = false;
	const passed = (text: string) => {
		const result = clip(text);
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
		const clippedArgs = Object.fromEntries(
			Object.entries(args).map(([name, value]: [string, unknown]) => [
				name,
				typeof value === 'string' ? passed(value) : value,
			]),
		);
		return { ...(part as object), arguments: clippedArgs };
	});
	return changed ? ({ ...message, content: parts } as typeof message) : message;
}
