/** Which files a conversation read and modified, and how a summary names them. */
import fileTemplate from '../../../prompts/compaction/file-operations.md';
import type { ToolCall } from '../../agent/messages.ts';
import { isFromExtension, type BranchSummaryEntry, type CompactionEntry } from '../entries.ts';
import { fillTemplate, type AgentMessage } from '../messages.ts';

export interface FileOperations {
	read: Set<string>;
	modified: Set<string>;
}

export interface FileLists {
	/** Files read and never modified, sorted. */
	readFiles: string[];
	/** Files written or edited, sorted. */
	modifiedFiles: string[];
}

/** Tags list at most this many files of each kind and how many more there are (spec). */
export const MAX_TAGGED_FILES = 100;
const FILE_TAGS = ['read-files', 'modified-files'];
const READ_TOOLS = new Set(['read']);
const MODIFY_TOOLS = new Set(['write', 'edit']);

export function createFileOperations(): FileOperations {
	return { read: new Set(), modified: new Set() };
}

/** Adds the files that the tool calls of a message read, wrote or edited. */
export function addFileOperations(ops: FileOperations, message: AgentMessage): void {
	if (message.role !== 'assistant' || !Array.isArray(message.content)) return;
	for (const part of message.content) if (part?.type === 'toolCall') addCall(ops, part);
}

function addCall(ops: FileOperations, { name, arguments: args }: ToolCall): void {
	const isRead = READ_TOOLS.has(name);
	if (!isRead && !MODIFY_TOOLS.has(name)) return;
	const path: unknown = args?.path;
	if (typeof path !== 'string' || path === '') return;
	(isRead ? ops.read : ops.modified).add(path);
}

/**
 * Adds the files that an earlier summary recorded. Only summaries made internally are trusted to
 * hold our shape (spec: file operations in summaries).
 */
export function addRecordedFiles(
	ops: FileOperations,
	entry: CompactionEntry | BranchSummaryEntry,
): void {
	if (isFromExtension(entry)) return;
	const details = entry.details as Partial<Record<keyof FileLists, unknown>> | null | undefined;
	for (const path of stringsOf(details?.readFiles)) ops.read.add(path);
	for (const path of stringsOf(details?.modifiedFiles)) ops.modified.add(path);
}

function stringsOf(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

export function fileLists({ read, modified }: FileOperations): FileLists {
	return {
		readFiles: [...read].filter((path) => !modified.has(path)).sort(),
		modifiedFiles: [...modified].sort(),
	};
}

/** Appends the file tags to a summary, with at most `most` files each; kinds without files get no tag. */
export function appendFileTags(
	summary: string,
	lists: FileLists,
	most: number = MAX_TAGGED_FILES,
): string {
	const tags = fillTemplate(fileTemplate, {
		readFiles: taggedFiles(lists.readFiles, most),
		modifiedFiles: taggedFiles(lists.modifiedFiles, most),
	})
		.replace(/<([\w-]+)>\s*<\/\1>/g, '')
		.trim();
	return tags === '' ? summary : `${summary.trimEnd()}\n\n${tags}`;
}

function taggedFiles(files: readonly string[], most: number): string {
	const more = files.length - most;
	// A path is untrusted: it must not close its tag or start a line of its own.
	const lines = files.slice(0, most).map((path) => path.replace(/[<>\r\n]/g, ' '));
	if (more > 0) lines.push(`(and ${more} more)`);
	return lines.join('\n');
}

/** Removes file tags, so that an update pass neither repeats nor rewrites them. */
export function stripFileTags(summary: string): string {
	let rest = summary;
	for (const tag of FILE_TAGS) rest = withoutTag(rest, `<${tag}>`, `</${tag}>`);
	return rest.trimEnd();
}

/** Looks at each character once, however many tags are never closed: summaries come from any file. */
function withoutTag(text: string, opening: string, closing: string): string {
	const parts: string[] = [];
	let at = 0;
	for (;;) {
		const start = text.indexOf(opening, at);
		const end = start < 0 ? -1 : text.indexOf(closing, start);
		if (end < 0) return parts.join('') + text.slice(at);
		parts.push(text.slice(at, start));
		at = end + closing.length;
	}
}
