/**
 * Turns session entries into what the chat shows. Files come from several tools and from people's
 * editors, so nothing in an entry is taken for granted.
 */
import type {
	AssistantItem,
	AssistantPart,
	ChatItem,
	FileLists,
	ToolResultView,
} from '../../protocol/chat-item.ts';
import type { ToolResultMessage } from '../../agent/messages.ts';
import type { BranchSummaryEntry, CompactionEntry, SessionEntry } from '../../session/entries.ts';
import type { BashExecutionMessage } from '../../session/messages.ts';
import {
	ARGUMENT_CHARACTERS,
	clip,
	MESSAGE_CHARACTERS,
	oneLine,
	OUTPUT_CHARACTERS,
} from './clip.ts';

/** A tool result with the entry that holds it. */
export interface StoredResult {
	entryId: string;
	message: ToolResultMessage;
}

/** The tool result in an entry, if that is what it holds. */
export function storedResult(entry: SessionEntry): StoredResult | undefined {
	if (entry.type !== 'message' || entry.message?.role !== 'toolResult') return undefined;
	return { entryId: entry.id, message: entry.message };
}

/** The ids of the tool calls that an entry makes. */
export function toolCallIds(entry: SessionEntry): string[] {
	if (entry.type !== 'message' || entry.message?.role !== 'assistant') return [];
	return list(entry.message.content).flatMap((part) =>
		part.type === 'toolCall' && typeof part.id === 'string' ? [part.id] : [],
	);
}

/**
 * The item of an entry; undefined for entries that the chat does not show.
 * @param results the tool results found below an assistant message, by call id
 */
export function chatItem(
	entry: SessionEntry,
	results: ReadonlyMap<string, StoredResult>,
): ChatItem | undefined {
	switch (entry.type) {
		case 'message':
			return messageItem(entry.id, entry.message, results);
		case 'compaction':
			return compactionItem(entry);
		case 'branch_summary':
			return branchSummaryItem(entry);
		case 'custom_message':
			return entry.display === true
				? noteItem(entry.id, entry.customType, entry.content)
				: undefined;
		default:
			return undefined;
	}
}

/** The item of a tool result whose call was not found. */
export function looseResultItem({ entryId, message }: StoredResult): ChatItem {
	const name = text(message.toolName) || 'tool';
	return { kind: 'looseResult', id: entryId, name, result: resultView({ entryId, message }) };
}

function messageItem(
	id: string,
	message: Extract<SessionEntry, { type: 'message' }>['message'],
	results: ReadonlyMap<string, StoredResult>,
): ChatItem | undefined {
	switch (message?.role) {
		case 'user':
			return {
				kind: 'user',
				id,
				text: clip(contentText(message.content), MESSAGE_CHARACTERS),
				images: imageCount(message.content),
			};
		case 'assistant': {
			const parts = list(message.content).flatMap((part) => assistantPart(part, results));
			const status = assistantStatus(message.stopReason);
			const error = text(message.errorMessage) || null;
			const model = text(message.model);
			return { kind: 'assistant', id, parts, status, error, model };
		}
		case 'bashExecution':
			return bashItem(id, message);
		case 'custom':
			return message.display === true
				? noteItem(id, message.customType, message.content)
				: undefined;
		default:
			return undefined;
	}
}

function assistantStatus(stopReason: unknown): AssistantItem['status'] {
	if (stopReason === 'error' || stopReason === 'aborted') return stopReason;
	return stopReason === 'length' ? 'cut' : 'complete';
}

function assistantPart(
	part: Record<string, unknown>,
	results: ReadonlyMap<string, StoredResult>,
): AssistantPart[] {
	if (part.type === 'text' && text(part.text).trim())
		return [{ type: 'text', text: clip(text(part.text), MESSAGE_CHARACTERS) }];
	if (part.type === 'thinking' && text(part.thinking).trim())
		return [{ type: 'thinking', text: clip(text(part.thinking), MESSAGE_CHARACTERS) }];
	if (part.type !== 'toolCall') return [];
	const callId = text(part.id);
	const stored = results.get(callId);
	return [
		{
			type: 'tool',
			callId,
			name: text(part.name) || 'tool',
			summary: callSummary(part.arguments),
			arguments: clip(JSON.stringify(part.arguments ?? {}, null, 2), ARGUMENT_CHARACTERS),
			result: stored ? resultView(stored) : null,
		},
	];
}

/** The arguments that say most about a call, in this order, as the usual tools name them. */
const TELLING_ARGUMENTS = ['command', 'path', 'file_path', 'filePath', 'pattern', 'query', 'url'];

function callSummary(value: unknown): string {
	if (typeof value !== 'object' || value === null) return '';
	const record = value as Record<string, unknown>;
	const told = TELLING_ARGUMENTS.map((key) => record[key]);
	const first = [...told, ...Object.values(record)].find((item) => typeof item === 'string');
	return oneLine(text(first), 160);
}

/** How the agent words that a call was not allowed. */
const REFUSED = 'Not allowed: ';

function resultView({ entryId, message }: StoredResult): ToolResultView {
	const told = contentText(message.content);
	const failure = told.startsWith(REFUSED) ? 'refused' : 'failed';
	return {
		entryId,
		outcome: message.isError === true ? failure : 'done',
		text: clip(told, OUTPUT_CHARACTERS),
		images: imageCount(message.content),
	};
}

function bashItem(id: string, message: BashExecutionMessage): ChatItem {
	const failedWith = typeof message.exitCode === 'number' && message.exitCode !== 0;
	const outcome = message.cancelled
		? 'cancelled'
		: failedWith
			? `exit code ${message.exitCode}`
			: null;
	return {
		kind: 'bash',
		id,
		command: clip(text(message.command), ARGUMENT_CHARACTERS).text,
		output: clip(text(message.output), OUTPUT_CHARACTERS),
		outcome,
		inContext: message.excludeFromContext !== true,
	};
}

function noteItem(id: string, label: unknown, content: unknown): ChatItem {
	return {
		kind: 'note',
		id,
		label: text(label) || 'note',
		text: clip(contentText(content), MESSAGE_CHARACTERS),
	};
}

function compactionItem(entry: CompactionEntry): ChatItem {
	return {
		kind: 'compaction',
		id: entry.id,
		shortSummary: text(entry.shortSummary) || null,
		summary: clip(text(entry.summary), MESSAGE_CHARACTERS),
		tokensBefore: tokens(entry.tokensBefore),
		tokensAfter: tokens(entry.tokensAfter),
		files: fileLists(entry.details),
		summarizer: summarizerName(entry.details),
	};
}

function branchSummaryItem(entry: BranchSummaryEntry): ChatItem {
	return {
		kind: 'branchSummary',
		id: entry.id,
		fromId: text(entry.fromId) || null,
		summary: clip(text(entry.summary), MESSAGE_CHARACTERS),
		coveredEntries: tokens(field(entry.details, 'coveredEntries')),
		files: fileLists(entry.details),
		summarizer: summarizerName(entry.details),
	};
}

/** Files named on a card; the rest is counted. */
const LISTED_FILES = 50;

function fileLists(details: unknown): FileLists {
	const read = strings(field(details, 'readFiles'));
	const modified = strings(field(details, 'modifiedFiles'));
	const shown = {
		modified: modified.slice(0, LISTED_FILES),
		read: read.slice(0, LISTED_FILES),
	};
	const more = read.length + modified.length - shown.read.length - shown.modified.length;
	return { ...shown, more };
}

function summarizerName(details: unknown): string | null {
	return text(field(field(details, 'summarizer'), 'name')) || null;
}

function contentText(content: unknown): string {
	if (typeof content === 'string') return content;
	return list(content)
		.flatMap((part) => (part.type === 'text' ? [text(part.text)] : []))
		.join('\n');
}

function imageCount(content: unknown): number {
	return list(content).filter((part) => part.type === 'image').length;
}

function list(value: unknown): Record<string, unknown>[] {
	if (!Array.isArray(value)) return [];
	return (value as unknown[]).filter(
		(part): part is Record<string, unknown> => typeof part === 'object' && part !== null,
	);
}

function field(value: unknown, key: string): unknown {
	if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
	return (value as Record<string, unknown>)[key];
}

function text(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

function strings(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function tokens(value: unknown): number | null {
	return typeof value === 'number' && Number.isFinite(value) && value >= 0
		? Math.round(value)
		: null;
}
