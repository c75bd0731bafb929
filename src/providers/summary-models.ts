/** The models that make summaries before the active one is asked: endpoint first, then cheaper model. */
import type { Model } from '../agent/model.ts';
import { createOpenAIModel } from './openai/openai-model.ts';
import { createRemoteModel } from './remote/remote-model.ts';

export interface SummaryModelsConfig {
	/** Blank where none is set. */
	remoteEndpoint: string;
	/** A model on the connected server that is to make the summaries; blank where none is set. */
	compactionModel: string;
	/** The connected server and its active model; blank where none is connected. */
	baseUrl: string;
	activeModel: string;
	/** Tokens. */
	contextWindow: number;
}

/**
 * @param keyFor the key that was given for an origin ("https://host:port"); it goes to no other
 * @param guard wraps each model, for example in a question before its first request
 * @returns in the order in which they are to be asked; without the active model
 */
export async function createSummaryModels(
	config: SummaryModelsConfig,
	keyFor: (origin: string) => Promise<string | undefined>,
	guard: (model: Model, origin: string, purpose: 'model' | 'summaries') => Model = (model) => model,
): Promise<Model[]> {
	const { contextWindow } = config;
	const endpoint = config.remoteEndpoint.trim();
	const baseUrl = config.baseUrl.trim();
	const model = config.compactionModel.trim();
	const models: Model[] = [];
	if (endpoint) {
		const origin = originOf(endpoint);
		const apiKey = await keyFor(origin);
		const remote = createRemoteModel({ endpoint, apiKey, contextWindow });
		models.push(guard(remote, origin, 'summaries'));
	}
	if (baseUrl && model && model !== config.activeModel.trim()) {
		const origin = originOf(baseUrl);
		const apiKey = await keyFor(origin);
		const summarizer = createOpenAIModel({
			...{ baseUrl, model, contextWindow },
			...(apiKey ? { apiKey } : {}),
		});
		models.push(guard(summarizer, origin, 'model'));
	}
	return models;
}

/** The origin of an address, which keys are bound to; what is no address stays as it is. */
export function originOf(url: string): string {
	return URL.canParse(url) ? new URL(url).origin : url;
}
