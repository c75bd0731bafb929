/**
 * The one token count that the meter, the trigger, the tree and a compaction's "before" and "after"
 * share: what the request built from these messages takes, without system prompt and tools.
 */
import { createYielder } from '../util/async.ts';
import { estimateTextTokens, type TokenCounter } from '../util/tokens.ts';
import { llmMessageTokens } from './message-tokens.ts';
import type { AgentMessage } from './messages.ts';
import { buildRequest, type BuiltRequest } from './request-builder.ts';

/**
 * Tokens of the request that would be built from these messages.
 * @param room tokens that the window leaves for them (see `buildRequest`)
 */
export function contextTokens(
	messages: readonly AgentMessage[],
	count?: TokenCounter,
	room?: number,
): number {
	const request = buildRequest(messages, { room, count });
	let tokens = 0;
	for (let index = 0; index < request.messages.length; index++)
		tokens += tokensAt(request, index, count);
	return tokens;
}

/** The same count, giving the thread away now and then: a context can be of any size. */
export async function countContextTokens(
	messages: readonly AgentMessage[],
	count?: TokenCounter,
	room?: number,
): Promise<number> {
	const pause = createYielder();
	const request = buildRequest(messages, { room, count });
	let tokens = 0;
	for (let index = 0; index < request.messages.length; index++) {
		tokens += tokensAt(request, index, count);
		await pause();
	}
	return tokens;
}

/** Tokens of one message of a request; what is known of its source holds where all of it is sent. */
export function tokensAt(
	{ messages, sources, clipped }: BuiltRequest,
	index: number,
	count: TokenCounter = estimateTextTokens,
): number {
	const source = sources[index];
	const known = source && !clipped.has(source) ? count.known?.(source) : undefined;
	const message = messages[index];
	return known ?? (message ? llmMessageTokens(message, count) : 0);
}
