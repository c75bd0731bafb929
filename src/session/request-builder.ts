/**
 * The request builder: the one place that turns a session's messages into what a model may be sent.
 * A session can hold interrupted calls, failed turns and empty parts; no model accepts those, so they
 * are repaired here and each repair is named. The session itself is never changed.
 */
import type { LlmMessage } from '../agent/messages.ts';
import type { TokenCounter } from '../util/tokens.ts';
import { soundMessage } from './sound-message.ts';
import { toLlm, type AgentMessage } from './messages.ts';
import { clipLargeGroups } from './request-clip.ts';
import { pairToolCalls, type RequestMessages } from './tool-call-pairs.ts';

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

export interface BuiltRequest extends RequestMessages {
	/** The session's messages that are not in the request. */
	leftOut: Map<AgentMessage, LeftOutReason>;
	/** The session's messages of which only beginnings and ends are sent. */
	clipped: Set<AgentMessage>;
	/** What was repaired, one sentence each, for the log. */
	repairs: string[];
}

/** Builds the messages of a request, oldest first. */
export function buildRequest(
	messages: readonly AgentMessage[],
	options: RequestOptions = {},
): BuiltRequest {
	const leftOut: BuiltRequest['leftOut'] = new Map();
	const repairs: string[] = [];
	const sendable: RequestMessages = { messages: [], sources: [] };
	for (const source of messages) {
		const message = toSendable(source);
		if (typeof message === 'string') leftOut.set(source, message);
		else {
			sendable.messages.push(message);
			sendable.sources.push(source);
		}
	}
	for (const reason of leftOut.values()) if (isRepair(reason)) repairs.push(repairText(reason));
	const { orphans, ...request } = pairToolCalls(sendable, repairs);
	for (const source of orphans) leftOut.set(source, 'orphan');
	const clipped = clipLargeGroups(request, options);
	for (const { role } of clipped)
		repairs.push(`A message (${role}) that is larger than the window was shortened.`);
	return { ...request, leftOut, clipped, repairs };
}

/** The message as a model takes it, or why none can be sent it. */
export function toSendable(source: AgentMessage): LlmMessage | LeftOutReason {
	const converted = toLlm(soundMessage(source));
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
	if (parts === content && parts.every(isUsefulPart)) return message;
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
