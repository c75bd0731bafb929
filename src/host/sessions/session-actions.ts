/** What a person does with a session of the list, with the questions that come before it. */
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { archiveSession, filesOfSession, restoreSession } from '../../node/session-files.ts';
import type { SessionRow } from '../../node/session-listing.ts';
import { refuseLocked } from '../../node/session-lock.ts';
import { errorText, UserError } from '../../util/errors.ts';
import type { SessionHost } from '../session-host.ts';
import { ACTIONS, actionsFor, isOurs, type SessionAction } from './session-items.ts';
import { sessionText } from './session-text.ts';

/** Asks what to do with a session; undefined where the person does not know either. */
export async function askForAction(row: SessionRow): Promise<SessionAction | undefined> {
	const items = (['open', ...actionsFor(row)] as const).map((action) => ({
		label: `$(${ACTIONS[action].icon}) ${ACTIONS[action].title}`,
		action,
	}));
	const picked = await vscode.window.showQuickPick(items, { title: titleOf(row) });
	return picked?.action;
}

/**
 * Does it, after the questions that it needs.
 * @returns true where the list may be shown again; opening ends it
 * @throws UserError with what was kept
 */
export async function runAction(
	sessions: SessionHost,
	row: SessionRow,
	action: SessionAction,
): Promise<boolean> {
	switch (action) {
		case 'open':
			if (!sessions.isShown(row.path)) await sessions.open(row.path);
			return false;
		case 'rename':
			await askAndRename(sessions, row);
			return true;
		case 'archive':
		case 'restore':
			await leave(sessions, row, action);
			await sessions.moved(
				row.path,
				await (action === 'archive' ? archiveSession(row.path) : restoreSession(row.path)),
			);
			return true;
		case 'delete':
			await askAndDelete(sessions, row);
			return true;
		case 'reveal':
			await reveal(row.path);
			return false;
	}
}

/** A browser or a remote window has no file explorer to show: there the path must do. */
async function reveal(path: string): Promise<void> {
	const known = await vscode.commands.getCommands();
	if (known.includes('revealFileInOS')) {
		await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(path));
		return;
	}
	const copy = 'Copy path';
	if (await vscode.window.showInformationMessage(path, copy))
		await vscode.env.clipboard.writeText(path);
}

async function askAndRename(sessions: SessionHost, row: SessionRow): Promise<void> {
	const { name = '' } = row.summary;
	const entered = await vscode.window.showInputBox({
		title: 'Rename session',
		prompt: isOurs(row)
			? 'An empty name takes the name back; the first message is shown then.'
			: 'The name is added at the end of a file of another tool, which will show it too.',
		value: name,
		ignoreFocusOut: true,
	});
	const wanted = entered?.trim();
	if (wanted === undefined || wanted === name) return;
	if (!isOurs(row)) {
		const question = `Add the name to ${basename(row.path)}?`;
		const detail = `The file belongs to ${row.folder.group === 'pi' ? 'pi' : 'oh-my-pi'}. One line is added at its end, as that tool does; nothing in it changes.`;
		if (!(await confirmed(question, detail, 'Add the name'))) return;
	}
	await sessions.rename(row.path, wanted);
}

async function askAndDelete(sessions: SessionHost, row: SessionRow): Promise<void> {
	if (!isOurs(row))
		throw new UserError('foreign', `${basename(row.path)} belongs to another tool.`, {
			kept: 'It was not touched.',
			hint: 'Delete it there.',
		});
	const shown = sessions.isShown(row.path)
		? ' It is on show; an empty new session is shown instead.'
		: '';
	const detail = `It goes to the trash.${shown}`;
	if (!(await confirmed(`Delete the session "${titleOf(row)}"?`, detail, 'Delete'))) return;
	await refuseLocked(row.path);
	await leave(sessions, row, 'delete');
	try {
		// The session first: what lies beside it means nothing alone.
		for (const file of await filesOfSession(row.path))
			await vscode.workspace.fs.delete(vscode.Uri.file(file), { useTrash: true });
	} catch (error) {
		throw new UserError(
			'not-deleted',
			`${basename(row.path)} could not be moved to the trash: ${errorText(error)}`,
			{
				kept: 'What is not in the trash is where it was.',
				hint: 'Archive it, or reveal it in the file explorer and delete it there.',
				cause: error,
			},
		);
	}
}

/** Shows another session before the one on show is taken away. */
async function leave(sessions: SessionHost, row: SessionRow, action: SessionAction): Promise<void> {
	if (!sessions.isShown(row.path)) return;
	if (sessions.session && sessions.session.activity !== 'idle')
		throw new UserError('busy', `The session is at work, so you cannot ${action} it now.`, {
			kept: 'It goes on.',
			hint: 'Stop it, or wait until it is done.',
		});
	await sessions.startNew();
}

async function confirmed(question: string, detail: string, answer: string): Promise<boolean> {
	const options = { modal: true, detail };
	return (await vscode.window.showWarningMessage(question, options, answer)) === answer;
}

function titleOf(row: SessionRow): string {
	return sessionText(row, Date.now()).label;
}
