/** Tool results with a notice in place of their content: as messages, and as lines of a session file. */
import type { ToolResultMessage } from '../agent/messages.ts';
import { isObject, parseObject, type Json } from './entry-parse.ts';
import type { SessionEntry } from './entries.ts';
import type { AgentMessage } from './messages.ts';

/** What stands in place of an output. */
export interface Pruned {
	/** What the model sees. */
	notice: string;
	/** When it was pruned, ms. */
	prunedAt: number;
}

/** True where a notice stands in place of the message's content. */
export function isPrunedMessage(message: AgentMessage): boolean {
	return message.role === 'toolResult' && typeof message.prunedAt === 'number';
}

/** The message with a notice in place of its content; all else stays. */
export function noticed(message: ToolResultMessage, { notice, prunedAt }: Pruned) {
	return { ...message, content: [{ type: 'text' as const, text: notice }], prunedAt };
}

/** The tool result that an entry holds, if it does. */
export function toolResultOf(entry: SessionEntry | undefined): ToolResultMessage | undefined {
	return entry?.type === 'message' && entry.message.role === 'toolResult'
		? entry.message
		: undefined;
}

/**
 * The line of a tool result with a notice in place of its content. What stands around its JSON (as a
 * carriage return) stays.
 * @returns undefined for a line that holds no such entry, or one that is pruned already
 */
export function prunedLine(line: Uint8Array, pruned: Pruned): Uint8Array | undefined {
	const parts = partsOf(line);
	if (!parts || typeof parts.message.prunedAt === 'number') return undefined;
	const { message } = parts;
	message.content = [{ type: 'text', text: pruned.notice }];
	message.prunedAt = pruned.prunedAt;
	return joined(parts);
}

/**
 * The line that a pruned one was. Where it was changed since (a fork gives entries other parents), that
 * stays, and only the content comes back.
 * @param original the line as it was before it was pruned
 * @returns undefined where the two are not the same entry, or the line is not pruned
 */
export function restoredLine(line: Uint8Array, original: Uint8Array): Uint8Array | undefined {
	const now = partsOf(line);
	const before = partsOf(original);
	if (!now || !before || !isSameOutput(now, before)) return undefined;
	const { prunedAt } = now.message;
	if (typeof prunedAt !== 'number') return undefined;
	const notice = noticeOf(now.message);
	if (notice !== undefined && isSameLine(prunedLine(original, { notice, prunedAt }), line))
		return original;
	for (const name of ['content', 'prunedAt'])
		if (name in before.message) now.message[name] = before.message[name];
		else delete now.message[name];
	return joined(now);
}

/** The message of an original line; undefined where it is not that of this entry. */
export function originalMessage(
	original: Uint8Array,
	entryId: string,
	pruned: ToolResultMessage,
): ToolResultMessage | undefined {
	const parts = partsOf(original);
	if (parts?.entry.id !== entryId || parts.message.toolCallId !== pruned.toolCallId)
		return undefined;
	return parts.message as unknown as ToolResultMessage;
}

interface LineParts {
	entry: Json;
	message: Json;
	/** The bytes before and behind the JSON. */
	before: Uint8Array;
	behind: Uint8Array;
}

const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const decoder = new TextDecoder();
const encoder = new TextEncoder();

function partsOf(line: Uint8Array): LineParts | undefined {
	const start = line.indexOf(OPENING_BRACE);
	const end = line.lastIndexOf(CLOSING_BRACE) + 1;
	if (start < 0 || end <= start) return undefined;
	const entry = parseObject(decoder.decode(line.subarray(start, end)));
	const message = entry?.message;
	if (entry?.type !== 'message' || !isObject(message) || message.role !== 'toolResult')
		return undefined;
	return { entry, message, before: line.subarray(0, start), behind: line.subarray(end) };
}

/** Undefined for an entry that is nested too deeply to be written. */
function joined({ entry, before, behind }: LineParts): Uint8Array | undefined {
	try {
		const json = encoder.encode(JSON.stringify(entry));
		const line = new Uint8Array(before.length + json.length + behind.length);
		line.set(before);
		line.set(json, before.length);
		line.set(behind, before.length + json.length);
		return line;
	} catch {
		return undefined;
	}
}

function noticeOf({ content }: Json): string | undefined {
	const part: unknown = Array.isArray(content) ? content[0] : undefined;
	return isObject(part) && typeof part.text === 'string' ? part.text : undefined;
}

function isSameOutput(one: LineParts, other: LineParts): boolean {
	return one.entry.id === other.entry.id && one.message.toolCallId === other.message.toolCallId;
}

/** True for the same bytes. */
export function isSameLine(one: Uint8Array | undefined, other: Uint8Array): boolean {
	if (one?.length !== other.length) return false;
	for (let at = 0; at < other.length; at++) if (one[at] !== other[at]) return false;
	return true;
}
