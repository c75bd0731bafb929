/** Clips messages that are larger than the room there is for them; the session keeps the whole. */
import type { LlmMessage } from '../../agent/messages.ts';
import { estimateTextTokens } from '../../util/tokens.ts';
import { convertToLlm, type AgentMessage } from '../messages.ts';
import { clipToFit } from '../../util/clip-text.ts';

/**
 * Turns messages that belong together (an assistant message and its tool results) into one text message
 * of at most about `maxTokens`, its beginning and end around a marker of how much is missing. Tool calls
 * and images become text too: a clipped message is read, not replayed.
 */
export function clipMessages(
	messages: readonly [AgentMessage, ...AgentMessage[]],
	maxTokens: number,
): AgentMessage {
	const converted = convertToLlm(messages);
	const [first] = converted;
	if (!first) return messages[0];
	const whole = converted.map(messageText).filter(Boolean).join('\n');
	const text = clipToFit(whole, (clipped) => estimateTextTokens(clipped) <= maxTokens);
	return { ...first, content: [{ type: 'text', text }] };
}

function messageText(converted: LlmMessage): string {
	const parts: unknown[] =
		typeof converted.content === 'string'
			? [{ type: 'text', text: converted.content }]
			: converted.content;
	return parts.map(partText).filter(Boolean).join('\n');
}

function partText(part: unknown): string {
	const fields = part as Record<string, unknown>;
	switch (fields.type) {
		case 'text':
			return String(fields.text);
		case 'toolCall':
			return `[called ${String(fields.name)}(${JSON.stringify(fields.arguments)})]`;
		case 'image':
			return '[image]';
		default:
			return '';
	}
}
