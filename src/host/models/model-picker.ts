/** "Choose model…": VS Code's models, the connected server's, and the way to connect one. */
import * as vscode from 'vscode';
import type { ModelName } from '../../session/observations.ts';
import { errorText, isAbort } from '../../util/errors.ts';
import type { Logger } from '../../util/logger.ts';
import { COMMANDS } from '../command-ids.ts';
import { registerCommand } from '../report-error.ts';
import type { ActiveModel } from './active-model.ts';
import {
	chatModelId,
	findChat,
	isSameModel,
	parseModelName,
	SERVER_PROVIDER,
	VSCODE_PROVIDER,
} from './choice-rules.ts';
import type { ModelConnection } from './model-connection.ts';

/** An item without an action only tells something. */
interface ModelItem extends vscode.QuickPickItem {
	choose?: ModelName | 'connect';
}

/** Registers the command; a keybinding may name the model: { provider, modelId }. */
export function registerModelPicker(
	context: vscode.ExtensionContext,
	active: ActiveModel,
	connection: ModelConnection,
	log: Logger,
): void {
	registerCommand(context, log, COMMANDS.chooseModel, async (named?: unknown) => {
		const choice = parseModelName(named) ?? (await pickModel(active, connection));
		if (choice === 'connect') await vscode.commands.executeCommand(COMMANDS.connectModel);
		else if (choice) await active.choose(choice);
	});
}

/** Lets a person choose a model; undefined where they left the list. Lists come in as they are read. */
async function pickModel(
	active: ActiveModel,
	connection: ModelConnection,
): Promise<ModelName | 'connect' | undefined> {
	const pick = vscode.window.createQuickPick<ModelItem>();
	const closed = new AbortController();
	let ofCode: ModelItem[] = [{ label: '$(loading~spin) Asking for the models of VS Code…' }];
	let ofServer: ModelItem[] = connection.origin
		? [{ label: '$(loading~spin) Asking for the models of the server…' }]
		: [];
	const show = () => {
		if (closed.signal.aborted) return;
		const items = [
			separator('VS Code'),
			...ofCode,
			...(connection.origin ? [separator(connection.origin), ...ofServer] : []),
			separator(''),
			{ label: '$(plug) Connect a model…', choose: 'connect' as const },
		];
		const stood = pick.activeItems[0]?.choose;
		pick.items = items;
		const stand = items.find(({ choose }) => choose && isSame(choose, stood ?? active.current));
		if (stand) pick.activeItems = [stand];
	};
	const readCode = async () => {
		ofCode = await codeItems(active);
		show();
	};
	const readServer = async () => {
		ofServer = await serverItems(active, connection, closed.signal);
		show();
	};
	const listener = vscode.lm.onDidChangeChatModels(() => void readCode());
	pick.title = 'Choose model';
	pick.placeholder = active.label ? `${active.label} answers now` : 'No model answers now';
	pick.matchOnDescription = true;
	pick.busy = true;
	try {
		return await new Promise((resolve) => {
			pick.onDidAccept(() => {
				const chosen = pick.selectedItems[0]?.choose;
				if (chosen) resolve(chosen);
			});
			pick.onDidHide(() => resolve(undefined));
			show();
			pick.show();
			void Promise.all([readCode(), readServer()]).then(() => {
				if (!closed.signal.aborted) pick.busy = false;
			});
		});
	} finally {
		closed.abort();
		listener.dispose();
		pick.dispose();
	}
}

async function codeItems(active: ActiveModel): Promise<ModelItem[]> {
	const chats = await active.availableChats();
	if (chats.length === 0)
		return [
			{
				label: 'VS Code has no models now',
				detail: 'They come from GitHub Copilot and from other extensions that provide models.',
			},
		];
	const { current } = active;
	const currentChat =
		current?.provider === VSCODE_PROVIDER ? findChat(chats, current.modelId) : undefined;
	return chats.map((chat) => ({
		label: chat.name || chat.id,
		description: `${chat.vendor}${chat === currentChat ? ' · current' : ''}`,
		choose: { provider: VSCODE_PROVIDER, modelId: chatModelId(chat) },
	}));
}

async function serverItems(
	active: ActiveModel,
	connection: ModelConnection,
	signal: AbortSignal,
): Promise<ModelItem[]> {
	if (!connection.origin) return [];
	const { current } = active;
	const configured = connection.modelName;
	const names = new Set(configured ? [configured] : []);
	if (current?.provider === SERVER_PROVIDER) names.add(current.modelId);
	const problems: ModelItem[] = [];
	try {
		for (const name of await connection.listModels(signal)) names.add(name);
	} catch (error) {
		if (!isAbort(error))
			problems.push({
				label: '$(warning) The models of the server could not be listed',
				detail: errorText(error),
			});
	}
	const items = [...names].sort().map((name) => {
		const choose = { provider: SERVER_PROVIDER, modelId: name };
		return { label: name, description: isSameModel(choose, current) ? 'current' : '', choose };
	});
	return [...items, ...problems];
}

function isSame(one: ModelName | 'connect', other: ModelName | 'connect' | undefined): boolean {
	if (one === 'connect' || other === 'connect') return one === other;
	return isSameModel(one, other);
}

function separator(label: string): ModelItem {
	return { label, kind: vscode.QuickPickItemKind.Separator };
}
