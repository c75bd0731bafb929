/** Entries as read-only documents: the scheme `espalier-entry` and the command that opens one. */
import * as vscode from 'vscode';
import type { SessionManager } from '../session/session-manager.ts';
import { sessionDocument } from '../session/pruned-document.ts';
import { COMMANDS } from './command-ids.ts';

export const ENTRY_SCHEME = 'espalier-entry';

/** What showing entries needs from the host. */
export interface EntryDocumentPorts {
	/** The session shown; undefined where none is open. */
	manager(): SessionManager | undefined;
	/** An open session by its id; documents outlive a switch to another session. */
	managerOf(sessionId: string): SessionManager | undefined;
}

/** Registers the documents and `espalier.showEntry`, which takes an entry's id or a row of the tree. */
export function registerEntryDocuments(ports: EntryDocumentPorts): vscode.Disposable {
	return vscode.Disposable.from(
		vscode.workspace.registerTextDocumentContentProvider(ENTRY_SCHEME, {
			provideTextDocumentContent: (uri) => documentText(ports, uri),
		}),
		vscode.commands.registerCommand(
			COMMANDS.showEntry,
			async (target?: string | { entryId: string }) => {
				const manager = ports.manager();
				const entryId = typeof target === 'object' ? target.entryId : target;
				const id = entryId ?? manager?.leafId;
				if (!manager || id === null || id === undefined) {
					void vscode.window.showInformationMessage('There is no entry to show.');
					return;
				}
				await showEntry(manager, id);
			},
		),
	);
}

/** Opens an entry beside nothing: a preview tab, the keyboard stays in the tree. */
async function showEntry(manager: SessionManager, entryId: string): Promise<void> {
	const uri = entryUri(manager, entryId);
	if (!uri) return;
	const document = await vscode.workspace.openTextDocument(uri);
	await vscode.window.showTextDocument(document, { preview: true, preserveFocus: true });
}

/** The address of an entry's document; its last segment names the tab and the language. */
export function entryUri(manager: SessionManager, entryId: string): vscode.Uri | undefined {
	const document = sessionDocument(manager, entryId);
	if (!document) return undefined;
	const { title, language } = document;
	const name = title.replace(/[^\p{L}\p{N} ()_-]+/gu, ' ').trim() || 'Entry';
	return vscode.Uri.from({
		scheme: ENTRY_SCHEME,
		// Ids are another tool's: as query they cannot change the path.
		path: `/${name}.${language === 'json' ? 'json' : 'md'}`,
		query: JSON.stringify({ session: manager.id, entry: entryId }),
	});
}

function documentText(ports: EntryDocumentPorts, uri: vscode.Uri): string {
	const { session, entry: entryId } = addressOf(uri);
	const manager = ports.managerOf(session);
	return (
		(manager && sessionDocument(manager, entryId)?.text) ??
		'This entry belongs to a session that is not open any more.\n'
	);
}

function addressOf(uri: vscode.Uri): { session: string; entry: string } {
	try {
		const { session, entry } = JSON.parse(uri.query) as Record<string, unknown>;
		return { session: String(session), entry: String(entry) };
	} catch {
		// Someone else's address of our scheme: there is no such entry.
		return { session: '', entry: '' };
	}
}
