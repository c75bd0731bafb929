/**
 * The Model port over a model of VS Code. The first request of an extension makes VS Code ask the person,
 * so requests are sent for a person's act alone. The API reports no usage, and its token counts are
 * known to be wrong, so that neither is used: our own estimate stands in.
 */
import * as vscode from 'vscode';
import { emptyUsage, type AssistantMessage } from '../../agent/messages.ts';
import {
	ModelError,
	type Model,
	type ModelRequest,
	type ModelStreamEvent,
} from '../../agent/model.ts';
import { untilAborted } from '../../util/async.ts';
import { abortError } from '../../util/errors.ts';
import { chatModelId, VSCODE_PROVIDER } from './choice-rules.ts';
import { lmError } from './lm-error.ts';
import { toLmMessages, type LmMessage, type LmPart } from './lm-messages.ts';

const API = 'vscode-lm';
const JUSTIFICATION = 'Espalier answers your prompts and summarizes your session with this model.';

/** A model's name for people: vendors may have models of the same name. */
export function chatLabel({ name, id, vendor }: vscode.LanguageModelChat): string {
	return `${name || id} (${vendor})`;
}

/**
 * The tokens that a model takes in.
 * @param otherwise what counts where the provider names no sensible number
 */
export function chatWindow(
	{ maxInputTokens }: vscode.LanguageModelChat,
	otherwise: number,
): number {
	return Number.isFinite(maxInputTokens) && maxInputTokens > 0 ? maxInputTokens : otherwise;
}

/**
 * A model over one of VS Code's. Nothing is sent before the first request.
 * @param contextWindow tokens, see `chatWindow`
 */
export function createVscodeLmModel(chat: vscode.LanguageModelChat, contextWindow: number): Model {
	const label = chatLabel(chat);
	const origin = { api: API, provider: VSCODE_PROVIDER, model: chatModelId(chat) };
	return {
		api: API,
		provider: origin.provider,
		id: origin.model,
		label,
		contextWindow,
		async *stream(request: ModelRequest, signal: AbortSignal) {
			const content = yield* streamContent(chat, request, signal, label);
			if (content.length === 0)
				throw new ModelError('badAnswer', `${label} gave an empty answer.`, {
					hint: 'Try again; if it stays, choose another model.',
				});
			const hasCalls = content.some(({ type }) => type === 'toolCall');
			yield {
				type: 'done',
				message: {
					role: 'assistant',
					content,
					...origin,
					usage: emptyUsage(),
					stopReason: hasCalls ? 'toolUse' : 'stop',
					timestamp: Date.now(),
				},
			};
		},
	};
}

async function* streamContent(
	chat: vscode.LanguageModelChat,
	request: ModelRequest,
	signal: AbortSignal,
	label: string,
): AsyncGenerator<ModelStreamEvent, AssistantMessage['content']> {
	const source = new vscode.CancellationTokenSource();
	const cancel = () => source.cancel();
	signal.addEventListener('abort', cancel, { once: true });
	const calls: AssistantMessage['content'] = [];
	let text = '';
	let thinking = '';
	try {
		signal.throwIfAborted();
		const messages = toLmMessages(request.systemPrompt, request.messages, takesImages(chat));
		const sent = chat.sendRequest(
			messages.map(toChatMessage),
			{ justification: JUSTIFICATION, ...toolsOf(request) },
			source.token,
		);
		// VS Code may be asking the person: that must not keep anyone who gave up.
		const response = await untilAborted(Promise.resolve(sent), signal);
		for await (const part of response.stream) {
			if (part instanceof vscode.LanguageModelTextPart) {
				text += part.value;
				yield { type: 'text', delta: part.value };
			} else if (part instanceof vscode.LanguageModelToolCallPart) {
				calls.push({
					type: 'toolCall',
					id: part.callId,
					name: part.name,
					arguments: { ...part.input },
				});
			} else {
				const delta = thinkingIn(part);
				thinking += delta;
				if (delta) yield { type: 'thinking', delta };
			}
		}
		// A cancelled stream may end as if it were complete.
		signal.throwIfAborted();
	} catch (error) {
		if (signal.aborted) throw abortError(`The request to ${label}`);
		throw lmError(error, label);
	} finally {
		signal.removeEventListener('abort', cancel);
		// Ends the request where the consumer left early.
		source.cancel();
		source.dispose();
	}
	return [
		...(thinking ? [{ type: 'thinking' as const, thinking }] : []),
		...(text ? [{ type: 'text' as const, text }] : []),
		...calls,
	];
}

function toolsOf({ tools = [] }: ModelRequest): vscode.LanguageModelChatRequestOptions {
	if (tools.length === 0) return {};
	return {
		tools: tools.map(({ name, description, parameters }) => ({
			name,
			description,
			inputSchema: parameters,
		})),
	};
}

/** The API is not final on this: only a model that says so is sent images. */
function takesImages(chat: vscode.LanguageModelChat): boolean {
	const { capabilities } = chat as { capabilities?: { supportsImageToText?: unknown } };
	return capabilities?.supportsImageToText === true;
}

/** Thinking comes in a part whose class is not public yet: it has a text, or several, as its value. */
function thinkingIn(part: unknown): string {
	if (typeof part !== 'object' || part === null || !('value' in part)) return '';
	if (part instanceof vscode.LanguageModelPromptTsxPart) return '';
	const values: unknown[] = Array.isArray(part.value) ? part.value : [part.value];
	return values.filter((value) => typeof value === 'string').join('');
}

function toChatMessage({ role, parts }: LmMessage): vscode.LanguageModelChatMessage {
	return new vscode.LanguageModelChatMessage(
		role === 'user'
			? vscode.LanguageModelChatMessageRole.User
			: vscode.LanguageModelChatMessageRole.Assistant,
		parts.map(toChatPart),
	);
}

function toChatPart(part: LmPart): vscode.LanguageModelInputPart {
	switch (part.type) {
		case 'text':
			return new vscode.LanguageModelTextPart(part.text);
		case 'image':
			return vscode.LanguageModelDataPart.image(part.data, part.mimeType);
		case 'call':
			return new vscode.LanguageModelToolCallPart(part.callId, part.name, part.input);
		case 'result':
			return new vscode.LanguageModelToolResultPart(part.callId, [
				new vscode.LanguageModelTextPart(part.text),
			]);
	}
}
