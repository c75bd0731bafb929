/** VS Code's configuration as our settings: validated, live. */
import * as vscode from 'vscode';
import { readSettings, type Settings } from '../config/settings-schema.ts';
import { Emitter } from '../util/emitter.ts';

const SECTION = 'espalier';

export class HostSettings {
	readonly onDidChange = new Emitter<Settings>();
	private settings: Settings;
	/** Problems already shown, so that each is told once. */
	private readonly told = new Set<string>();

	constructor(context: vscode.ExtensionContext) {
		this.settings = this.read();
		context.subscriptions.push(
			vscode.workspace.onDidChangeConfiguration((event) => {
				if (!event.affectsConfiguration(SECTION)) return;
				this.settings = this.read();
				this.onDidChange.emit(this.settings);
			}),
		);
	}

	get current(): Settings {
		return this.settings;
	}

	/** Stores where the model is; both are machine settings, so they go to the user's machine. */
	async connect(baseUrl: string, name: string): Promise<void> {
		const configuration = vscode.workspace.getConfiguration(SECTION);
		await configuration.update('model.baseUrl', baseUrl, vscode.ConfigurationTarget.Global);
		await configuration.update('model.name', name, vscode.ConfigurationTarget.Global);
	}

	private read(): Settings {
		const configuration = vscode.workspace.getConfiguration(SECTION);
		const { settings, problems } = readSettings((key) => configuration.get(key));
		for (const { message } of problems) {
			if (this.told.has(message)) continue;
			this.told.add(message);
			void vscode.window.showWarningMessage(message);
		}
		return settings;
	}
}
