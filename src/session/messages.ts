/**
 * The messages of a session: those a model sees and those that only sessions know, with their
 * conversion into user messages for the model.
 */
import type { ImageContent, LlmMessage, TextContent, UserMessage } from '../agent/messages.ts';
import compactionContext from '../../prompts/compaction/compaction-summary-context.md';
import branchContext from '../../prompts/compaction/branch-summary-context.md';

export interface BashExecutionMessage {
	role: 'bashExecution';
	command: string;
	output: string;
	exitCode?: number | null;
	cancelled: boolean;
	truncated: boolean;
	fullOutputPath?: string;
	/** A `!!` command: shown to the person, never sent to a model. */
	excludeFromContext?: boolean;
	timestamp: number;
}

export interface CompactionSummaryMessage {
	role: 'compactionSummary';
	summary: string;
	tokensBefore: number;
	timestamp: number;
}

export interface BranchSummaryMessage {
	role: 'branchSummary';
	summary: string;
	fromId: string;
	timestamp: number;
}

export interface CustomMessage {
	role: 'custom';
	customType: string;
	content: string | (TextContent | ImageContent)[];
	display: boolean;
	details?: unknown;
	timestamp: number;
}

export type AgentMessage =
	| LlmMessage
	| BashExecutionMessage
	| CompactionSummaryMessage
	| BranchSummaryMessage
	| CustomMessage;

/** Replaces `{{name}}` once, taking the value literally. */
export function fillTemplate(template: string, values: Record<string, string>): string {
	return template.trim().replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
}

/** A user's `!` command as the model reads it. */
export function bashExecutionText(message: BashExecutionMessage): string {
	const parts = [`The user ran \`${message.command}\``];
	parts.push(message.output ? `\`\`\`\n${message.output}\n\`\`\`` : '(it printed nothing)');
	if (message.cancelled) parts.push('(the command was cancelled)');
	else if (message.exitCode) parts.push(`Exit code: ${message.exitCode}`);
	if (message.truncated && message.fullOutputPath)
		parts.push(`(output cut; all of it is in ${message.fullOutputPath})`);
	return parts.join('\n\n');
}

function userText(text: string, timestamp: number): UserMessage {
	return { role: 'user', content: [{ type: 'text', text }], timestamp };
}

/**
 * Turns session messages into what a model takes: summaries, custom messages and `!` commands become
 * user messages, `!!` commands are left out, roles this version does not know are left out.
 */
export function convertToLlm(messages: readonly AgentMessage[]): LlmMessage[] {
	const converted: LlmMessage[] = [];
	for (const message of messages) {
		const one = toLlm(message);
		if (one) converted.push(one);
	}
	return converted;
}

/** The same for one message; undefined for one that no model is sent. */
export function toLlm(message: AgentMessage): LlmMessage | undefined {
	switch (message.role) {
		case 'user':
		case 'assistant':
		case 'toolResult':
		case 'system':
			return message;
		case 'bashExecution':
			return message.excludeFromContext
				? undefined
				: userText(bashExecutionText(message), message.timestamp);
		case 'compactionSummary':
			return userText(
				fillTemplate(compactionContext, { summary: message.summary }),
				message.timestamp,
			);
		case 'branchSummary':
			return userText(fillTemplate(branchContext, { summary: message.summary }), message.timestamp);
		case 'custom':
			return typeof message.content === 'string'
				? userText(message.content, message.timestamp)
				: { role: 'user', content: message.content, timestamp: message.timestamp };
		default:
			return undefined;
	}
}
