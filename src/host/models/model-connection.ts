/**
 * The connected server: where it is comes from machine settings, its key from secret storage. A key is
 * bound to the origin it was given for and never sent to another.
 */
import * as vscode from 'vscode';
import type { Model } from '../../agent/model.ts';
import { listModels } from '../../providers/openai/list-models.ts';
import { ModelLimits, type OwnLimits } from '../../providers/openai/model-limits.ts';
import type { LimitedServer } from '../../providers/openai/server-limits.ts';
import { createSummaryModels, originOf } from '../../providers/summary-models.ts';
import { Emitter } from '../../util/emitter.ts';
import { errorText, UserError } from '../../util/errors.ts';
import type { Logger } from '../../util/logger.ts';
import { createOriginConsent } from '../ask-consent.ts';
import { COMMANDS } from '../command-ids.ts';
import type { OriginConsent } from '../origin-consent.ts';
import { registerCommand } from '../report-error.ts';
import type { HostSettings } from '../settings.ts';

const DEFAULT_BASE_URL = 'http://localhost:11434/v1';
const TITLE = 'Connect a model';
const STEPS = 3;

export class ModelConnection {
	/** Fires with the name of a model that a person has connected. */
	readonly onDidConnect = new Emitter<string>();
	private readonly secrets: vscode.SecretStorage;
	private readonly settings: HostSettings;
	private readonly consent: OriginConsent;
	/** What is known of models' windows; tells when that changes. */
	readonly limits: ModelLimits;

	constructor(context: vscode.ExtensionContext, settings: HostSettings, log: Logger) {
		this.secrets = context.secrets;
		this.settings = settings;
		this.limits = new ModelLimits(log);
		this.consent = createOriginConsent(context);
		registerCommand(context, log, COMMANDS.connectModel, () => this.connect());
		registerCommand(context, log, COMMANDS.forgetKey, () => this.forgetKey());
	}

	/** The server's origin ("https://host:port"), for people; undefined where none is connected. */
	get origin(): string | undefined {
		const baseUrl = this.settings.current['model.baseUrl'];
		return baseUrl ? originOf(baseUrl) : undefined;
	}

	/** The model that the settings name; empty where they name none. */
	get modelName(): string {
		return this.settings.current['model.name'];
	}

	/** A model of the connected server; undefined where none is connected. */
	async model(name: string): Promise<Model | undefined> {
		const server = await this.server(name);
		if (!server) return undefined;
		const origin = originOf(server.baseUrl);
		const mayAsk = this.consent.isConfirmed('model', origin);
		const model = await this.limits.connect(server, this.ownLimits, mayAsk);
		return this.consent.guard(model, 'model', origin);
	}

	/** Tokens of the window of a model of the connected server, as far as it is known now. */
	contextWindow(name: string): number {
		const { 'model.baseUrl': baseUrl } = this.settings.current;
		return this.limits.contextWindow({ baseUrl, model: name }, this.ownLimits);
	}

	/** Asks the server for a model's window, unless that is known or set. Never fails. */
	async findWindow(name: string): Promise<void> {
		if (this.ownLimits.contextWindow > 0) return;
		// A key that cannot be read is told of where the model is asked.
		const server = await this.server(name).catch(() => undefined);
		if (!server || !this.consent.isConfirmed('model', originOf(server.baseUrl))) return;
		await this.limits.find(server);
	}

	private get ownLimits(): OwnLimits {
		const settings = this.settings.current;
		return {
			contextWindow: settings['model.contextWindow'],
			maxOutputTokens: settings['model.maxOutputTokens'],
		};
	}

	/** Where a model of the connected server is; undefined where none is connected. */
	private async server(model: string): Promise<LimitedServer | undefined> {
		const { 'model.baseUrl': baseUrl } = this.settings.current;
		if (!baseUrl || !model) return undefined;
		const apiKey = await this.keyFor(originOf(baseUrl));
		return { baseUrl, model, ...(apiKey ? { apiKey } : {}) };
	}

	/**
	 * The names of the connected server's models.
	 * @throws as `listModels` of the provider
	 */
	async listModels(signal: AbortSignal): Promise<string[]> {
		const baseUrl = this.settings.current['model.baseUrl'];
		if (!baseUrl) return [];
		const apiKey = await this.keyFor(originOf(baseUrl));
		return listModels({ baseUrl, ...(apiKey ? { apiKey } : {}) }, signal);
	}

	/**
	 * The models that make summaries before the active one is asked, in order; often none.
	 * @param activeModel the server's model that is active; undefined where it is not the server's
	 */
	summaryModels(activeModel: string | undefined): Promise<Model[]> {
		const settings = this.settings.current;
		return createSummaryModels(
			{
				remoteEndpoint: settings['compaction.remoteEndpoint'],
				compactionModel: settings['compaction.model'],
				baseUrl: settings['model.baseUrl'],
				activeModel: activeModel ?? '',
				contextWindow: this.contextWindow(activeModel ?? settings['model.name']),
			},
			(origin) => this.keyFor(origin),
			(model, origin, purpose) => this.consent.guard(model, purpose, origin),
		);
	}

	private async keyFor(origin: string): Promise<string | undefined> {
		return this.secrets.get(secretKey(origin));
	}

	/** Asks for server, key and model, tries them, and keeps them. Escape at any step changes nothing. */
	private async connect(): Promise<void> {
		const baseUrl = await this.askBaseUrl();
		if (baseUrl === undefined) return;
		const key = secretKey(originOf(baseUrl));
		const stored = await this.secrets.get(key);
		const typed = await vscode.window.showInputBox({
			title: `${TITLE} (2/${STEPS})`,
			prompt: stored
				? `A key for ${originOf(baseUrl)} is stored. Leave this empty to keep it.`
				: `The key for ${originOf(baseUrl)}. Leave this empty for a server without keys.`,
			password: true,
			ignoreFocusOut: true,
		});
		if (typed === undefined) return;
		const apiKey = typed.trim() || stored;
		const name = await this.askModel(baseUrl, apiKey);
		if (!name) return;
		if (typed.trim()) await this.secrets.store(key, typed.trim());
		await this.consent.confirm('model', originOf(baseUrl));
		await this.settings.connect(baseUrl, name);
		this.onDidConnect.emit(name);
		void vscode.window.showInformationMessage(`Connected to ${name} at ${originOf(baseUrl)}.`);
	}

	private async askBaseUrl(): Promise<string | undefined> {
		const value = await vscode.window.showInputBox({
			title: `${TITLE} (1/${STEPS})`,
			prompt: 'Base URL of an OpenAI-compatible server. Your conversation will be sent there.',
			value: this.settings.current['model.baseUrl'] || DEFAULT_BASE_URL,
			ignoreFocusOut: true,
			validateInput: (text) =>
				isHttpUrl(text) ? undefined : 'This is not an http:// or https:// address.',
		});
		return value?.trim();
	}

	private async askModel(baseUrl: string, apiKey: string | undefined): Promise<string | undefined> {
		const title = `${TITLE} (3/${STEPS})`;
		try {
			const names = await vscode.window.withProgress(
				{ location: vscode.ProgressLocation.Notification, title: 'Asking for the models…' },
				() => listModels({ baseUrl, ...(apiKey ? { apiKey } : {}) }),
			);
			if (names.length > 0)
				return await vscode.window.showQuickPick(names, { title, placeHolder: 'Which model?' });
		} catch (error) {
			void vscode.window.showWarningMessage(`${errorText(error)} You can still name a model.`);
		}
		const name = await vscode.window.showInputBox({
			title,
			prompt: 'The name of the model, as the server knows it.',
			value: this.settings.current['model.name'],
			ignoreFocusOut: true,
		});
		return name?.trim();
	}

	private async forgetKey(): Promise<void> {
		const baseUrl = this.settings.current['model.baseUrl'];
		if (!baseUrl) throw new UserError('no-model', 'No model is connected, so there is no key.');
		await this.secrets.delete(secretKey(originOf(baseUrl)));
		void vscode.window.showInformationMessage(`The key for ${originOf(baseUrl)} was forgotten.`);
	}
}

function secretKey(origin: string): string {
	return `apiKey:${origin}`;
}

function isHttpUrl(text: string): boolean {
	const url = text.trim();
	return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}
