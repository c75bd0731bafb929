/** The settings of retries as a policy. */
import type { RetryPolicy } from '../agent/retry.ts';
import type { Settings } from './settings-schema.ts';

export function retryPolicy(settings: Settings): RetryPolicy {
	return {
		maxRetries: settings['retry.enabled'] ? settings['retry.maxRetries'] : 0,
		baseDelayMs: settings['retry.baseDelayMs'],
		maxDelayMs: settings['retry.maxDelayMs'],
	};
}
