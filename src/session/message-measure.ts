/** What a message holds that takes tokens, counted without any calibration. */
import { IMAGE_TOKENS, type TokenCounter } from '../util/tokens.ts';
import { convertToLlm, type AgentMessage } from './messages.ts';
import { soundMessage } from './sound-message.ts';

export interface MessageMeasure {
	/** Tokens of its texts, as some counter counts them. */
	text: number;
	toolCalls: number;
	/** Tokens of its images. */
	images: number;
}

/** The texts of a message as a model would read them, and what else is in it. */
export interface MessageParts extends Omit<MessageMeasure, 'text'> {
	texts: string[];
}

/** Takes a session message apart; nothing is in it where no model is sent it. */
export function messageParts(message: AgentMessage): MessageParts {
	const parts: MessageParts = { texts: [], toolCalls: 0, images: 0 };
	for (const { content } of convertToLlm([soundMessage(message)])) {
		if (typeof content === 'string') parts.texts.push(content);
		else for (const part of content) addPart(parts, part);
	}
	return parts;
}

function addPart(
	parts: MessageParts,
	part: { type: string; text?: string; thinking?: string; name?: string; arguments?: object },
): void {
	if (part.type === 'text') parts.texts.push(part.text ?? '');
	else if (part.type === 'thinking') parts.texts.push(part.thinking ?? '');
	else if (part.type === 'image') parts.images += IMAGE_TOKENS;
	else if (part.type === 'toolCall') {
		parts.texts.push(part.name ?? '', JSON.stringify(part.arguments ?? {}));
		parts.toolCalls++;
	}
}

/** Measures a message with a counter of texts. */
export function measureMessage(message: AgentMessage, count: TokenCounter): MessageMeasure {
	const { texts, toolCalls, images } = messageParts(message);
	return { text: texts.reduce((sum, text) => sum + count(text), 0), toolCalls, images };
}
