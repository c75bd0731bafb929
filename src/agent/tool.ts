/** The tool port: what a model may call, what its arguments must be, and who is asked before it acts. */
import type { ObjectSchema } from './argument-schema.ts';
import type { ImageContent, TextContent } from './messages.ts';

/** What a tool may do; `write` and `run` ask a person first. */
export type ToolAccess = 'read' | 'write' | 'run';

/** What a person is shown before they allow it: all of it, so that nothing is allowed unseen. */
export type ToolAct =
	/** `before` is the file's text now; absent where there is none, or none that can be shown. */
	| { kind: 'write' | 'edit'; path: string; before?: string; after: string }
	| { kind: 'run'; command: string; folder: string; timeoutMs: number }
	| { kind: 'other'; arguments: Record<string, unknown> };

export interface ToolOutcome {
	content: (TextContent | ImageContent)[];
	isError: boolean;
	/** For views; models are not sent it. */
	details?: unknown;
}

export interface ToolRun {
	/** Fires when the turn is stopped or the tool has run out of time. */
	signal: AbortSignal;
	/** Takes output as it comes, for views. */
	onOutput: (text: string) => void;
	/** What was allowed, where the tool describes its acts: it does that, or nothing. */
	act?: ToolAct | undefined;
}

/** Arguments that a tool is called with, already held against its schema. */
export type ToolArguments = Record<string, unknown>;

export interface Tool {
	readonly name: string;
	/** For the model: what it does, and its limits. */
	readonly description: string;
	readonly parameters: ObjectSchema;
	readonly access: ToolAccess;
	/** The longest run, in ms; no limit but its own where absent. */
	readonly timeoutMs?: number;
	/**
	 * Runs one call.
	 * @throws Error whose message the model is told; what it throws never ends the turn
	 */
	run(args: ToolArguments, run: ToolRun): Promise<ToolOutcome>;
	/**
	 * What a call would do, told before it is allowed.
	 * @throws Error where it could not be done anyway: nobody is asked then, and the model is told
	 */
	describe?(args: ToolArguments, signal: AbortSignal): Promise<ToolAct>;
}

export interface ApprovalRequest {
	toolCallId: string;
	toolName: string;
	access: Exclude<ToolAccess, 'read'>;
	act: ToolAct;
}

/** Who decides what a tool may do: a person, or what they allowed before. */
export interface ApprovalPort {
	/** `refused` is why, as the model is told it. */
	ask(request: ApprovalRequest, signal: AbortSignal): Promise<'allow' | { refused: string }>;
}

/** An outcome of one text. */
export function textOutcome(text: string, details?: unknown): ToolOutcome {
	return {
		content: [{ type: 'text', text }],
		isError: false,
		...(details === undefined ? {} : { details }),
	};
}
