/** What an entry says, as plain text for labels, tooltips and documents; tolerant of damaged files. */
import { estimateTokens } from './message-tokens.ts';
import type { SessionEntry } from './entries.ts';
import type { AgentMessage } from './messages.ts';
import { contentText } from './navigation.ts';

/** Control characters, and those that change the direction of text and so could disguise a label. */
const UNPRINTABLE = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** A tool call with the argument that names what it works on. */
export interface CalledTool {
	id: string;
	name: string;
	/** A path, command, pattern or the like; empty where the arguments hold none. */
	subject: string;
}

/** Arguments that say best what a call is about, in order of preference. */
const SUBJECT_ARGUMENTS = ['path', 'file_path', 'command', 'pattern', 'query', 'url', 'name'];

/** The text of an entry; empty for metadata. */
export function entryText(entry: SessionEntry): string {
	switch (entry.type) {
		case 'message':
			return messageText(entry.message);
		case 'custom_message':
			return contentText(entry.content);
		case 'compaction':
		case 'branch_summary':
			return stringOf(entry.summary);
		default:
			return '';
	}
}

/** The text of a message, without thinking and tool calls. */
export function messageText(message: AgentMessage): string {
	switch (message?.role) {
		case 'bashExecution':
			return stringOf(message.output);
		case 'compactionSummary':
		case 'branchSummary':
			return stringOf(message.summary);
		default:
			return contentText((message as { content?: unknown } | undefined)?.content);
	}
}

/** The tool calls of an entry; none for anything but an assistant message. */
export function calledTools(entry: SessionEntry): CalledTool[] {
	if (entry.type !== 'message' || entry.message?.role !== 'assistant') return [];
	const content: unknown = entry.message.content;
	if (!Array.isArray(content)) return [];
	const calls: CalledTool[] = [];
	for (const part of content as Record<string, unknown>[]) {
		if (part?.type !== 'toolCall') continue;
		calls.push({
			id: stringOf(part.id),
			name: stringOf(part.name) || 'tool',
			subject: callSubject(part.arguments),
		});
	}
	return calls;
}

function callSubject(args: unknown): string {
	if (typeof args !== 'object' || args === null) return '';
	const values = args as Record<string, unknown>;
	for (const key of SUBJECT_ARGUMENTS) {
		const value = values[key];
		if (typeof value === 'string' && value.trim() !== '') return firstLine(value, 60);
	}
	return '';
}

/** The images of a message's content. */
export function imageParts(content: unknown): { mimeType?: unknown; data?: unknown }[] {
	if (!Array.isArray(content)) return [];
	return (content as ({ type?: unknown; mimeType?: unknown } | null)[]).filter(
		(part) => part?.type === 'image',
	) as { mimeType?: unknown; data?: unknown }[];
}

/** True for a message typed by a person. */
export function isUserMessage(entry: SessionEntry): boolean {
	return entry.type === 'message' && entry.message?.role === 'user';
}

/** Estimated tokens of what an entry adds to a context; 0 for metadata. */
export function entryTokens(entry: SessionEntry): number {
	switch (entry.type) {
		case 'message':
			return entry.message ? estimateTokens(entry.message) : 0;
		case 'custom_message':
			return estimateTokens({ ...entry, role: 'custom', timestamp: 0 });
		case 'branch_summary':
			return estimateTokens({ ...entry, role: 'branchSummary', timestamp: 0 });
		default:
			return 0;
	}
}

/** The first line with text, blanks squeezed and control characters left out, cut at `max` characters. */
export function firstLine(text: string, max: number): string {
	const start = text.search(/\S/);
	if (start < 0) return '';
	const end = text.indexOf('\n', start);
	// A line may be a megabyte long: what lies far beyond `max` is not looked at.
	const line = text.slice(start, Math.min(end < 0 ? text.length : end, start + max * 4));
	return clip(line.replace(/\s+/g, ' ').replace(UNPRINTABLE, '').trim(), max);
}

/** Cuts a text at `max` characters, never inside a surrogate pair. */
export function clip(text: string, max: number): string {
	if (text.length <= max) return text;
	return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The value where it is a text, else an empty one. */
export function stringOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}
