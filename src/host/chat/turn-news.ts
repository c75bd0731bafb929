/** What a turn has to say beside its answer: what it does meanwhile, and what went wrong. */
import type { ChatNotice, ChatStatus } from '../../protocol/panel.ts';
import type { AgentSessionEvent } from '../../session/agent-events.ts';
import { compactionDueNotice, failureNotice } from './chat-notices.ts';

const COMPACTING = {
	manual: null,
	threshold: 'The context is nearly full: compacting…',
	overflow: 'The request was too long for the model: compacting…',
};

export class TurnNews {
	progress: ChatStatus['progress'] = null;
	/** Gone with the next turn. */
	failure: ChatNotice | null = null;

	/** Takes over what an event tells. @param now ms since the epoch */
	take(event: AgentSessionEvent, now: number): void {
		switch (event.type) {
			case 'activityChanged':
				if (event.activity !== 'idle') this.failure = null;
				this.progress = null;
				return;
			case 'phaseChanged':
				this.progress = null;
				return;
			case 'compactionStarted': {
				const text = COMPACTING[event.reason];
				this.progress = text === null ? null : { text, until: null };
				return;
			}
			case 'retryScheduled': {
				const { attempt, maxAttempts, delayMs, error } = event.retry;
				const text = `${error.message} Trying again (${attempt} of ${maxAttempts})`;
				this.progress = { text, until: now + delayMs };
				return;
			}
			case 'turnFailed':
			case 'autoCompactionStopped':
				this.failure = failureNotice(event.error);
				return;
			case 'compactionEnded':
				if (event.reason === 'threshold' && event.error) this.failure = failureNotice(event.error);
				return;
			case 'compactionDue':
				this.failure = compactionDueNotice(event);
				return;
			default:
			// The answer and the queue speak for themselves.
		}
	}

	clear(): void {
		this.progress = null;
		this.failure = null;
	}
}
