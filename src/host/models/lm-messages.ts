/**
 * A request's messages as the Language Model API wants them, still without its classes: two roles, no
 * system message, calls in assistant messages and their results in the user message behind.
 */
import type {
	AssistantMessage,
	ImageContent,
	LlmMessage,
	TextContent,
	ToolResultMessage,
} from '../../agent/messages.ts';

export type LmPart =
	| { type: 'text'; text: string }
	| { type: 'image'; mimeType: string; data: Uint8Array }
	| { type: 'call'; callId: string; name: string; input: Record<string, unknown> }
	| { type: 'result'; callId: string; text: string };

export interface LmMessage {
	role: 'user' | 'assistant';
	parts: LmPart[];
}

/** Stands for an image where the model takes none, so that nobody wonders what the text speaks of. */
const UNSEEN_IMAGE = '(an image, which this model cannot be shown)';

/**
 * Converts a request's messages, oldest first.
 * @param takesImages false leaves a note in place of each image
 */
export function toLmMessages(
	systemPrompt: string | undefined,
	messages: readonly LlmMessage[],
	takesImages: boolean,
): LmMessage[] {
	const converted: LmMessage[] = [];
	for (const message of messages) add(converted, message, takesImages);
	return systemPrompt ? withInstructions(systemPrompt, converted) : converted;
}

function add(converted: LmMessage[], message: LlmMessage, takesImages: boolean): void {
	if (message.role === 'assistant') {
		const parts = assistantParts(message);
		if (parts.length > 0) converted.push({ role: 'assistant', parts });
		return;
	}
	const isResult = message.role === 'toolResult';
	const parts = isResult
		? resultParts(message, takesImages)
		: contentParts(message.content, takesImages);
	if (parts.length === 0) return;
	const last = converted.at(-1);
	// The results of one answer's calls belong into one message.
	if (isResult && last?.parts.some(({ type }) => type === 'result')) last.parts.push(...parts);
	else converted.push({ role: 'user', parts });
}

function contentParts(
	content: string | readonly (TextContent | ImageContent)[],
	takesImages: boolean,
): LmPart[] {
	if (typeof content === 'string') return content ? [{ type: 'text', text: content }] : [];
	const parts: LmPart[] = [];
	for (const part of content) {
		if (part.type === 'image') parts.push(imagePart(part, takesImages));
		else if (part.text) parts.push({ type: 'text', text: part.text });
	}
	return parts;
}

function imagePart({ mimeType, data }: ImageContent, takesImages: boolean): LmPart {
	return takesImages
		? { type: 'image', mimeType, data: Buffer.from(data, 'base64') }
		: { type: 'text', text: UNSEEN_IMAGE };
}

/** Thinking is left out: it is for its own model alone, and the API cannot send it back. */
function assistantParts({ content }: AssistantMessage): LmPart[] {
	const parts: LmPart[] = [];
	for (const part of content) {
		if (part.type === 'text' && part.text) parts.push({ type: 'text', text: part.text });
		if (part.type === 'toolCall')
			parts.push({ type: 'call', callId: part.id, name: part.name, input: part.arguments });
	}
	return parts;
}

/** Results hold text; images follow theirs. A failure is said in words, there is no field for it. */
function resultParts({ toolCallId, content, isError }: ToolResultMessage, takesImages: boolean) {
	const parts = contentParts(content, takesImages);
	const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
	const images = parts.filter(({ type }) => type === 'image');
	const text = texts.join('\n') || (images.length > 0 ? '(an image, shown below)' : '(no output)');
	const result: LmPart = {
		type: 'result',
		callId: toolCallId,
		text: isError ? `(The tool call failed.)\n${text}` : text,
	};
	return [result, ...images];
}

function withInstructions(systemPrompt: string, messages: LmMessage[]): LmMessage[] {
	const text = `<instructions>\n${systemPrompt}\n</instructions>\n\n`;
	const [first, ...rest] = messages;
	const parts: LmPart[] = [{ type: 'text', text }];
	if (first?.role !== 'user') return [{ role: 'user', parts }, ...messages];
	return [{ role: 'user', parts: [...parts, ...first.parts] }, ...rest];
}
