/** What an AgentSession tells its views. */
import type { RetryNotice } from '../agent/retry.ts';
import type { CompactionReason } from '../extensibility/hooks/types.ts';
import type { UserError } from '../util/errors.ts';
import type { CompactionPreparation } from './compaction/compaction.ts';
import type { BranchSummaryEntry, CompactionEntry } from './entries.ts';
import type { QueuedPrompt } from './prompt-queue.ts';
import type { SummarizerChoice } from './session-parts.ts';

/** What a session is doing; prompts, compaction and navigation never interleave. */
export type Activity = 'idle' | 'streaming' | 'compacting' | 'navigating' | 'pruning';

/** What a turn (the activity `streaming`) is doing now. */
export type TurnPhase = 'answering' | 'tool' | 'compacting' | 'retrying';

export type AgentSessionEvent =
	| { type: 'activityChanged'; activity: Activity }
	| { type: 'phaseChanged'; phase: TurnPhase }
	/** A piece of the answer that is being streamed. The whole is appended as an entry at the end. */
	| { type: 'textDelta'; delta: string }
	| { type: 'thinkingDelta'; delta: string }
	/** The answer did not come; what did come is in the session, with its stop reason. */
	| { type: 'turnFailed'; error: UserError }
	/** A request failed for a passing reason and is made again after a wait; `abort` ends the wait. */
	| { type: 'retryScheduled'; retry: RetryNotice }
	/**
	 * A compaction begins, and ends: made (`outcome`), failed (`error`), not needed after all (`skipped`), or
	 * cancelled (none of them).
	 */
	| { type: 'compactionStarted'; reason: CompactionReason; willRetry: boolean }
	| {
			type: 'compactionEnded';
			reason: CompactionReason;
			/** True where the request that was too long is made again. */
			willRetry: boolean;
			outcome?: CompactionOutcome;
			error?: UserError;
			skipped?: true;
	  }
	/** A compaction is due, and the settings leave it to the person. Told once between two of their acts. */
	| { type: 'compactionDue'; tokens: number; contextWindow: number }
	/** Automatic compactions have stopped until the person acts. */
	| { type: 'autoCompactionStopped'; error: UserError }
	/** Prompts that wait, oldest first. */
	| { type: 'queueChanged'; queued: readonly QueuedPrompt[] };

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

/** How an automatic compaction differs from one that a person asks for. */
export interface CompactionCause {
	reason: CompactionReason;
	/** True where a request that was too long is made again afterwards. */
	willRetry: boolean;
	/** Tokens of a smaller window than the settings name, where a refusal has shown one. */
	window?: number;
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
	/** A label for the entry that becomes the leaf: the summary, else the target. */
	label?: string;
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
