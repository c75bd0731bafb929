/** Clips one message that is larger than the room there is for it; the session keeps the whole. */
import { estimateTextTokens } from '../../util/tokens.ts';
import { convertToLlm, type AgentMessage } from '../messages.ts';
import { clipToFit } from './clip-text.ts';

/**
 * Turns a message into text of at most about `maxTokens`, its beginning and end around a marker of how
 * much is missing. Tool calls and images become text too: a clipped message is read, not replayed.
 */
export function clipMessage(message: AgentMessage, maxTokens: number): AgentMessage {
	const converted = convertToLlm([message])[0];
	if (!converted) return message;
	const parts: unknown[] =
		typeof converted.content === 'string'
			? [{ type: 'text', text: converted.content }]
			: converted.content;
	const whole = parts.map(partText).filter(Boolean).join('\n');
	const text = clipToFit(whole, (clipped) => estimateTextTokens(clipped) <= maxTokens);
	return { ...converted, content: [{ type: 'text', text }] };
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
