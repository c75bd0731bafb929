/**
 * The one token count that the meter, the trigger, the tree and a compaction's "before" and "after"
 * share: an estimate over the built messages, without system prompt and tools.
 */
import type { LlmMessage } from '../agent/messages.ts';
import { createYielder } from '../util/async.ts';
import { estimateTextTokens, IMAGE_TOKENS, type TokenCounter } from '../util/tokens.ts';
import { convertToLlm, type AgentMessage } from './messages.ts';
import { buildRequest } from './request-builder.ts';
import { soundMessage } from './sound-message.ts';

/** Tokens of one message as the model would read it; 0 for what no model is sent. */
export function estimateTokens(
	message: AgentMessage,
	count: TokenCounter = estimateTextTokens,
): number {
	let tokens = 0;
	for (const converted of convertToLlm([soundMessage(message)]))
		tokens += llmMessageTokens(converted, count);
	return tokens;
}

/** Tokens of the request that would be built from these messages. */
export function contextTokens(
	messages: readonly AgentMessage[],
	count: TokenCounter = estimateTextTokens,
): number {
	let tokens = 0;
	for (const message of buildRequest(messages).messages) tokens += llmMessageTokens(message, count);
	return tokens;
}

/** The same count, giving the thread away now and then: a context can be of any size. */
export async function countContextTokens(messages: readonly AgentMessage[]): Promise<number> {
	const pause = createYielder();
	let tokens = 0;
	for (const message of buildRequest(messages).messages) {
		tokens += llmMessageTokens(message, estimateTextTokens);
		await pause();
	}
	return tokens;
}

function llmMessageTokens(message: LlmMessage, count: TokenCounter): number {
	const { content } = message;
	if (typeof content === 'string') return count(content);
	let tokens = 0;
	for (const part of Array.isArray(content) ? content : []) {
		if (part.type === 'text') tokens += count(part.text);
		else if (part.type === 'thinking') tokens += count(part.thinking);
		else if (part.type === 'toolCall')
			tokens += count(part.name) + count(JSON.stringify(part.arguments));
		else if (part.type === 'image') tokens += IMAGE_TOKENS;
	}
	return tokens;
}
