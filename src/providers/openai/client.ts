/** The SDK's client for one connection, loaded when the first request is made. */
import type OpenAI from 'openai';
import type { Connection } from './endpoint.ts';
import { createStreamFetch } from './event-stream.ts';

/** The largest delay that timers take, in ms: our own idle timer ends silent requests. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Creates a client that takes nothing from the environment: no key, organization or project of
 * another account may travel to this server, and nothing is printed.
 */
export async function createClient({ baseUrl, endpoint, apiKey }: Connection): Promise<OpenAI> {
	const sdk = await import('openai');
	return new sdk.OpenAI({
		baseURL: baseUrl,
		// The SDK wants one; the real key is put in by our fetch.
		apiKey: 'unused',
		adminAPIKey: null,
		organization: null,
		project: null,
		webhookSecret: null,
		maxRetries: 0,
		timeout: NO_TIMEOUT_MS,
		logLevel: 'off',
		fetch: createStreamFetch(endpoint, apiKey),
	});
}
