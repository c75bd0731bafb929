/** Tokens of single messages, as a model would read them. */
import type { LlmMessage } from '../agent/messages.ts';
import { estimateTextTokens, IMAGE_TOKENS, type TokenCounter } from '../util/tokens.ts';
import { convertToLlm, type AgentMessage } from './messages.ts';
import { soundMessage } from './sound-message.ts';

/** Tokens of one session message; 0 for what no model is sent. */
export function estimateTokens(
	message: AgentMessage,
	count: TokenCounter = estimateTextTokens,
): number {
	const known = count.known?.(message);
	if (known !== undefined) return known;
	let tokens = 0;
	for (const converted of convertToLlm([soundMessage(message)]))
		tokens += llmMessageTokens(converted, count);
	return tokens;
}

/** Tokens of one message of a request. */
export function llmMessageTokens(message: LlmMessage, count: TokenCounter): number {
	const { content } = message;
	if (typeof content === 'string') return count(content);
	let tokens = 0;
	for (const part of Array.isArray(content) ? content : []) {
		if (part.type === 'text') tokens += count(part.text);
		else if (part.type === 'thinking') tokens += count(part.thinking);
		else if (part.type === 'toolCall')
			tokens += count(part.name) + count(JSON.stringify(part.arguments)) + (count.perCall ?? 0);
		else if (part.type === 'image') tokens += IMAGE_TOKENS;
	}
	return tokens;
}
