/** A fetch for one endpoint: only our own headers, the key put in here, and no redirect followed. */
import { ModelError } from '../../agent/model.ts';
import { excerpt, redact } from '../redact.ts';
import type { Endpoint } from './refusals.ts';

/** What a request carries; the SDK would add headers from its environment variables. */
const sentHeaders = ['accept', 'content-type'];

function redirected(response: Response, endpoint: Endpoint): ModelError {
	const location = excerpt(redact(response.headers.get('location') ?? '', endpoint.secrets));
	return new ModelError(
		'badRequest',
		`The model server at ${endpoint.host} redirects to ${location || 'another address'} ` +
			`(status ${response.status}). Redirects are not followed, so that nothing goes elsewhere.`,
		{ status: response.status, hint: 'Set the base URL to the final address.' },
	);
}

/**
 * Binds a fetch to one endpoint. The key goes to no other, and whoever calls it (the SDK) never
 * holds it.
 */
export function createGuardedFetch(endpoint: Endpoint, apiKey: string | undefined): typeof fetch {
	return async (input, init) => {
		const given = new Headers(init?.headers);
		const headers = new Headers({ 'user-agent': 'espalier' });
		for (const name of sentHeaders) {
			const value = given.get(name);
			if (value !== null) headers.set(name, value);
		}
		if (apiKey && endpoint.keyHeader) headers.set(endpoint.keyHeader, apiKey);
		else if (apiKey) headers.set('authorization', `Bearer ${apiKey}`);
		const response = await fetch(input, { ...init, headers, redirect: 'manual' });
		if (response.status >= 300 && response.status < 400) {
			await response.body?.cancel();
			throw redirected(response, endpoint);
		}
		return response;
	};
}
