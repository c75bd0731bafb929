/** What an AgentSession tells its views. */
import type { UserError } from '../util/errors.ts';
import type { CompactionPreparation } from './compaction/compaction.ts';
import type { BranchSummaryEntry, CompactionEntry } from './entries.ts';
import type { SummarizerChoice } from './session-parts.ts';

/** What a session is doing; prompts, compaction and navigation never interleave. */
export type Activity = 'idle' | 'streaming' | 'compacting' | 'navigating' | 'pruning';

export type AgentSessionEvent =
	| { type: 'activityChanged'; activity: Activity }
	/** A piece of the answer that is being streamed. The whole is appended as an entry at the end. */
	| { type: 'textDelta'; delta: string }
	| { type: 'thinkingDelta'; delta: string }
	/** The answer did not come; what did come is in the session, with its stop reason. */
	| { type: 'turnFailed'; error: UserError }
	/** Prompts that wait for the session to be idle, oldest first. */
	| { type: 'queueChanged'; queued: readonly string[] };

/** What tools and commands are doing, told apart from the rest since it is much. */
export type ToolEvent =
	/** A call, from its check on; approval comes in between. Its result is an entry at the end. */
	| {
			type: 'toolStarted';
			toolCallId: string;
			toolName: string;
			arguments: Record<string, unknown>;
	  }
	| { type: 'toolOutput'; toolCallId: string; delta: string }
	| { type: 'toolEnded'; toolCallId: string; isError: boolean }
	/** A piece of what a person's command prints. */
	| { type: 'commandOutput'; delta: string };

export interface CompactOptions {
	/** A person's words on what the summary should focus on. */
	instructions?: string;
	summarizer?: SummarizerChoice;
	/** The first entry to keep, instead of what the settings would keep ("compact up to here"). */
	boundaryId?: string;
	signal?: AbortSignal;
}

/** What a compaction would do (`dryRun`); previews show it, and nothing else knows more. */
export interface CompactionPlan {
	preparation: CompactionPreparation;
	/** Tokens of the built messages now, and as expected afterwards. */
	tokensBefore: number;
	tokensAfter: number;
	/** The names of the summarizers that would be tried, in order. */
	candidates: readonly string[];
}

export interface CompactionOutcome {
	entry: CompactionEntry;
	/** Tokens of the built messages before and after, one count (see context-tokens). */
	tokensBefore: number;
	tokensAfter: number;
	summarizedMessages: number;
	keptMessages: number;
	/** "offline" or "provider/model". */
	summarizer: string;
}

export interface NavigateOptions {
	/** Summarize the branch that is left. */
	summarize?: boolean;
	customInstructions?: string;
	/** False adds the instructions to the base prompt as a focus; true or absent replaces it. */
	replaceInstructions?: boolean;
	summarizer?: SummarizerChoice;
	signal?: AbortSignal;
}

export interface NavigateResult {
	cancelled: boolean;
	/** True where a running summary was cancelled. */
	aborted?: boolean;
	/** The text of a user message that was chosen: to be edited and sent as a new branch. */
	editorText?: string;
	summaryEntry?: BranchSummaryEntry;
}
