/**
 * Makes messages of damaged files sound: what a type promises is there and of the right kind, so that
 * nothing behind this has to ask. Sound messages come back as they are.
 */
import { DEEPEST_ARGUMENTS, isDeeperThan } from '../util/depth.ts';
import type { AgentMessage } from './messages.ts';

type Fields = Record<string, unknown>;

/** Messages with text fields instead of content, and those fields. */
const TEXT_FIELDS: Record<string, readonly string[]> = {
	bashExecution: ['command', 'output'],
	compactionSummary: ['summary'],
	branchSummary: ['summary'],
};
const CONTENT_ROLES = new Set(['user', 'assistant', 'toolResult', 'system', 'custom']);

/** The message itself where it is sound, else a copy with what is missing put in as empty. */
export function soundMessage(message: AgentMessage): AgentMessage {
	const fields = message as unknown as Fields;
	// Nearly all are sound, and there may be very many of them.
	if (isSound(fields)) return message;
	const changes: Fields = {};
	for (const name of TEXT_FIELDS[message.role] ?? [])
		if (typeof fields[name] !== 'string') changes[name] = textOf(fields[name]);
	if (CONTENT_ROLES.has(message.role)) {
		const content = soundContent(fields.content, message.role);
		if (content !== fields.content) changes.content = content;
	}
	if (message.role === 'toolResult')
		for (const name of ['toolCallId', 'toolName'])
			if (typeof fields[name] !== 'string') changes[name] = textOf(fields[name]);
	return Object.keys(changes).length === 0 ? message : { ...message, ...changes };
}

/** True for the common roles where they are sound; of others nothing is said. */
function isSound({ role, content, toolCallId, toolName }: Fields): boolean {
	if (role === 'user' && typeof content === 'string') return true;
	if (role !== 'user' && role !== 'assistant' && role !== 'toolResult') return false;
	if (role === 'toolResult' && (typeof toolCallId !== 'string' || typeof toolName !== 'string'))
		return false;
	if (!Array.isArray(content)) return false;
	const parts: unknown[] = content;
	for (let index = 0; index < parts.length; index++)
		if (soundPart(parts[index]) !== parts[index]) return false;
	return true;
}

/** pi reads missing content as empty; assistants and tool results never hold a bare string. */
function soundContent(content: unknown, role: string): unknown {
	const takesString = role !== 'assistant' && role !== 'toolResult';
	if (typeof content === 'string') return takesString ? content : [{ type: 'text', text: content }];
	if (!Array.isArray(content)) return role === 'system' ? '' : [];
	const parts: unknown[] = content;
	if (parts.every((part) => soundPart(part) === part)) return content;
	return parts.map(soundPart).filter((part) => part !== undefined);
}

/** The part itself, a mended copy, or undefined where nothing can be made of it. */
function soundPart(part: unknown): unknown {
	if (typeof part !== 'object' || part === null) return undefined;
	const fields = part as Fields;
	switch (fields.type) {
		case 'text':
			return typeof fields.text === 'string' ? part : undefined;
		case 'thinking':
			return typeof fields.thinking === 'string' ? part : undefined;
		case 'image':
			return typeof fields.data === 'string' && typeof fields.mimeType === 'string'
				? part
				: undefined;
		case 'toolCall':
			return soundCall(fields);
		default:
			// Parts that other tools know are kept; they never reach a model.
			return typeof fields.type === 'string' ? part : undefined;
	}
}

function soundCall(call: Fields): unknown {
	if (typeof call.id !== 'string') return undefined;
	const { arguments: args } = call;
	const hasArguments =
		typeof args === 'object' &&
		args !== null &&
		!Array.isArray(args) &&
		!isDeeperThan(DEEPEST_ARGUMENTS, args);
	if (typeof call.name === 'string' && hasArguments) return call;
	return {
		...call,
		name: typeof call.name === 'string' ? call.name : 'unknown',
		arguments: hasArguments ? args : {},
	};
}

function textOf(value: unknown): string {
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
