/** Retries of a turn's requests: each request has its own count, and each wait is told. */
import type { ModelError } from '../agent/model.ts';
import {
	isTransient,
	retryDelay,
	timerWait,
	type RetryNotice,
	type RetryPolicy,
} from '../agent/retry.ts';

export class TurnRetry {
	private readonly policy: RetryPolicy;
	private attempts = 0;

	constructor(policy: RetryPolicy) {
		this.policy = policy;
	}

	/** The retry that is due after a failure; undefined where none would help. */
	next(error: ModelError): RetryNotice | undefined {
		const attempt = this.attempts + 1;
		if (!isTransient(error) || attempt > this.policy.maxRetries) return undefined;
		const delayMs = retryDelay(this.policy, attempt, error.retryAfterMs);
		if (delayMs === undefined) return undefined;
		return { attempt, maxAttempts: this.policy.maxRetries, delayMs, error };
	}

	/** Waits for a retry. @throws AbortError once the signal fires */
	async wait({ attempt, delayMs }: RetryNotice, signal: AbortSignal): Promise<void> {
		this.attempts = attempt;
		await timerWait(delayMs, signal);
	}

	/** An answer came: what fails next is counted anew. */
	succeeded(): void {
		this.attempts = 0;
	}
}
