/**
 * The request builder: the one place that turns a session's messages into what a model may be sent.
 * A session can hold interrupted calls, failed turns and empty parts; no model accepts those, so they
 * are repaired here and each repair is named. The session itself is never changed.
 */
import type { AssistantMessage, LlmMessage, ToolResultMessage } from '../agent/messages.ts';
import type { TokenCounter } from '../util/tokens.ts';
import { soundMessage } from './sound-message.ts';
import { convertToLlm, type AgentMessage } from './messages.ts';
import { clipLargeGroups } from './request-clip.ts';

export interface RequestOptions {
	/** Tokens that the messages may take: what the window leaves. Nothing is clipped where absent. */
	room?: number | undefined;
	count?: TokenCounter | undefined;
}

/**
 * Why a message is not in a request:
 * - `command`: a `!!` command, which its user kept from the model
 * - `system`: another tool's system message
 * - `error`, `aborted`: an answer that ended so
 * - `empty`: nothing that a model could read
 * - `orphan`: a tool result whose call is not in the request
 * - `unknown`: of a role that this version does not know
 */
export type LeftOutReason =
	'command' | 'system' | 'error' | 'aborted' | 'empty' | 'orphan' | 'unknown';

export interface BuiltRequest {
	messages: LlmMessage[];
	/** The session's message behind each of them; undefined for a stand-in. */
	sources: (AgentMessage | undefined)[];
	/** The session's messages that are not in the request. */
	leftOut: Map<AgentMessage, LeftOutReason>;
	/** The session's messages of which only beginnings and ends are sent. */
	clipped: Set<AgentMessage>;
	/** What was repaired, one sentence each, for the log. */
	repairs: string[];
}

/** A message on its way into a request. */
export interface RequestItem {
	message: LlmMessage;
	source: AgentMessage | undefined;
}

const NO_RESULT = '(No result was recorded for this tool call: it was interrupted.)';

/** Builds the messages of a request, oldest first. */
export function buildRequest(
	messages: readonly AgentMessage[],
	options: RequestOptions = {},
): BuiltRequest {
	const leftOut: BuiltRequest['leftOut'] = new Map();
	const repairs: string[] = [];
	const sendable: RequestItem[] = [];
	for (const source of messages) {
		const message = toSendable(source);
		if (typeof message === 'string') leftOut.set(source, message);
		else sendable.push({ message, source });
	}
	for (const reason of leftOut.values()) if (isRepair(reason)) repairs.push(repairText(reason));
	const { items, orphans } = pairToolCalls(sendable, repairs);
	for (const { source } of orphans) if (source) leftOut.set(source, 'orphan');
	const clipped = clipLargeGroups(items, options);
	for (const { role } of clipped)
		repairs.push(`A message (${role}) that is larger than the window was shortened.`);
	return {
		messages: items.map(({ message }) => message),
		sources: items.map(({ source }) => source),
		leftOut,
		clipped,
		repairs,
	};
}

/** The message as a model takes it, or why none can be sent it. */
function toSendable(source: AgentMessage): LlmMessage | LeftOutReason {
	const [converted] = convertToLlm([soundMessage(source)]);
	if (!converted) return source.role === 'bashExecution' ? 'command' : 'unknown';
	if (converted.role === 'system') return 'system';
	if (
		converted.role === 'assistant' &&
		(converted.stopReason === 'error' || converted.stopReason === 'aborted')
	)
		return converted.stopReason;
	const message = withoutEmptyParts(converted);
	return hasContent(message) ? message : 'empty';
}

function isRepair(reason: LeftOutReason): reason is 'system' | 'error' | 'aborted' {
	return reason === 'system' || reason === 'error' || reason === 'aborted';
}

function repairText(reason: 'system' | 'error' | 'aborted'): string {
	return reason === 'system'
		? 'A system message of another tool was left out: it describes tools we do not have.'
		: `An assistant turn that ended with "${reason}" was left out.`;
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

/** A tool result that waits for its call, and where it stood. */
interface WaitingResult {
	item: RequestItem;
	place: number;
}

/**
 * Puts each tool result right behind its call, in the order of the calls. Some servers give every turn's
 * calls the same ids, so a call takes the next result of its id that no other call has taken. An
 * unanswered call gets a stand-in result; a result without a call is left out.
 */
function pairToolCalls(
	items: readonly RequestItem[],
	repairs: string[],
): { items: RequestItem[]; orphans: RequestItem[] } {
	const waiting = new Map<string, WaitingResult[]>();
	for (const [place, item] of items.entries())
		if (item.message.role === 'toolResult') {
			const { toolCallId } = item.message;
			const queue = waiting.get(toolCallId);
			if (queue) queue.push({ item, place });
			else waiting.set(toolCallId, [{ item, place }]);
		}
	const paired: RequestItem[] = [];
	for (const [place, item] of items.entries()) {
		const { message } = item;
		if (message.role === 'toolResult') continue;
		paired.push(item);
		if (message.role !== 'assistant') continue;
		for (const call of toolCallsOf(message)) {
			const result = takeResult(waiting.get(call.id), place);
			if (!result) repairs.push(`The interrupted call of "${call.name}" got a stand-in result.`);
			paired.push(result ?? { message: standIn(call, message.timestamp), source: undefined });
		}
	}
	const orphans = [...waiting.values()].flat().map(({ item }) => item);
	for (const { message } of orphans)
		if (message.role === 'toolResult')
			repairs.push(`A result of "${message.toolName}" without its call was left out.`);
	return { items: paired, orphans };
}

/** Takes the first result behind a call out of the queue of its id. */
function takeResult(queue: WaitingResult[] | undefined, callPlace: number) {
	const index = queue?.findIndex(({ place }) => place > callPlace) ?? -1;
	return index < 0 ? undefined : queue?.splice(index, 1)[0]?.item;
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
