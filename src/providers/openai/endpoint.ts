/** Checks where requests go and what they carry, before anything is sent. */
import { ModelError } from '../../agent/model.ts';
import type { Logger } from '../../util/logger.ts';
import type { Endpoint } from './refusals.ts';

/** What a connection to an OpenAI-compatible server needs. */
export interface OpenAIModelConfig {
	/** For example "http://127.0.0.1:11434/v1". */
	baseUrl: string;
	/** Absent or blank for servers that want none. */
	apiKey?: string;
	/** The model's name as the server knows it. */
	model: string;
	/** Tokens. */
	contextWindow: number;
	/** Upper bound on every answer, in tokens; the server's default where absent. */
	maxOutputTokens?: number;
	/** What the server says it answers with at most, in tokens; bounds what a request asks for. */
	servedOutputTokens?: number;
	/** As written to session files; "openai-compatible" where absent. */
	provider?: string;
	/** How long the server may stay silent, in ms, before and between events; 300,000 where absent. */
	timeoutMs?: number;
	/** Told of the window in tokens that a refusal names. */
	onWindowNamed?: (tokens: number) => void;
	/** Warned where the server seems to cut prompts; nobody where absent. */
	log?: Logger;
}

export interface Connection {
	endpoint: Endpoint;
	/** Without a trailing slash. */
	baseUrl: string;
	apiKey: string | undefined;
}

const azureHost = /\.(?:openai|cognitiveservices|services\.ai)\.azure\.com$/;
/** Azure's older addresses name the deployment, and want the version of the API in each request. */
const azureDeployment = /\/openai\/deployments\/[^/]+$/;
const AZURE_API_VERSION = '2024-10-21';

const settingsHint = "Correct the base URL in the settings or with 'Espalier: Connect a model'.";

/** @throws ModelError (badRequest, auth) for a base URL or a key that cannot work. */
export function connectionOf(
	config: Pick<OpenAIModelConfig, 'baseUrl' | 'apiKey' | 'model'>,
): Connection {
	let url: URL;
	try {
		url = new URL(config.baseUrl.trim());
	} catch {
		throw new ModelError('badRequest', 'The base URL of the model server is not a valid address.', {
			hint: settingsHint,
		});
	}
	if (url.protocol !== 'http:' && url.protocol !== 'https:')
		throw new ModelError('badRequest', 'The base URL must begin with http:// or https://.', {
			hint: settingsHint,
		});
	if (url.username || url.password)
		throw new ModelError('badRequest', 'The base URL must not hold a user name or a password.', {
			hint: settingsHint,
		});
	const apiKey = config.apiKey?.trim() || undefined;
	if (apiKey && !/^[\x21-\x7e]+$/.test(apiKey))
		throw new ModelError('auth', 'The key holds characters that no key can have.', {
			hint: "Enter it again with 'Espalier: Connect a model'.",
		});
	const path = url.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '');
	const deployment = azureDeployment.test(path);
	if (deployment && !url.searchParams.has('api-version'))
		url.searchParams.set('api-version', AZURE_API_VERSION);
	const isAzure = deployment || azureHost.test(url.hostname);
	return {
		// The search part stays: Azure and some gateways need it, and the SDK joins paths before it.
		baseUrl: `${url.origin}${path}${url.search}`,
		endpoint: {
			host: url.host,
			model: config.model,
			secrets: apiKey ? [apiKey] : [],
			...(isAzure ? { keyHeader: 'api-key' } : {}),
		},
		apiKey,
	};
}
