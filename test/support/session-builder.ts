/** Builds sessions for tests: entries with readable ids, chained at a leaf. */
import {
	emptyUsage,
	type AssistantMessage,
	type ToolCall,
	type ToolResultMessage,
} from '../../src/agent/messages.ts';
import type { SessionEntry } from '../../src/session/entries.ts';
import type { AgentMessage } from '../../src/session/messages.ts';

const EPOCH = Date.UTC(2026, 0, 1);

/** A text of exactly `tokens` estimated tokens. */
export function textOfTokens(tokens: number, word = 'word'): string {
	return word.repeat(Math.ceil((tokens * 4) / word.length)).slice(0, tokens * 4);
}

export function assistant(
	text: string,
	calls: ToolCall[] = [],
	fields: Partial<AssistantMessage> = {},
): AssistantMessage {
	return {
		role: 'assistant',
		content: [...(text ? [{ type: 'text' as const, text }] : []), ...calls],
		api: 'openai-completions',
		provider: 'test',
		model: 'test-model',
		usage: emptyUsage(),
		stopReason: calls.length > 0 ? 'toolUse' : 'stop',
		timestamp: EPOCH,
		...fields,
	};
}

export function toolCall(id: string, name = 'read', args: Record<string, unknown> = {}): ToolCall {
	return { type: 'toolCall', id, name, arguments: args };
}

export function toolResult(toolCallId: string, text: string, toolName = 'read'): ToolResultMessage {
	return {
		role: 'toolResult',
		toolCallId,
		toolName,
		content: [{ type: 'text', text }],
		isError: false,
		timestamp: EPOCH,
	};
}

/** Appends entries at a leaf that can be moved; ids are given or numbered. */
export class SessionBuilder {
	readonly entries: SessionEntry[] = [];
	leaf: string | null = null;

	/** Adds any entry at the leaf. */
	add(fields: { type: string; id?: string } & Record<string, unknown>): string {
		const id = fields.id ?? `e${this.entries.length + 1}`;
		const timestamp = new Date(EPOCH + this.entries.length * 1000).toISOString();
		const entry = { parentId: this.leaf, timestamp, ...fields, id };
		this.entries.push(entry as unknown as SessionEntry);
		this.leaf = id;
		return id;
	}

	message(message: AgentMessage, id?: string): string {
		return this.add({ type: 'message', message, ...(id ? { id } : {}) });
	}

	user(text: string, id?: string): string {
		return this.message({ role: 'user', content: text, timestamp: EPOCH }, id);
	}

	assistant(text: string, id?: string): string {
		return this.message(assistant(text), id);
	}

	compaction(summary: string, firstKeptEntryId: string, fields: object = {}): string {
		return this.add({ type: 'compaction', summary, firstKeptEntryId, tokensBefore: 1, ...fields });
	}

	/** The entries as a session file's lines. */
	lines(cwd = '/workspace'): string[] {
		const header = { type: 'session', version: 3, id: 'test-session', timestamp: '', cwd };
		return [header, ...this.entries].map((line) => JSON.stringify(line));
	}
}
