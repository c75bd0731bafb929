/** Writes messages down as a transcript for a summarizer: quoted text, nothing that can be mistaken for its own prompt. */
import type { LlmMessage, ToolCall } from '../../agent/messages.ts';
import { clipMiddle } from '../../util/clip-text.ts';
import { errorLines } from './error-lines.ts';
import { neutralizeTags } from './neutralize.ts';

/** Characters of a tool result that a summarizer sees (the figure that pi uses). */
export const TOOL_RESULT_CHARACTERS = 2000;
/** Characters of one argument of a tool call: whole files are written in these. */
const ARGUMENT_CHARACTERS = 2000;

const IMAGE_MARKER = '[image]';

function textOf(content: string | readonly { type: string; text?: string }[]): string {
	if (typeof content === 'string') return content;
	return content
		.map((part) => (part.type === 'image' ? IMAGE_MARKER : part.type === 'text' ? part.text : ''))
		.filter(Boolean)
		.join('\n');
}

function callText({ name, arguments: args }: ToolCall): string {
	const list = Object.entries(args)
		.map(([key, value]) => `${key}=${clipMiddle(JSON.stringify(value) ?? '', ARGUMENT_CHARACTERS)}`)
		.join(', ');
	return `${name}(${list})`;
}

function blocksOf(message: LlmMessage): string[] {
	switch (message.role) {
		case 'user': {
			const text = textOf(message.content);
			return text.trim() ? [`[User]: ${text}`] : [];
		}
		case 'assistant': {
			const blocks: string[] = [];
			const text = textOf(message.content);
			if (text.trim()) blocks.push(`[Assistant]: ${text}`);
			const calls = message.content.filter((part) => part.type === 'toolCall');
			if (calls.length > 0)
				blocks.push(`[Assistant tool calls]: ${calls.map(callText).join('; ')}`);
			return blocks;
		}
		case 'toolResult': {
			const text = textOf(message.content);
			if (!text.trim()) return [];
			const failed = message.isError ? '(error) ' : '';
			return [`[Tool result]: ${failed}${clipMiddle(text, TOOL_RESULT_CHARACTERS, errorLines)}`];
		}
		default:
			// System messages stand beside the conversation and survive a compaction as they are.
			return [];
	}
}

/** One message of the transcript; empty where nothing in it is to be told. Thinking is left out. */
export function serializeMessage(message: LlmMessage): string {
	return neutralizeTags(blocksOf(message).join('\n\n'));
}

/**
 * The transcript of `messages`, oldest first: labelled blocks with a blank line between them. Tool
 * results and arguments are shortened with a marker of how much is missing, images are named, and
 * text that looks like one of our tags is defused.
 */
export function serializeConversation(messages: readonly LlmMessage[]): string {
	return messages.map(serializeMessage).filter(Boolean).join('\n\n');
}
