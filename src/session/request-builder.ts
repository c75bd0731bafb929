/**
 * The request builder: the one place that turns a session's messages into what a model may be sent.
 * A session can hold interrupted calls, failed turns and empty parts; no model accepts those, so they
 * are repaired here and each repair is named. The session itself is never changed.
 */
import type { AssistantMessage, LlmMessage, ToolResultMessage } from '../agent/messages.ts';
import { soundMessage } from './sound-message.ts';
import { convertToLlm, type AgentMessage } from './messages.ts';

export interface BuiltRequest {
	messages: LlmMessage[];
	/** What was repaired, one sentence each, for the log. */
	repairs: string[];
}

const NO_RESULT = '(No result was recorded for this tool call: it was interrupted.)';

/** Builds the messages of a request, oldest first. */
export function buildRequest(messages: readonly AgentMessage[]): BuiltRequest {
	const repairs: string[] = [];
	const sendable = convertToLlm(messages.map(soundMessage)).filter((message) =>
		isSendable(message, repairs),
	);
	return {
		messages: pairToolCalls(sendable.map(withoutEmptyParts).filter(hasContent), repairs),
		repairs,
	};
}

function isSendable(message: LlmMessage, repairs: string[]): boolean {
	if (message.role === 'system') {
		repairs.push(
			'A system message of another tool was left out: it describes tools we do not have.',
		);
		return false;
	}
	if (
		message.role === 'assistant' &&
		(message.stopReason === 'error' || message.stopReason === 'aborted')
	) {
		repairs.push(`An assistant turn that ended with "${message.stopReason}" was left out.`);
		return false;
	}
	return true;
}

/** Drops empty and malformed parts; strings become one text part where they hold anything. */
function withoutEmptyParts(message: LlmMessage): LlmMessage {
	const content: unknown = message.content;
	const parts: unknown[] =
		typeof content === 'string'
			? [{ type: 'text', text: content }]
			: Array.isArray(content)
				? content
				: [];
	return { ...message, content: parts.filter(isUsefulPart) } as LlmMessage;
}

function isUsefulPart(part: unknown): boolean {
	if (typeof part !== 'object' || part === null) return false;
	const fields = part as Record<string, unknown>;
	switch (fields.type) {
		case 'text':
			return typeof fields.text === 'string' && fields.text.trim() !== '';
		case 'thinking':
			return typeof fields.thinking === 'string';
		case 'toolCall':
			return typeof fields.id === 'string' && typeof fields.name === 'string';
		case 'image':
			return typeof fields.data === 'string' && typeof fields.mimeType === 'string';
		default:
			return false;
	}
}

/** A tool result may be empty; anything else without content says nothing. */
function hasContent(message: LlmMessage): boolean {
	if (message.role === 'toolResult') return true;
	if (message.role !== 'assistant') return message.content.length > 0;
	return message.content.some((part) => part.type !== 'thinking');
}

/** The tool calls of an assistant message. */
export function toolCallsOf(message: AssistantMessage): { id: string; name: string }[] {
	return message.content.filter((part) => part.type === 'toolCall');
}

/**
 * Puts each tool result right behind its call, in the order of the calls. Some servers give every turn's
 * calls the same ids, so a call takes the next result of its id that no other call has taken. An
 * unanswered call gets a stand-in result; a result without a call is left out.
 */
function pairToolCalls(messages: readonly LlmMessage[], repairs: string[]): LlmMessage[] {
	const waiting = new Map<string, { result: ToolResultMessage; place: number }[]>();
	for (const [place, result] of messages.entries())
		if (result.role === 'toolResult') {
			const queue = waiting.get(result.toolCallId);
			if (queue) queue.push({ result, place });
			else waiting.set(result.toolCallId, [{ result, place }]);
		}
	const paired: LlmMessage[] = [];
	for (const [place, message] of messages.entries()) {
		if (message.role === 'toolResult') continue;
		paired.push(message);
		if (message.role !== 'assistant') continue;
		for (const call of toolCallsOf(message)) {
			const result = takeResult(waiting.get(call.id), place);
			if (!result) repairs.push(`The interrupted call of "${call.name}" got a stand-in result.`);
			paired.push(result ?? standIn(call, message.timestamp));
		}
	}
	for (const queue of waiting.values())
		for (const { result } of queue)
			repairs.push(`A result of "${result.toolName}" without its call was left out.`);
	return paired;
}

/** Takes the first result behind a call out of the queue of its id. */
function takeResult(
	queue: { result: ToolResultMessage; place: number }[] | undefined,
	callPlace: number,
): ToolResultMessage | undefined {
	const index = queue?.findIndex(({ place }) => place > callPlace) ?? -1;
	return index < 0 ? undefined : queue?.splice(index, 1)[0]?.result;
}

function standIn(call: { id: string; name: string }, timestamp: number): ToolResultMessage {
	return {
		role: 'toolResult',
		toolCallId: call.id,
		toolName: call.name,
		content: [{ type: 'text', text: NO_RESULT }],
		isError: true,
		timestamp,
	};
}
