/** Which model answers: what the session chose, else the workspace, else what the settings name. */
import type { ModelName } from '../../session/observations.ts';

/** The models of VS Code: Copilot's, and those that other extensions contribute. */
export const VSCODE_PROVIDER = 'vscode-lm';
/** The models of the connected server. */
export const SERVER_PROVIDER = 'openai-compatible';

export interface Choices {
	/** What the session names; another tool's models are none of ours. */
	session: ModelName | undefined;
	/** What was chosen last in this workspace. */
	workspace: ModelName | undefined;
	/** What the settings name. */
	configured: ModelName | undefined;
}

export interface Decision {
	/** The model that answers; undefined where there is none. */
	model: ModelName | undefined;
	/** What was chosen and is not there now, so that another one answers. */
	missing: ModelName | undefined;
}

/** The first choice that is there; a model of a provider that is not ours is passed over without a word. */
export function decide(choices: Choices, isThere: (model: ModelName) => boolean): Decision {
	const chosen = [choices.session, choices.workspace].filter((model) => model && isOurs(model));
	const wanted = [...chosen, choices.configured].filter((model) => model !== undefined);
	const model = wanted.find(isThere);
	const first = chosen[0];
	return { model, missing: first && !isSameModel(first, model) ? first : undefined };
}

/** True for the providers that Espalier asks. */
export function isOurs({ provider }: ModelName): boolean {
	return provider === VSCODE_PROVIDER || provider === SERVER_PROVIDER;
}

export function isSameModel(one: ModelName | undefined, other: ModelName | undefined): boolean {
	return one?.provider === other?.provider && one?.modelId === other?.modelId;
}

/** A model's name as it was stored outside our code, where anything may stand; undefined for anything else. */
export function parseModelName(stored: unknown): ModelName | undefined {
	if (typeof stored !== 'object' || stored === null) return undefined;
	const { provider, modelId } = stored as Record<string, unknown>;
	if (typeof provider !== 'string' || typeof modelId !== 'string') return undefined;
	return provider && modelId ? { provider, modelId } : undefined;
}

/** What tells VS Code's models apart; part of a LanguageModelChat. */
export interface ChatIdentity {
	vendor: string;
	id: string;
	family: string;
}

/** The id under which a model of VS Code is stored: the same in each run. */
export function chatModelId({ vendor, id }: Pick<ChatIdentity, 'vendor' | 'id'>): string {
	return `${vendor}/${id}`;
}

/** The model with a stored id; one of the same vendor and family where the vendor has renamed it. */
export function findChat<T extends ChatIdentity>(
	chats: readonly T[],
	modelId: string,
): T | undefined {
	return (
		chats.find((chat) => chatModelId(chat) === modelId) ??
		chats.find(({ vendor, family }) => `${vendor}/${family}` === modelId)
	);
}
