/** Retries of a turn's requests: each request has its own count, and each wait is told. */
import type { ModelError } from '../agent/model.ts';
import { dueRetry, timerWait, type RetryNotice, type RetryPolicy } from '../agent/retry.ts';

export class TurnRetry {
	private readonly policy: RetryPolicy;
	private attempts = 0;

	constructor(policy: RetryPolicy) {
		this.policy = policy;
	}

	/** The retry that is due after a failure; undefined where none would help. */
	next(error: ModelError): RetryNotice | undefined {
		return dueRetry(this.policy, this.attempts + 1, error);
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
