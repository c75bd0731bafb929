/**
 * The model that answers in this window: follows the session, the workspace's last choice, the settings
 * and what VS Code offers. A choice is written to the session and kept for the workspace.
 */
import * as vscode from 'vscode';
import type { Model } from '../../agent/model.ts';
import type { ChatNotice } from '../../protocol/panel.ts';
import { FALLBACK_WINDOW } from '../../providers/openai/model-limits.ts';
import type { AgentSession } from '../../session/agent-session.ts';
import type { ModelName } from '../../session/observations.ts';
import { Emitter, type Unsubscribe } from '../../util/emitter.ts';
import { errorText } from '../../util/errors.ts';
import type { Logger } from '../../util/logger.ts';
import type { HostSettings } from '../settings.ts';
import {
	decide,
	findChat,
	isSameModel,
	parseModelName,
	SERVER_PROVIDER,
	VSCODE_PROVIDER,
	type Decision,
} from './choice-rules.ts';
import type { ModelConnection } from './model-connection.ts';
import { chatLabel, chatWindow, createVscodeLmModel } from './vscode-lm-model.ts';

const WORKSPACE_CHOICE = 'model';

/** What is needed of the settings and of the connected server. */
export interface ActiveModelParts {
	/** Where the workspace's choice is kept. */
	memory: vscode.Memento;
	settings: Pick<HostSettings, 'current' | 'onDidChange'>;
	connection: Pick<
		ModelConnection,
		'model' | 'summaryModels' | 'contextWindow' | 'findWindow' | 'limits'
	>;
	log: Logger;
}

export class ActiveModel implements vscode.Disposable {
	/** Fires when another model answers, or its name has changed. */
	readonly onDidChange: Emitter<void>;
	private readonly parts: ActiveModelParts;
	private readonly listener: vscode.Disposable;
	private session: AgentSession | undefined;
	private stopSession: Unsubscribe = () => {};
	/** VS Code's models; undefined until they matter: asking starts the extensions that provide them. */
	private chats: readonly vscode.LanguageModelChat[] | undefined;
	private asking: Promise<void> | undefined;
	private decision: Decision = { model: undefined, missing: undefined };

	constructor(parts: ActiveModelParts) {
		this.onDidChange = new Emitter<void>((error) => parts.log.error(String(error)));
		this.parts = parts;
		this.listener = vscode.lm.onDidChangeChatModels(() => {
			if (this.chats) void this.askForChats();
		});
		parts.settings.onDidChange.on(() => this.update());
		parts.connection.limits.onDidChange.on(() => this.update());
		this.update();
	}

	/** The model that answers; undefined where there is none. */
	get current(): ModelName | undefined {
		return this.decision.model;
	}

	/** Its name for people. */
	get label(): string | undefined {
		const { model } = this.decision;
		return model && this.labelOf(model);
	}

	/** Tokens of its window. */
	get contextWindow(): number {
		const { model } = this.decision;
		const otherwise = this.parts.settings.current['model.contextWindow'] || FALLBACK_WINDOW;
		const chat = this.chatOf(model);
		if (chat) return chatWindow(chat, otherwise);
		return model?.provider === SERVER_PROVIDER
			? this.parts.connection.contextWindow(model.modelId)
			: otherwise;
	}

	/** Finds out the window of a server's model, unless that is known. Never fails. */
	async findWindow(): Promise<void> {
		const { model } = this.decision;
		if (model?.provider === SERVER_PROVIDER) await this.parts.connection.findWindow(model.modelId);
	}

	/** Says that another model answers than the one that was chosen. */
	get notice(): ChatNotice | undefined {
		const { missing, model } = this.decision;
		if (!missing) return undefined;
		const instead = model
			? `${this.labelOf(model)} answers instead.`
			: 'No other one is connected.';
		return {
			severity: 'info',
			message: `The chosen model, ${missing.modelId}, is not available now. ${instead}`,
			kept: null,
			hint: null,
			actions: ['chooseModel'],
		};
	}

	/** The model as the port to it; asks VS Code again where what was chosen is not there. */
	async model(): Promise<Model | undefined> {
		if (this.decision.missing?.provider === VSCODE_PROVIDER) await this.askForChats();
		else await this.asking;
		const { model } = this.decision;
		if (!model) return undefined;
		if (model.provider === SERVER_PROVIDER) return this.parts.connection.model(model.modelId);
		const chat = this.chatOf(model);
		return chat && createVscodeLmModel(chat, this.contextWindow);
	}

	/** The models that make summaries before the active one is asked. */
	summaryModels(): Promise<Model[]> {
		const { model } = this.decision;
		return this.parts.connection.summaryModels(
			model?.provider === SERVER_PROVIDER ? model.modelId : undefined,
		);
	}

	/**
	 * Makes a model the one that answers: in this session from here on, and wherever nothing was chosen.
	 * @throws what `AgentSession.chooseModel` does: nothing is changed then
	 */
	async choose(model: ModelName): Promise<void> {
		if (!isSameModel(this.session?.chosenModel, model)) await this.session?.chooseModel(model);
		await this.parts.memory.update(WORKSPACE_CHOICE, model);
		this.update();
	}

	/** VS Code's models, asked for now. */
	async availableChats(): Promise<readonly vscode.LanguageModelChat[]> {
		await this.askForChats();
		return this.chats ?? [];
	}

	/** Follows a session's choice from now on. */
	follow(session: AgentSession | undefined): void {
		this.stopSession();
		this.session = session;
		this.stopSession = session?.manager.events.on(() => this.update()) ?? (() => {});
		this.update();
	}

	dispose(): void {
		this.stopSession();
		this.listener.dispose();
	}

	private update(): void {
		const before = JSON.stringify([this.label, this.contextWindow, this.notice]);
		const { 'model.baseUrl': baseUrl, 'model.name': name } = this.parts.settings.current;
		this.decision = decide(
			{
				session: this.session?.chosenModel,
				workspace: parseModelName(this.parts.memory.get(WORKSPACE_CHOICE)),
				configured: baseUrl && name ? { provider: SERVER_PROVIDER, modelId: name } : undefined,
			},
			// Until VS Code has been asked, its models are taken to be there.
			(model) =>
				model.provider === SERVER_PROVIDER
					? baseUrl !== ''
					: this.chats === undefined || this.chatOf(model) !== undefined,
		);
		if (this.decision.model?.provider === VSCODE_PROVIDER && !this.chats) void this.askForChats();
		if (JSON.stringify([this.label, this.contextWindow, this.notice]) !== before)
			this.onDidChange.emit();
	}

	private askForChats(): Promise<void> {
		const asked: Promise<void> = this.readChats().finally(() => {
			if (this.asking === asked) this.asking = undefined;
		});
		this.asking = asked;
		return asked;
	}

	private async readChats(): Promise<void> {
		try {
			this.chats = await vscode.lm.selectChatModels();
		} catch (error) {
			this.parts.log.warn(`VS Code's models could not be listed: ${errorText(error)}`);
			this.chats ??= [];
		}
		this.update();
	}

	private chatOf(model: ModelName | undefined): vscode.LanguageModelChat | undefined {
		return model?.provider === VSCODE_PROVIDER
			? findChat(this.chats ?? [], model.modelId)
			: undefined;
	}

	private labelOf(model: ModelName): string {
		const chat = this.chatOf(model);
		return chat ? chatLabel(chat) : model.modelId;
	}
}
