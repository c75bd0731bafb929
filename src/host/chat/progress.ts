/** What a running turn does beside answering, in words. */
import type { ChatStatus } from '../../protocol/panel.ts';
import type { AgentSessionEvent } from '../../session/agent-events.ts';

type ProgressEvent = Extract<
	AgentSessionEvent,
	{ type: 'phaseChanged' | 'retryScheduled' | 'compactionStarted' }
>;

const COMPACTING = {
	manual: null,
	threshold: 'The context is nearly full: compacting…',
	overflow: 'The request was too long for the model: compacting…',
};

/** @param now ms since the epoch */
export function progressOf(event: ProgressEvent, now: number): ChatStatus['progress'] {
	if (event.type === 'phaseChanged') return null;
	if (event.type === 'compactionStarted') {
		const text = COMPACTING[event.reason];
		return text === null ? null : { text, until: null };
	}
	const { attempt, maxAttempts, delayMs, error } = event.retry;
	return {
		text: `${error.message} Trying again (${attempt} of ${maxAttempts})`,
		until: now + delayMs,
	};
}
