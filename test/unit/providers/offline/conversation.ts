/** Owns the small conversations that the offline summarizer's tests are made of. */
import { emptyUsage, type StopReason } from '../../../../src/agent/messages.ts';
import type { AgentMessage } from '../../../../src/session/messages.ts';
import type { SummaryRequest } from '../../../../src/session/compaction/summarizer.ts';
import { createOfflineSummarizer } from '../../../../src/providers/offline/offline-summarizer.ts';

let callCount = 0;

export function user(text: string): AgentMessage {
	return { role: 'user', content: text, timestamp: 0 };
}

export function says(text: string, stopReason: StopReason = 'stop'): AgentMessage {
	return {
		role: 'assistant',
		content: [{ type: 'text', text }],
		api: 'test',
		provider: 'test',
		model: 'test',
		usage: emptyUsage(),
		stopReason,
		timestamp: 0,
	};
}

/** A tool call and its result. */
export function tool(
	name: string,
	args: Record<string, unknown>,
	output: string,
	isError = false,
): AgentMessage[] {
	const id = `call-${callCount++}`;
	const call = says('', 'toolUse') as Extract<AgentMessage, { role: 'assistant' }>;
	call.content = [{ type: 'toolCall', id, name, arguments: args }];
	return [
		call,
		{
			role: 'toolResult',
			toolCallId: id,
			toolName: name,
			content: [{ type: 'text', text: output }],
			isError,
			timestamp: 0,
		},
	];
}

export function bash(command: string, output: string, isError = false): AgentMessage[] {
	return tool('bash', { command }, output, isError);
}

export async function summarize(
	messages: readonly AgentMessage[],
	options: Partial<SummaryRequest> = {},
): Promise<string> {
	const request: SummaryRequest = { kind: 'history', messages, maxTokens: 4000, ...options };
	return (await createOfflineSummarizer().summarize(request, new AbortController().signal)).text;
}

/** The text below one heading, up to the next one. */
export function sectionOf(summary: string, heading: string): string {
	const lines = summary.split('\n');
	const start = lines.findIndex(
		(line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading,
	);
	if (start < 0) return '';
	const end = lines.findIndex((line, index) => index > start && /^#+ /.test(line));
	return lines.slice(start + 1, end < 0 ? undefined : end).join('\n');
}
