/** The models that a server offers. */
import { ModelError } from '../../agent/model.ts';
import { abortError } from '../../util/errors.ts';
import { excerpt, redact } from '../redact.ts';
import { toModelError } from './connection-errors.ts';
import { connectionOf, type Connection, type OpenAIModelConfig } from './endpoint.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { parseJson, refusal } from './refusals.ts';

/** A list is short; a server that takes longer is not there. */
const DEFAULT_TIMEOUT_MS = 15_000;

export type ServerConfig = Pick<OpenAIModelConfig, 'baseUrl' | 'apiKey' | 'timeoutMs'>;

/**
 * Asks a server for the names of its models, sorted.
 * @throws ModelError on every failure; an AbortError when `signal` fired
 */
export async function listModels(config: ServerConfig, signal?: AbortSignal): Promise<string[]> {
	const connection = connectionOf({ ...config, model: '' });
	const timeout = AbortSignal.timeout(config.timeoutMs ?? DEFAULT_TIMEOUT_MS);
	try {
		return namesIn(
			await getModels(connection, AbortSignal.any([timeout, ...(signal ? [signal] : [])])),
			connection,
		);
	} catch (error) {
		if (signal?.aborted) throw abortError('Asking for the models');
		if (timeout.aborted)
			throw new ModelError(
				'timeout',
				`The model server at ${connection.endpoint.host} did not answer in time.`,
				{ hint: 'Is the server running, and is the base URL right?' },
			);
		throw toModelError(error, connection.endpoint, false);
	}
}

async function getModels(
	{ baseUrl, endpoint, apiKey }: Connection,
	signal: AbortSignal,
): Promise<string> {
	const url = new URL(baseUrl);
	url.pathname = `${url.pathname.replace(/\/$/, '')}/models`;
	const response = await createGuardedFetch(endpoint, apiKey)(url, {
		signal,
		headers: { accept: 'application/json' },
	});
	const text = await response.text();
	if (!response.ok)
		throw refusal({ status: response.status, text, headers: response.headers }, endpoint);
	return text;
}

function namesIn(text: string, { endpoint }: Connection): string[] {
	const list = (parseJson(text) as { data?: unknown } | undefined)?.data;
	if (!Array.isArray(list))
		throw new ModelError(
			'badAnswer',
			`The model server at ${endpoint.host} answered, but not with a list of models: "${excerpt(redact(text, endpoint.secrets))}".`,
			{ hint: 'Is the base URL that of an OpenAI-compatible server?' },
		);
	const names = list.map((item: { id?: unknown } | null) => item?.id);
	return [...new Set(names.filter((name) => typeof name === 'string'))].sort();
}
