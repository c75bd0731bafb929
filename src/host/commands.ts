/** The commands that belong to no view. */
import * as vscode from 'vscode';
import type { Row } from '../session/outline.ts';
import type { SessionManager } from '../session/session-manager.ts';
import { UserError } from '../util/errors.ts';
import type { Logger } from '../util/logger.ts';
import { COMMANDS, VIEWS } from './command-ids.ts';
import { askFocus, runCompaction } from './compaction-command.ts';
import { runPruning, runRestoring } from './pruning-commands.ts';
import { registerCommand } from './report-error.ts';
import type { SessionHost } from './session-host.ts';
import { undoCompaction } from './undo-compaction.ts';
import { registerSessionCommands } from './sessions/session-commands.ts';

export function registerCommands(
	context: vscode.ExtensionContext,
	sessions: SessionHost,
	/** Takes what is unsent in another session's composer into the chat. */
	takeDraft: (fromSessionId: string) => void,
	log: Logger,
): void {
	const session = () => {
		if (sessions.session) return sessions.session;
		throw new UserError('no-session', 'No session is open.');
	};
	registerCommand(context, log, COMMANDS.compact, () => runCompaction(session(), log));
	registerCommand(context, log, COMMANDS.compactWithFocus, async () => {
		const instructions = await askFocus();
		if (instructions === undefined) return;
		const focus = instructions.trim();
		await runCompaction(session(), log, focus ? { instructions: focus } : {});
	});
	registerCommand(context, log, COMMANDS.pruneToolOutputs, () => runPruning(session()));
	registerCommand(context, log, COMMANDS.restoreToolOutputs, () => runRestoring(session()));
	registerCommand(context, log, COMMANDS.compactUpToHere, async (row?: Row) => {
		if (!row)
			throw new UserError('no-entry', 'No entry was chosen.', {
				hint: 'Choose "Compact up to here" on an entry of the session tree.',
			});
		await runCompaction(session(), log, { boundaryId: row.entryId });
	});
	registerCommand(context, log, COMMANDS.undoCompaction, (row?: Pick<Row, 'entryId'>) =>
		undoCompaction(() => sessions.session, session(), log, row?.entryId),
	);
	registerCommand(context, log, COMMANDS.newSession, async () => {
		await sessions.startNew();
		await vscode.commands.executeCommand(`${VIEWS.chat}.focus`);
	});
	registerCommand(context, log, COMMANDS.forkSession, async (row?: Row) => {
		const from = session().manager.id;
		await sessions.fork(row?.entryId);
		takeDraft(from);
		await vscode.commands.executeCommand(`${VIEWS.chat}.focus`);
	});
	registerCommand(context, log, COMMANDS.labelEntry, async (row?: Row) => {
		const { manager } = session();
		const target = row?.entryId ?? manager.leafId;
		if (target !== null) await askAndLabel(manager, target);
	});
	registerSessionCommands(context, sessions, log);
	registerCommand(context, log, COMMANDS.openSessionFile, async (file?: vscode.Uri) => {
		const uri = file ?? (await askForFile(sessions.folder));
		if (uri) await sessions.open(uri.fsPath);
	});
	registerCommand(context, log, COMMANDS.focusChat, () =>
		vscode.commands.executeCommand(`${VIEWS.chat}.focus`),
	);
}

async function askForFile(folder: vscode.Uri): Promise<vscode.Uri | undefined> {
	const picked = await vscode.window.showOpenDialog({
		title: 'Open a session of Espalier, pi or oh-my-pi',
		openLabel: 'Open session',
		canSelectMany: false,
		defaultUri: folder,
		filters: { Sessions: ['jsonl'] },
	});
	return picked?.[0];
}

/** A label stands before its row in the tree; pi shows it, too. */
async function askAndLabel(manager: SessionManager, entryId: string): Promise<void> {
	const label = manager.labels().get(entryId) ?? '';
	const entered = await vscode.window.showInputBox({
		title: 'Label entry',
		prompt: 'An empty label takes the label back.',
		value: label,
		ignoreFocusOut: true,
	});
	const wanted = entered?.trim();
	if (wanted !== undefined && wanted !== label) await manager.appendLabel(entryId, wanted);
}
