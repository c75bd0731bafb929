/** An entry as a document for reading: Markdown, or JSON where its kind is not known. */
import type { SessionEntry } from './entries.ts';
import { imageParts, stringOf } from './entry-text.ts';
import type { AgentMessage } from './messages.ts';
import { contentText } from './navigation.ts';
import { summaryFacts } from './summary-facts.ts';
import { codeBlock } from '../util/untrusted-markdown.ts';

export interface EntryDocument {
	text: string;
	language: 'markdown' | 'json';
	/** A short name for the editor's tab. */
	title: string;
}

/** The document of an entry. */
export function entryDocument(entry: SessionEntry): EntryDocument {
	switch (entry.type) {
		case 'compaction':
		case 'branch_summary': {
			const title = entry.type === 'compaction' ? 'Compaction' : 'Branch summary';
			return { text: summaryMarkdown(entry, title), language: 'markdown', title };
		}
		case 'message': {
			const title = messageTitle(entry.message);
			if (title === undefined) return entryJson(entry);
			return {
				text: markdown([`# ${title}`, entry.timestamp, ...messageParts(entry)]),
				language: 'markdown',
				title,
			};
		}
		case 'custom_message': {
			const title = `Message (${entry.customType})`;
			return {
				text: markdown([`# ${title}`, entry.timestamp, contentText(entry.content)]),
				language: 'markdown',
				title,
			};
		}
		default:
			return entryJson(entry);
	}
}

/** An entry as it is stored. */
function entryJson(entry: SessionEntry): EntryDocument {
	const { type } = entry as { type: string };
	return { text: `${JSON.stringify(entry, undefined, 2)}\n`, language: 'json', title: type };
}

function summaryMarkdown(
	entry: Extract<SessionEntry, { type: 'compaction' | 'branch_summary' }>,
	title: string,
): string {
	const facts = summaryFacts(entry);
	const tokens =
		entry.type === 'compaction' &&
		`Tokens before: ${entry.tokensBefore}${entry.tokensAfter === undefined ? '' : `, after: ${entry.tokensAfter}`}`;
	return markdown([
		`# ${title}`,
		[entry.timestamp, facts.author && `by ${facts.author}`, tokens].filter(Boolean).join(' · '),
		facts.text,
		fileList('Files read', facts.readFiles),
		fileList('Files modified', facts.modifiedFiles),
	]);
}

function fileList(title: string, files: readonly string[]): string {
	return files.length === 0 ? '' : `## ${title}\n\n${codeBlock(files.join('\n'))}`;
}

/** A title for the roles that can be shown as text; undefined for others. */
function messageTitle(message: AgentMessage | undefined): string | undefined {
	switch (message?.role) {
		case 'user':
			return 'User message';
		case 'assistant':
			return 'Assistant message';
		case 'toolResult':
			return `Result of ${message.toolName || 'a tool'}${message.isError ? ' (error)' : ''}`;
		case 'bashExecution':
			return 'Command';
		case 'system':
			return 'System message';
		default:
			return undefined;
	}
}

function messageParts(entry: Extract<SessionEntry, { type: 'message' }>): string[] {
	const { message } = entry;
	switch (message.role) {
		case 'assistant':
			return [
				`${message.provider}/${message.model} · ${message.stopReason}`,
				message.errorMessage ? `**Error:** ${message.errorMessage}` : '',
				...contentParts(message.content),
			];
		case 'toolResult':
			return [codeBlock(contentText(message.content)), ...imageNotes(message.content)];
		case 'bashExecution':
			return [
				codeBlock(message.command ?? '', 'sh'),
				codeBlock(message.output ?? ''),
				message.exitCode ? `Exit code ${message.exitCode}` : '',
				message.fullOutputPath ? `All of the output: ${message.fullOutputPath}` : '',
			];
		default: {
			const { content } = message as { content?: unknown };
			return [contentText(content), ...imageNotes(content)];
		}
	}
}

/** Text, thinking and tool calls of an assistant message in their order. */
function contentParts(content: unknown): string[] {
	if (!Array.isArray(content)) return [contentText(content)];
	return (content as Record<string, unknown>[]).map((part) => {
		switch (part?.type) {
			case 'text':
				return stringOf(part.text);
			case 'thinking':
				return `> **Thinking**\n>\n${stringOf(part.thinking).replace(/^/gm, '> ')}`;
			case 'toolCall':
				return `## Calls ${String(part.name)}\n\n${codeBlock(JSON.stringify(part.arguments ?? {}, undefined, 2), 'json')}`;
			default:
				return codeBlock(JSON.stringify(part, undefined, 2), 'json');
		}
	});
}

function imageNotes(content: unknown): string[] {
	return imageParts(content).map(({ mimeType, data }) => {
		const kind = stringOf(mimeType) || 'unknown';
		return `(image, ${kind}, ${imageSize(stringOf(data))})`;
	});
}

/** Images are told about, not shown: they can be of any size. */
function imageSize(data: string): string {
	if (data.startsWith('blob:')) return "in oh-my-pi's store";
	const kilobytes = Math.ceil((data.length * 3) / 4 / 1024);
	return kilobytes < 1024 ? `${kilobytes} KB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}

function markdown(parts: readonly string[]): string {
	return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
