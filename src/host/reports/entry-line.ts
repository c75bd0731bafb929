/** One line about an entry, for documents: who speaks, and how its text begins. */
import type { SessionEntry } from '../../session/entries.ts';
import { calledTools, entryText, firstLine } from '../../session/entry-text.ts';
import { codeSpan, escapeMarkdown } from '../../util/untrusted-markdown.ts';

const TEXT_LENGTH = 100;

/** "You: `Write a parser`" as Markdown; the text is a code span, so that nothing in it has a meaning. */
export function entryLine(entry: SessionEntry): string {
	const text = firstLine(entryText(entry), TEXT_LENGTH);
	const calls = calledTools(entry).map(({ name, subject }) => `${name} ${subject}`.trim());
	const called = calls.length > 0 ? `calls ${firstLine(calls.join(', '), TEXT_LENGTH)}` : '';
	const said = [text, called].filter(Boolean).map(codeSpan).join(' · ');
	return `${entrySpeaker(entry)}: ${said || '(no text)'}`;
}

/** Who or what an entry comes from, as Markdown. */
function entrySpeaker(entry: SessionEntry): string {
	switch (entry.type) {
		case 'message':
			break;
		case 'custom_message':
			return `Message of ${name(entry.customType, 'an extension')}`;
		case 'branch_summary':
			return 'Branch summary';
		case 'compaction':
			return 'Compaction';
		default:
			return name((entry as { type?: unknown }).type, 'Entry');
	}
	const { message } = entry;
	switch (message?.role) {
		case 'user':
			return 'You';
		case 'assistant':
			return 'Assistant';
		case 'toolResult':
			return `Result of ${name(message.toolName, 'a tool')}`;
		case 'bashExecution':
			return 'Command';
		case 'system':
			return 'System message';
		default:
			return name((message as { role?: unknown } | undefined)?.role, 'Message');
	}
}

/** Files are not validated: anything may stand where a name should. */
function name(value: unknown, otherwise: string): string {
	const text = typeof value === 'string' ? firstLine(value, 60) : '';
	return text === '' ? otherwise : escapeMarkdown(text);
}
