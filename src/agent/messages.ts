/**
 * The messages that a model sees: the base types shared by pi and oh-my-pi session files.
 * Timestamps are milliseconds since the epoch.
 */

export interface TextContent {
	type: 'text';
	text: string;
	textSignature?: string;
}

export interface ImageContent {
	type: 'image';
	/** Base64, without a data: prefix. */
	data: string;
	mimeType: string;
}

export interface ThinkingContent {
	type: 'thinking';
	thinking: string;
	thinkingSignature?: string;
}

export interface ToolCall {
	type: 'toolCall';
	id: string;
	name: string;
	arguments: Record<string, unknown>;
}

/** Token counts as a provider reported them; `input` leaves out what the cache served. */
export interface Usage {
	input: number;
	output: number;
	cacheRead: number;
	cacheWrite: number;
	totalTokens: number;
	cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

export type StopReason = 'stop' | 'length' | 'toolUse' | 'error' | 'aborted';

export interface UserMessage {
	role: 'user';
	content: string | (TextContent | ImageContent)[];
	timestamp: number;
}

export interface AssistantMessage {
	role: 'assistant';
	content: (TextContent | ThinkingContent | ToolCall)[];
	api: string;
	provider: string;
	model: string;
	usage: Usage;
	stopReason: StopReason;
	errorMessage?: string;
	timestamp: number;
}

export interface ToolResultMessage {
	role: 'toolResult';
	toolCallId: string;
	toolName: string;
	content: (TextContent | ImageContent)[];
	details?: unknown;
	isError: boolean;
	/** When its content was replaced by a notice, ms; absent where the content is what the tool gave. */
	prunedAt?: number;
	timestamp: number;
}

/** A system message that pi recorded in the session; our own system prompt is never stored. */
export interface SystemMessage {
	role: 'system';
	content: string | TextContent[];
	/** Named parts of the prompt; null takes one back. */
	sections?: Record<string, unknown>;
	toolsAdded?: unknown;
	toolsRemoved?: unknown;
	timestamp: number;
}

export type LlmMessage = UserMessage | AssistantMessage | ToolResultMessage | SystemMessage;

/** A usage record for answers whose provider reported nothing. */
export function emptyUsage(): Usage {
	return {
		input: 0,
		output: 0,
		cacheRead: 0,
		cacheWrite: 0,
		totalTokens: 0,
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
	};
}
