/**
 * Asks a server for the window and the output limit of a model, in the ways that servers tell them. What
 * a model was trained for is not what is served: it counts only as a bound.
 */
import { connectionOf, type Connection, type OpenAIModelConfig } from './endpoint.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { parseJson } from './refusals.ts';

export type LimitedServer = Pick<OpenAIModelConfig, 'baseUrl' | 'apiKey' | 'model'>;

export interface ServerLimits {
	/** Tokens of prompt and answer together. */
	contextWindow?: number;
	/** Tokens of an answer. */
	maxOutputTokens?: number;
	/**
	 * False where the window is only a bound, because the server has not loaded the model yet: it will
	 * tell more after the first answer.
	 */
	served: boolean;
}

type Json = Record<string, unknown>;
type Ask = (path: string, body?: object) => Promise<Json | undefined>;

function record(value: unknown): Json {
	return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function records(value: unknown): Json[] {
	return Array.isArray(value) ? value.map(record) : [];
}

/** The smallest of the values that are sizes. */
function least(...values: unknown[]): number | undefined {
	const sizes = values.filter(
		(value) => typeof value === 'number' && Number.isInteger(value) && value > 0,
	) as number[];
	return sizes.length > 0 ? Math.min(...sizes) : undefined;
}

function limits(contextWindow: number | undefined, served: boolean): ServerLimits | undefined {
	return contextWindow === undefined ? undefined : { contextWindow, served };
}

/** vLLM, OpenRouter, Groq, Mistral, newer llama.cpp: the list of models tells. */
function listedLimits(list: Json | undefined, model: string): ServerLimits | undefined {
	const entries = records(list?.['data']);
	// A server of a single model takes any name for it.
	const entry = entries.find(({ id }) => id === model) ?? (entries.length === 1 ? entries[0] : {});
	const provider = record(entry?.['top_provider']);
	const contextWindow = least(
		entry?.['max_model_len'],
		entry?.['context_length'],
		entry?.['context_window'],
		entry?.['max_context_length'],
		provider['context_length'],
		record(entry?.['meta'])['n_ctx'],
	);
	const maxOutputTokens = least(
		entry?.['max_completion_tokens'],
		provider['max_completion_tokens'],
	);
	if (contextWindow === undefined) return undefined;
	return { contextWindow, served: true, ...(maxOutputTokens ? { maxOutputTokens } : {}) };
}

async function llamaCpp(ask: Ask): Promise<ServerLimits | undefined> {
	const props = await ask('/props');
	return limits(least(record(props?.['default_generation_settings'])['n_ctx']), true);
}

async function lmStudio(ask: Ask, model: string): Promise<ServerLimits | undefined> {
	const entry = records((await ask('/api/v0/models'))?.['data']).find(({ id }) => id === model);
	const loaded = least(entry?.['loaded_context_length']);
	return limits(loaded ?? least(entry?.['max_context_length']), loaded !== undefined);
}

async function ollama(ask: Ask, model: string): Promise<ServerLimits | undefined> {
	const names = [model, `${model}:latest`];
	const running = records((await ask('/api/ps'))?.['models']).find(
		({ name, model: id }) => names.includes(String(name)) || names.includes(String(id)),
	);
	const loaded = least(running?.['context_length']);
	if (loaded !== undefined) return limits(loaded, true);
	const shown = await ask('/api/show', { model });
	const parameters = shown?.['parameters'];
	const set = typeof parameters === 'string' && /^\s*num_ctx\s+(\d+)/m.exec(parameters)?.[1];
	if (set) return limits(least(Number(set)), true);
	const info = record(shown?.['model_info']);
	const trained = Object.keys(info).filter((key) => key.endsWith('.context_length'));
	return limits(least(...trained.map((key) => info[key])), false);
}

function askAt(root: URL, { endpoint, apiKey }: Connection, signal: AbortSignal): Ask {
	const guardedFetch = createGuardedFetch(endpoint, apiKey);
	return async (path, body) => {
		const url = new URL(root);
		url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
		const response = await guardedFetch(url, {
			signal,
			headers: { accept: 'application/json', 'content-type': 'application/json' },
			...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
		});
		const text = await response.text();
		return response.ok ? record(parseJson(text)) : undefined;
	};
}

/**
 * Asks for a model's limits; undefined where the server tells none. The key goes where requests go and
 * nowhere else.
 * @throws what the connection failed with, or an AbortError when `signal` fired
 */
export async function askServerLimits(
	server: LimitedServer,
	signal: AbortSignal,
): Promise<ServerLimits | undefined> {
	const connection = connectionOf(server);
	const base = new URL(connection.baseUrl);
	const listed = listedLimits(await askAt(base, connection, signal)('/models'), server.model);
	// Public services answer over https, and have none of the local servers' own paths.
	if (listed || base.protocol !== 'http:') return listed;
	const root = new URL(base);
	root.pathname = root.pathname.replace(/\/v1\/?$/, '');
	const askRoot = askAt(root, connection, signal);
	const ask: Ask = (path, body) =>
		askRoot(path, body).catch((error: unknown) => {
			// Most servers do not know most of these paths, whatever they do about that.
			if (signal.aborted) throw error;
			return undefined;
		});
	const told = await Promise.all([
		llamaCpp(ask),
		lmStudio(ask, server.model),
		ollama(ask, server.model),
	]);
	return told.find((each) => each?.served) ?? told.find((each) => each !== undefined);
}
