/** Retries of requests that failed for a passing reason: whether, after how long, and how often. */
import { abortError, isAbort } from '../util/errors.ts';
import { ModelError, type ModelErrorReason } from './model.ts';

export interface RetryPolicy {
	/** Tries after the first one; 0 for none. */
	maxRetries: number;
	/** The wait before the first retry, in ms; it doubles with each further one. */
	baseDelayMs: number;
	/** The longest wait before one retry, in ms. */
	maxDelayMs: number;
}

/** A retry that is about to come, told before its wait. */
export interface RetryNotice {
	/** The number of the retry, from 1. */
	attempt: number;
	/** How many retries there are at most. */
	maxAttempts: number;
	delayMs: number;
	/** What the try before it failed with. */
	error: ModelError;
}

export interface RetryOptions {
	signal: AbortSignal;
	onRetry?: ((notice: RetryNotice) => void) | undefined;
	/** Waits, and rejects with an AbortError once the signal fires; a timer where absent. */
	wait?: ((delayMs: number, signal: AbortSignal) => Promise<void>) | undefined;
}

export const NO_RETRIES: RetryPolicy = { maxRetries: 0, baseDelayMs: 0, maxDelayMs: 0 };

/**
 * Reasons that may be gone a moment later. Not `timeout`: each further try may take minutes again,
 * and another model may be asked meanwhile.
 */
const TRANSIENT: ReadonlySet<ModelErrorReason> = new Set(['connection', 'rateLimit', 'server']);
/** Share of a wait that chance takes off, so that many clients do not come back at once. */
const JITTER_SHARE = 0.25;
/** The longest wait that timers take, in ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** True where the same request may well succeed a little later. */
export function isTransient(error: unknown): error is ModelError {
	return error instanceof ModelError && TRANSIENT.has(error.reason);
}

/**
 * The wait before a retry, in ms: doubled for each retry, raised to what the server asks for.
 * Undefined where the server asks for more than the policy allows.
 * @param attempt the number of the retry, from 1
 * @param chance from 0 (no jitter) to 1
 */
export function retryDelay(
	policy: RetryPolicy,
	attempt: number,
	retryAfterMs: number | undefined,
	chance: number = Math.random(),
): number | undefined {
	const longest = Math.min(policy.maxDelayMs, LONGEST_TIMER_MS);
	const asked = retryAfterMs ?? 0;
	if (asked > longest) return undefined;
	const backoff = Math.min(policy.baseDelayMs * 2 ** (attempt - 1), longest);
	return Math.max(Math.round(backoff * (1 - JITTER_SHARE * chance)), asked);
}

/**
 * The retry that is due after a failure; undefined where none would help.
 * @param attempt its number, from 1
 */
export function dueRetry(
	policy: RetryPolicy,
	attempt: number,
	error: unknown,
): RetryNotice | undefined {
	if (!isTransient(error) || attempt > policy.maxRetries) return undefined;
	const delayMs = retryDelay(policy, attempt, error.retryAfterMs);
	return delayMs === undefined
		? undefined
		: { attempt, maxAttempts: policy.maxRetries, delayMs, error };
}

/**
 * Runs a request, and again after a wait while it fails for a passing reason.
 * @throws the last error as it is: of a kind that no retry helps against, after the last retry, or
 * where the server asks for a longer wait than the policy allows; an AbortError when `signal` fired
 */
export async function withRetry<T>(
	run: () => Promise<T>,
	policy: RetryPolicy,
	{ signal, onRetry, wait = timerWait }: RetryOptions,
): Promise<T> {
	for (let attempt = 1; ; attempt++) {
		try {
			return await run();
		} catch (error) {
			if (signal.aborted && !isAbort(error)) throw abortError('The request');
			const retry = dueRetry(policy, attempt, error);
			if (!retry) throw error;
			onRetry?.(retry);
			await wait(retry.delayMs, signal);
		}
	}
}

/** Waits. @throws AbortError once the signal fires */
export function timerWait(delayMs: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const stop = () => {
			clearTimeout(timer);
			reject(abortError('Waiting for the next try'));
		};
		const timer = setTimeout(() => {
			signal.removeEventListener('abort', stop);
			resolve();
		}, delayMs);
		if (signal.aborted) stop();
		else signal.addEventListener('abort', stop, { once: true });
	});
}
