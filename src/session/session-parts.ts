/** What the parts of an AgentSession share: the session, its settings, who summarizes, who counts. */
import type { HookRunner } from '../extensibility/hooks/types.ts';
import type { AgentSessionEvent } from './agent-events.ts';
import { UserError } from '../util/errors.ts';
import type { TokenCounter } from '../util/tokens.ts';
import type { CompactionSettings } from './compaction/budget.ts';
import type { Summarizer } from './compaction/summarizer.ts';
import type { SessionManager } from './session-manager.ts';

/** `ask` says that a compaction is due and leaves it to the person; `off` does neither. */
export type CompactionMode = 'auto' | 'ask' | 'off';

export interface SessionSettings {
	compaction: {
		reserveTokens: number;
		keepRecentTokens: number;
		/** Off where absent. */
		mode?: CompactionMode;
		/** The share of the window above which a compaction is due; what the reserve leaves, where absent or 0. */
		thresholdPercent?: number;
		/** Whether the model is told to go on after a compaction that followed its turn; it is, where absent. */
		autoContinue?: boolean;
	};
	branchSummary: { enabled: boolean; reserveTokens: number };
	/** Tokens of the model's window. */
	contextWindow: number;
}

/**
 * `offline` forces the offline summarizer; `auto` is the models, or offline where none is connected;
 * `recovery` is the models, and offline after them: a session must not stay stuck.
 */
export type SummarizerChoice = 'auto' | 'offline' | 'recovery';

/** Summarizers to be tried, in order; never empty. */
export type Candidates = readonly [Summarizer, ...Summarizer[]];

export interface SessionParts {
	readonly manager: SessionManager;
	readonly hooks: HookRunner;
	settings(): SessionSettings;
	/** Resolves once `settings` names the model's true window, as far as that can be found out. */
	findWindow(): Promise<void>;
	summarizers(choice: SummarizerChoice | undefined): Promise<Candidates>;
	/** Counts the tokens of the current context's messages. */
	readonly counter: () => Promise<TokenCounter>;
	/** Tells the session's views. */
	readonly tell: (event: AgentSessionEvent) => void;
	/** Tokens that every request takes besides its messages: system prompt and tools. */
	readonly overhead: (counter: TokenCounter) => Promise<number>;
}

/**
 * The settings that share out the model's window, beside what every request takes of it.
 * @param window tokens of a smaller window than the settings name, where a refusal has shown one
 */
export function compactionSettings(
	parts: SessionParts,
	overheadTokens: number,
	window = Infinity,
): CompactionSettings {
	const { compaction, contextWindow } = parts.settings();
	const { reserveTokens, keepRecentTokens } = compaction;
	return {
		...{ reserveTokens, keepRecentTokens, overheadTokens },
		contextWindow: Math.min(contextWindow, window),
	};
}

/**
 * A summary is stored only where it was prepared (spec: run-time behaviour).
 * @throws UserError('leaf-moved')
 */
export function requireLeaf(manager: SessionManager, leafId: string | null): void {
	if (manager.leafId !== leafId)
		throw new UserError('leaf-moved', 'The session moved on while the summary was being made.', {
			kept: 'The summary was not stored; the session is unchanged.',
			hint: 'Try again.',
		});
}

/** What a hook refused. */
export function refusedByHook(name: string, what: string): UserError {
	return new UserError('refused-by-hook', `${name} does not let the session ${what}.`, {
		kept: 'Nothing was changed.',
	});
}
