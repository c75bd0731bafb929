/** Turns what the SDK throws into a ModelError: an answer of the server, or a connection that failed. */
import { ModelError } from '../../agent/model.ts';
import { causes, connectionFailure } from '../connection-failure.ts';
import { errorBodyStatus, errorBodyText, refusal, type Endpoint } from './refusals.ts';

interface ApiErrorShape extends Error {
	status?: number;
	error?: unknown;
	headers?: Headers;
}

/** An answer of the server that the SDK turned into an error: a status, or an error event. */
function isApiError(error: unknown): error is ApiErrorShape {
	return error instanceof Error && 'status' in error && 'error' in error && 'headers' in error;
}

/**
 * The ModelError for anything that a request or its stream threw.
 * @param started true where part of the answer had arrived.
 */
export function toModelError(error: unknown, endpoint: Endpoint, started: boolean): ModelError {
	for (const cause of causes(error)) if (cause instanceof ModelError) return cause;
	if (error instanceof SyntaxError)
		return new ModelError(
			'badAnswer',
			`The model server at ${endpoint.host} sent a stream event that is not JSON.`,
			{ hint: 'Is the base URL that of an OpenAI-compatible server?' },
		);
	// A failed connection has a cause; this is a field of another kind than the protocol's.
	if (error instanceof TypeError && error.cause === undefined)
		return new ModelError(
			'badAnswer',
			`The model server at ${endpoint.host} sent a stream event that is no part of an answer.`,
			{ hint: 'Is the base URL that of an OpenAI-compatible server?', cause: error },
		);
	// The SDK's own connection errors have the same fields, but nothing in them.
	if (isApiError(error) && (error.status !== undefined || error.error !== undefined)) {
		const status = error.status ?? errorBodyStatus(error.error);
		const bare = /^\d{3} (?:status code \(no body\)$)?/;
		const text = errorBodyText(error.error) || error.message.replace(bare, '');
		return refusal({ status, text, headers: error.headers }, endpoint);
	}
	const server = `The model server at ${endpoint.host}`;
	return connectionFailure(error, server, endpoint.secrets, started);
}
