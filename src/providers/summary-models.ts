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
 * @returns in the order in which they are to be asked; without the active model
 */
export async function createSummaryModels(
	config: SummaryModelsConfig,
	keyFor: (origin: string) => Promise<string | undefined>,
): Promise<Model[]> {
	const { contextWindow } = config;
	const endpoint = config.remoteEndpoint.trim();
	const baseUrl = config.baseUrl.trim();
	const model = config.compactionModel.trim();
	const models: Model[] = [];
	if (endpoint) {
		const apiKey = await keyFor(originOf(endpoint));
		models.push(createRemoteModel({ endpoint, apiKey, contextWindow }));
	}
	if (baseUrl && model && model !== config.activeModel.trim()) {
		const apiKey = await keyFor(originOf(baseUrl));
		models.push(
			createOpenAIModel({ baseUrl, model, contextWindow, ...(apiKey ? { apiKey } : {}) }),
		);
	}
	return models;
}

/** The origin of an address, which keys are bound to; what is no address stays as it is. */
export function originOf(url: string): string {
	return URL.canParse(url) ? new URL(url).origin : url;
}
