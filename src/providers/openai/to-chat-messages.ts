/** Converts messages into those of the Chat Completions API. */
import type { ChatCompletionContentPart, ChatCompletionMessageParam } from 'openai/resources';
import type {
	AssistantMessage,
	ImageContent,
	LlmMessage,
	TextContent,
	ToolResultMessage,
} from '../../agent/messages.ts';

type Part = TextContent | ImageContent;

function textOf(parts: readonly { type: string }[]): string {
	return parts
		.filter((part): part is TextContent => part.type === 'text' && 'text' in part)
		.map((part) => part.text)
		.filter((text) => text !== '')
		.join('\n');
}

function imagePart({ mimeType, data }: ImageContent): ChatCompletionContentPart {
	return { type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } };
}

/** A plain string where there is no image: some servers know no other form. */
function userContent(content: string | Part[]): string | ChatCompletionContentPart[] {
	if (typeof content === 'string') return content;
	if (!content.some((part) => part.type === 'image')) return textOf(content);
	return content
		.filter((part) => part.type === 'image' || part.text !== '')
		.map((part) => (part.type === 'image' ? imagePart(part) : { type: 'text', text: part.text }));
}

/** No field of the protocol, but servers that want the thinking of earlier turns read it there. */
function reasoningOf(message: AssistantMessage): { reasoning_content?: string } {
	const thinking = message.content.filter((part) => part.type === 'thinking');
	const text = thinking.map((part) => part.thinking).join('');
	return text ? { reasoning_content: text } : {};
}

function assistantParam(
	message: AssistantMessage,
	withReasoning: boolean,
): ChatCompletionMessageParam | undefined {
	const text = textOf(message.content);
	const reasoning = withReasoning ? reasoningOf(message) : {};
	const calls = message.content
		.filter((part) => part.type === 'toolCall')
		.map(({ id, name, arguments: args }) => ({
			id,
			type: 'function' as const,
			function: { name, arguments: JSON.stringify(args) },
		}));
	if (calls.length > 0)
		return { role: 'assistant', content: text || null, ...reasoning, tool_calls: calls };
	// Thinking alone is nothing that can be sent back, and an empty turn is refused.
	return text ? { role: 'assistant', content: text, ...reasoning } : undefined;
}

function toolParam(message: ToolResultMessage): ChatCompletionMessageParam {
	const hasImage = message.content.some((part) => part.type === 'image');
	const text = textOf(message.content) || (hasImage ? '(an image, shown below)' : '(no output)');
	return { role: 'tool', tool_call_id: message.toolCallId, content: text };
}

/**
 * The request's messages, oldest first. Images in tool results follow the run of results as one
 * user message, since a tool message may hold text only.
 * @param withReasoning sends the thinking of earlier turns, for servers that want it
 */
export function toChatMessages(
	systemPrompt: string | undefined,
	messages: readonly LlmMessage[],
	withReasoning = false,
): ChatCompletionMessageParam[] {
	const params: ChatCompletionMessageParam[] = [];
	if (systemPrompt) params.push({ role: 'system', content: systemPrompt });
	let toolImages: ImageContent[] = [];
	const flushToolImages = () => {
		if (toolImages.length === 0) return;
		const intro = { type: 'text' as const, text: 'Images from the tool results above:' };
		params.push({ role: 'user', content: [intro, ...toolImages.map(imagePart)] });
		toolImages = [];
	};
	for (const message of messages) {
		if (message.role === 'toolResult') {
			params.push(toolParam(message));
			toolImages.push(...message.content.filter((part) => part.type === 'image'));
			continue;
		}
		flushToolImages();
		if (message.role === 'assistant') {
			const param = assistantParam(message, withReasoning);
			if (param) params.push(param);
			continue;
		}
		const content = userContent(message.content);
		if (content.length === 0) continue;
		if (message.role === 'user') params.push({ role: 'user', content });
		else if (typeof content === 'string') params.push({ role: 'system', content });
	}
	flushToolImages();
	return params;
}
