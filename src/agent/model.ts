/** The model port. Providers implement it; the agent loop and the model summarizer use it. */
import type { AssistantMessage, LlmMessage } from './messages.ts';

/** A tool that the model may call. */
export interface ToolDefinition {
	name: string;
	description: string;
	/** JSON schema of the arguments object. */
	parameters: Record<string, unknown>;
}

export interface ModelRequest {
	systemPrompt?: string;
	/** Oldest first, already repaired by the request builder. */
	messages: LlmMessage[];
	/** None are offered where absent or empty. */
	tools?: readonly ToolDefinition[];
	/** Upper bound on the answer, in tokens; the provider's own default where absent. */
	maxOutputTokens?: number;
}

export type ModelStreamEvent =
	| { type: 'text'; delta: string }
	| { type: 'thinking'; delta: string }
	/**
	 * A tool call that is being written: `index` counts the calls of the answer from 0, `name` is as far
	 * as it is known. The whole calls, parsed, are in the message of `done`.
	 */
	| { type: 'toolCall'; index: number; name: string; argumentsDelta: string }
	/** The last event: the whole answer, its stop reason and its usage. */
	| { type: 'done'; message: AssistantMessage };

export interface Model {
	/** The protocol's name as written to session files; "openai-completions" where absent. */
	readonly api?: string;
	/** The provider's name as written to session files, for example "openai-compatible". */
	readonly provider: string;
	/** The model's id as the provider knows it. */
	readonly id: string;
	/** What people are shown, and summaries name, in place of "provider/id". */
	readonly label?: string;
	/** Tokens. */
	readonly contextWindow: number;
	/**
	 * Sends one request and streams the answer. Ends with exactly one `done` event.
	 * @throws ModelError on every failure of the request or the stream; an AbortError when `signal` fired.
	 */
	stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelStreamEvent>;
}

/**
 * - `timeout`: the server kept silent, or worked, until our own time limit.
 * - `certificate`: the server could not prove who it is.
 * - `billing`: a limit on money or use that no waiting of minutes lifts, unlike `rateLimit`.
 */
export type ModelErrorReason =
	| 'connection'
	| 'timeout'
	| 'certificate'
	| 'auth'
	| 'notFound'
	| 'billing'
	| 'rateLimit'
	| 'overflow'
	| 'server'
	| 'badRequest'
	| 'badAnswer';

/** A failed request. `message` is for a person: what happened, in a sentence without secrets. */
export class ModelError extends Error {
	readonly reason: ModelErrorReason;
	readonly status: number | undefined;
	readonly hint: string | undefined;
	/** How long the server asks to wait before the next try, in ms, where it said so. */
	readonly retryAfterMs: number | undefined;
	/** The window in tokens that the server named when it refused a request as too long for it. */
	readonly namedWindow: number | undefined;

	constructor(
		reason: ModelErrorReason,
		message: string,
		options: {
			status?: number;
			hint?: string;
			retryAfterMs?: number;
			namedWindow?: number;
			cause?: unknown;
		} = {},
	) {
		super(message, { cause: options.cause });
		this.name = 'ModelError';
		this.reason = reason;
		this.status = options.status;
		this.hint = options.hint;
		this.retryAfterMs = options.retryAfterMs;
		this.namedWindow = options.namedWindow;
	}
}
