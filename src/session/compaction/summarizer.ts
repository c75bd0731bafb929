/** The summarizer port: a model, or the offline summarizer, turns messages into a summary. */
import type { Usage } from '../../agent/messages.ts';
import type { AgentMessage } from '../messages.ts';

/**
 * - `history`: everything up to a turn start; merges with `previousSummary` where there is one.
 * - `turnPrefix`: the early part of one turn whose later part is kept.
 * - `branch`: what happened on a branch that is being left.
 */
export type SummaryKind = 'history' | 'turnPrefix' | 'branch';

export interface SummaryRequest {
	kind: SummaryKind;
	/** Oldest first. */
	messages: readonly AgentMessage[];
	/** The summary that the new one replaces, without file tags. */
	previousSummary?: string;
	/** A person's words on what the summary should focus on. */
	instructions?: string;
	/** True where `instructions` replace the base prompt; false or absent where they are added to it. */
	replaceInstructions?: boolean;
	/** Lines that hooks add for the summarizer. */
	additionalContext?: readonly string[];
	/** A hook's prompt instead of our own for this kind. */
	basePrompt?: string;
	/** Upper bound on the summary, in tokens. */
	maxTokens: number;
}

export interface SummaryAnswer {
	text: string;
	/** A sentence for lists, where the summarizer makes one. */
	shortText?: string;
	usage?: Usage;
}

export interface Summarizer {
	/** "offline", or the model's "provider/id": shown to people and stored with the summary. */
	readonly name: string;
	/** Tokens; undefined where no window limits the summarizer. */
	readonly contextWindow: number | undefined;
	/**
	 * @throws UserError where no usable summary came back (nothing may be stored then); an AbortError
	 * when `signal` fired.
	 */
	summarize(request: SummaryRequest, signal: AbortSignal): Promise<SummaryAnswer>;
}
