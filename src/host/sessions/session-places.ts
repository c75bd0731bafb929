/** Where this window's sessions may lie, as VS Code and the environment say. */
import { homedir, tmpdir } from 'node:os';
import * as vscode from 'vscode';
import type { SessionPlaces } from '../../node/session-folders.ts';

/** The places as they are now: roots and environment can change. */
export function sessionPlaces(context: vscode.ExtensionContext): SessionPlaces {
	const { storageUri, globalStorageUri } = context;
	const sessionsIn = (storage: vscode.Uri) => vscode.Uri.joinPath(storage, 'sessions').fsPath;
	// <user data>/workspaceStorage/<workspace>/<extension>, beside <user data>/globalStorage/<extension>
	const workspaceStorage = storageUri
		? vscode.Uri.joinPath(storageUri, '..', '..')
		: vscode.Uri.joinPath(globalStorageUri, '..', '..', 'workspaceStorage');
	const roots = (vscode.workspace.workspaceFolders ?? []).filter(
		({ uri }) => uri.scheme === 'file',
	);
	return {
		own: sessionsIn(storageUri ?? globalStorageUri),
		global: sessionsIn(globalStorageUri),
		workspaceStorage: workspaceStorage.fsPath,
		cwds: roots.length > 0 ? roots.map(({ uri }) => uri.fsPath) : [homedir()],
		home: homedir(),
		temporary: tmpdir(),
		env: process.env,
		platform: process.platform,
	};
}
