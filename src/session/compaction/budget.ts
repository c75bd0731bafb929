/** How a context window is shared out: the reserve, what a compaction keeps, what a summary may take. */

export interface CompactionSettings {
	/** Tokens of the window left free for the answer. */
	reserveTokens: number;
	/** Tokens of recent messages that a compaction leaves as they are. */
	keepRecentTokens: number;
	/** Tokens of the model's window; without it nothing is adapted to a window. */
	contextWindow?: number;
	/** Tokens that every request carries besides messages: system prompt and tools. */
	overheadTokens?: number;
}

export interface CompactionBudget {
	reserveTokens: number;
	keepTokens: number;
	/** Upper bound on the summary. */
	summaryTokens: number;
	/** What requests may take besides system prompt and tools; undefined where the window is. */
	roomTokens: number | undefined;
	/** True where the configured reserve cannot work for the window and 15 % of it is used. */
	reserveReplaced: boolean;
}

/** At this share of the window a reserve leaves no room to work in (spec: settings that cannot work). */
const IMPOSSIBLE_RESERVE = 0.85;
const FALLBACK_RESERVE = 0.15;
/** Upstream's bounds on a summary: 80 % of the reserve, and no more than this. */
const SUMMARY_SHARE_OF_RESERVE = 0.8;
const MAX_SUMMARY_TOKENS = 16_384;
/** What a summary usually takes, at the most; the kept part leaves room for it. */
export const USUAL_SUMMARY_TOKENS = 4_096;
/** What the words around a summary take in the context. */
const SUMMARY_FRAME_TOKENS = 128;

/**
 * Shares out the window so that summary and kept messages fit in what the reserve leaves: the keep is
 * the smaller of `keepRecentTokens` and half of what remains after reserve, overhead and a usual
 * summary (spec: what is kept must fit).
 */
export function compactionBudget(settings: CompactionSettings): CompactionBudget {
	const { contextWindow, keepRecentTokens } = settings;
	if (contextWindow === undefined)
		return {
			reserveTokens: settings.reserveTokens,
			keepTokens: Math.max(1, keepRecentTokens),
			summaryTokens: summaryCap(settings.reserveTokens),
			roomTokens: undefined,
			reserveReplaced: false,
		};
	const reserveReplaced = settings.reserveTokens >= contextWindow * IMPOSSIBLE_RESERVE;
	const reserveTokens = reserveReplaced
		? Math.floor(contextWindow * FALLBACK_RESERVE)
		: settings.reserveTokens;
	const room = contextWindow - reserveTokens - (settings.overheadTokens ?? 0);
	const usualSummary = Math.min(USUAL_SUMMARY_TOKENS, room / 4);
	const keepTokens = Math.max(1, Math.floor(Math.min(keepRecentTokens, (room - usualSummary) / 2)));
	const summaryTokens = Math.max(
		1,
		Math.min(summaryCap(reserveTokens), Math.floor(room) - keepTokens - SUMMARY_FRAME_TOKENS),
	);
	return {
		reserveTokens,
		keepTokens,
		summaryTokens,
		roomTokens: Math.max(1, room),
		reserveReplaced,
	};
}

/** What is left for the summary beside messages that take `keptTokens`: more than planned may be kept. */
export function roomForSummary(roomTokens: number | undefined, keptTokens: number): number {
	if (roomTokens === undefined) return Infinity;
	return Math.max(1, Math.floor(roomTokens - keptTokens) - SUMMARY_FRAME_TOKENS);
}

function summaryCap(reserveTokens: number): number {
	return Math.floor(Math.min(SUMMARY_SHARE_OF_RESERVE * reserveTokens, MAX_SUMMARY_TOKENS));
}
