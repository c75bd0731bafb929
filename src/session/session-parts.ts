/** What the parts of an AgentSession share: the session, its settings, who summarizes, who counts. */
import type { HookRunner } from '../extensibility/hooks/types.ts';
import { UserError } from '../util/errors.ts';
import type { TokenCounter } from '../util/tokens.ts';
import type { CompactionSettings } from './compaction/budget.ts';
import type { Summarizer } from './compaction/summarizer.ts';
import type { SessionManager } from './session-manager.ts';

export interface SessionSettings {
	compaction: { reserveTokens: number; keepRecentTokens: number };
	branchSummary: { enabled: boolean; reserveTokens: number };
	/** Tokens of the model's window. */
	contextWindow: number;
}

/** `offline` forces the offline summarizer; `auto` is the models, or offline where none is connected. */
export type SummarizerChoice = 'auto' | 'offline';

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
	/** Tokens that every request takes besides its messages: system prompt and tools. */
	readonly overhead: (counter: TokenCounter) => Promise<number>;
}

/** The settings that share out the model's window, beside what every request takes of it. */
export function compactionSettings(
	parts: SessionParts,
	overheadTokens: number,
): CompactionSettings {
	const { compaction, contextWindow } = parts.settings();
	return { ...compaction, contextWindow, overheadTokens };
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
