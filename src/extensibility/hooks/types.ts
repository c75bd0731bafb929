/**
 * Hooks: where other code takes part in compaction and navigation. Names and shapes are those of pi and
 * oh-my-pi, so that their hooks' authors know them.
 */
import type { AgentMessage } from '../../session/messages.ts';
import type { BranchSummaryEntry, CompactionEntry, SessionEntry } from '../../session/entries.ts';
import type { CompactionPreparation } from '../../session/compaction/compaction.ts';

export type CompactionReason = 'manual' | 'threshold' | 'overflow';

/** A whole compaction, made by a hook instead of a summarizer. */
export interface HookCompaction {
	summary: string;
	shortSummary?: string;
	/** An entry on the path that is no tool result; what it names is kept from there on. */
	firstKeptEntryId: string;
	tokensBefore: number;
	details?: unknown;
	preserveData?: unknown;
}

/** What each event tells its hooks. */
export interface HookEvents {
	/** Before a compaction is made. */
	session_before_compact: {
		preparation: CompactionPreparation;
		/** The path from the root to the leaf, as far as the context reads it. */
		branchEntries: readonly SessionEntry[];
		customInstructions?: string;
		reason: CompactionReason;
		willRetry: boolean;
		signal: AbortSignal;
	};
	/** Before a summarizer is asked; not where a hook gave the whole compaction. */
	'session.compacting': { sessionId: string; messages: readonly AgentMessage[] };
	/** After a compaction was saved. */
	session_compact: { compactionEntry: CompactionEntry; fromExtension: boolean };
	/** Before the leaf moves. */
	session_before_tree: {
		preparation: {
			targetId: string;
			oldLeafId: string | null;
			commonAncestorId: string | null;
			entriesToSummarize: readonly SessionEntry[];
			userWantsSummary: boolean;
			customInstructions?: string;
			replaceInstructions?: boolean;
			label?: string;
		};
		signal: AbortSignal;
	};
	/** After the leaf has moved. */
	session_tree: {
		newLeafId: string | null;
		oldLeafId: string | null;
		summaryEntry?: BranchSummaryEntry;
		fromExtension?: boolean;
	};
}

/** What a hook may answer to each event. */
export interface HookResults {
	session_before_compact: { cancel?: boolean; compaction?: HookCompaction };
	'session.compacting': {
		/** Lines for the summarizer, in `<additional-context>`. */
		context?: string[];
		/** Replaces the base prompt. */
		prompt?: string;
		/** Stored on the compaction's entry. */
		preserveData?: Record<string, unknown>;
	};
	session_compact: undefined;
	session_before_tree: { cancel?: boolean; summary?: { summary: string; details?: unknown } };
	session_tree: undefined;
}

export type HookEvent = keyof HookEvents;

/** Returning nothing leaves everything as it is. */
export type HookHandler<E extends HookEvent> = (
	event: HookEvents[E],
) => HookResults[E] | void | Promise<HookResults[E] | void>;

/** An answer, and whose it is. */
export interface HookAnswer<E extends HookEvent> {
	/** The hook's name, for people. */
	name: string;
	result: NonNullable<HookResults[E]>;
}

/** What sessions need of the registry. */
export interface HookRunner {
	/**
	 * Tells an event to its hooks, one after the other in the order of their registration. One that throws
	 * or takes too long is reported and passed over.
	 * @param decides ends the round at the first answer for which it is true
	 * @throws AbortError where `signal` fired
	 */
	run<E extends HookEvent>(
		event: E,
		payload: HookEvents[E],
		signal: AbortSignal,
		decides?: (result: NonNullable<HookResults[E]>) => boolean,
	): Promise<HookRound<E>>;
}

export interface HookRound<E extends HookEvent> {
	answers: HookAnswer<E>[];
	/** Hooks that failed, "name: what happened"; stored with what was made without them. */
	failures: string[];
}
