/**
 * Compaction that nobody asked for: where the threshold is passed, and where a server refuses a request
 * as too long. Pruning comes first, and the guard says when it is enough.
 */
import type { ModelError } from '../agent/model.ts';
import { isAbort, UserError } from '../util/errors.ts';
import { wholeNumber } from '../util/whole-number.ts';
import { hasShrunk, type AutoGuard } from './auto-guard.ts';
import type { CompactionCause, CompactOptions } from './agent-events.ts';
import { isNothingToCompact, type CompactionControl } from './compaction-control.ts';
import { compactionBudget } from './compaction/budget.ts';
import type { ContextUsage } from './context-usage.ts';
import { pruneSession } from './prune-session.ts';
import { compactionSettings, type SessionParts } from './session-parts.ts';
import { toUserError } from './turn-error.ts';

export interface AutoCompactionParts {
	session: SessionParts;
	compaction: CompactionControl;
	guard: AutoGuard;
	/** How full the context is now. */
	usage: () => Promise<ContextUsage>;
	/** Runs something while views are told that the session compacts. */
	whileCompacting: <T>(run: () => Promise<T>) => Promise<T>;
}

export class AutoCompaction {
	private readonly parts: AutoCompactionParts;
	private running: AbortController | undefined;
	private asked = false;

	constructor(parts: AutoCompactionParts) {
		this.parts = parts;
	}

	/** The person acted: what had stopped may run again, and what was said may be said again. */
	acted(): void {
		this.asked = false;
		this.parts.guard.acted();
	}

	/** Cancels the compaction that runs; the turn goes on without it. */
	abort(): void {
		this.running?.abort();
	}

	/**
	 * Compacts where the context is over the threshold (spec: threshold). What goes wrong is told and ends
	 * nothing.
	 * @returns true where a compaction was stored
	 * @throws AbortError once `signal` fires; UserError('overflow') where automatic runs have stopped and
	 * the next request would not fit into the window
	 */
	async relieve(signal: AbortSignal): Promise<boolean> {
		const { guard, session } = this.parts;
		const { mode = 'off' } = session.settings().compaction;
		if (mode === 'off') return false;
		const before = await this.parts.usage();
		const limit = this.limit();
		if (before.tokens <= limit) return false;
		if (mode === 'ask') return this.ask(before);
		if (guard.stopped !== undefined && before.tokens > before.contextWindow)
			throw this.stopped(guard.stopped, before);
		if (!guard.allowsThreshold) return false;
		return this.parts.whileCompacting(async () => {
			try {
				if ((await this.pruned()) && (await this.parts.usage()).tokens <= limit) return false;
				await this.run({ reason: 'threshold', willRetry: false }, 'auto', signal);
			} catch (error) {
				if (signal.aborted) throw error;
				if (!isNothingToCompact(error)) guard.failed();
				return false;
			}
			await this.judge(before, limit);
			return true;
		});
	}

	/**
	 * Makes the context smaller after a request was refused as too long (spec: overflow).
	 * @returns true where the request is to be made again
	 * @throws UserError where that did not work; AbortError once `signal` fires
	 */
	async recover(error: ModelError, signal: AbortSignal): Promise<boolean> {
		const { guard, session } = this.parts;
		if (session.settings().compaction.mode !== 'auto' || !guard.allowsRecovery) return false;
		guard.recovering();
		return this.parts.whileCompacting(async () => {
			// What the server named is known to the settings by now.
			await session.findWindow();
			const before = await this.parts.usage();
			const named = error.namedWindow ?? Infinity;
			const window = Math.min(before.contextWindow, named, before.tokens);
			const limit = Math.min(this.limit(window), window);
			if (await this.pruned()) {
				const after = (await this.parts.usage()).tokens;
				if (after <= limit && hasShrunk({ before: before.tokens, after })) return true;
			}
			try {
				await this.run({ reason: 'overflow', willRetry: true, window }, 'recovery', signal);
			} catch (failure) {
				if (signal.aborted) throw failure;
				// The person cancelled it: they see the refusal itself.
				if (isAbort(failure)) return false;
				throw recoveryFailed(failure, error);
			}
			const { tokens, stopped } = await this.judge(before, limit);
			if (tokens <= window && hasShrunk({ before: before.tokens, after: tokens })) return true;
			throw recoveryFailed(new Error(stopped ?? 'The context is hardly smaller.'), error);
		});
	}

	private async run(
		cause: CompactionCause,
		summarizer: NonNullable<CompactOptions['summarizer']>,
		signal: AbortSignal,
	): Promise<void> {
		const controller = new AbortController();
		this.running = controller;
		try {
			const both = AbortSignal.any([signal, controller.signal]);
			await this.parts.compaction.run({ summarizer }, both, cause);
		} finally {
			this.running = undefined;
		}
	}

	/**
	 * Tells the guard what a compaction achieved.
	 * @returns the tokens of the context now, and why runs have stopped, where they have
	 */
	private async judge(
		before: ContextUsage,
		limit: number,
	): Promise<{ tokens: number; stopped: string | undefined }> {
		const after = await this.parts.usage();
		const stopped = this.parts.guard.ran({ before: before.tokens, after: after.tokens, limit });
		if (stopped !== undefined)
			this.parts.session.tell({
				type: 'autoCompactionStopped',
				error: this.stopped(stopped, after),
			});
		return { tokens: after.tokens, stopped };
	}

	/** Prunes old tool outputs. @returns true where that changed something */
	private async pruned(): Promise<boolean> {
		const { manager, counter } = this.parts.session;
		try {
			const { outputs } = await pruneSession(manager, undefined, await counter());
			return outputs.length > 0;
		} catch {
			// A session that cannot be pruned now can be compacted all the same.
			return false;
		}
	}

	/** Tokens of a request above which a compaction is due. */
	private limit(window?: number): number {
		const { session } = this.parts;
		const { thresholdPercent = 0 } = session.settings().compaction;
		// What every request carries besides messages does not change the reserve.
		const settings = compactionSettings(session, 0, window);
		const { contextWindow = Infinity } = settings;
		const { reserveTokens } = compactionBudget(settings);
		const share = thresholdPercent > 0 ? (contextWindow * thresholdPercent) / 100 : Infinity;
		return Math.min(contextWindow - reserveTokens, share);
	}

	private ask({ tokens, contextWindow }: ContextUsage): false {
		if (!this.asked) this.parts.session.tell({ type: 'compactionDue', tokens, contextWindow });
		this.asked = true;
		return false;
	}

	private stopped(why: string, { tokens, messageTokens, contextWindow }: ContextUsage): UserError {
		const others = Math.max(0, tokens - messageTokens);
		return new UserError(
			'overflow',
			`Automatic compaction has stopped. ${why} The context takes ${wholeNumber(tokens)} of ${wholeNumber(contextWindow)} tokens: ${wholeNumber(messageTokens)} of messages, ${wholeNumber(others)} of instructions and tools.`,
			{
				kept: 'The whole conversation is in the session.',
				hint: 'Send a prompt to go on, compact with a focus of your own, or go back to an earlier entry.',
			},
		);
	}
}

/** @param refusal what the server said of the request */
function recoveryFailed(failure: unknown, refusal: ModelError): UserError {
	const { message, hint } = toUserError(failure);
	return new UserError('overflow', `Context overflow recovery failed: ${message}`, {
		kept: `Your message is saved in the session. The server had said: ${refusal.message}`,
		...(hint ? { hint } : {}),
		cause: failure,
	});
}
