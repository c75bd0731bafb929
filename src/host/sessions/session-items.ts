/** The rows of the session list as VS Code's quick pick wants them. */
import * as vscode from 'vscode';
import type { SessionRow } from '../../node/session-listing.ts';
import { summaryProblem } from '../../session/session-summary.ts';
import { groupedRows, sessionText } from './session-text.ts';

/** What can be done with a session of the list. */
export type SessionAction = 'open' | 'rename' | 'archive' | 'restore' | 'delete' | 'reveal';

export interface SessionItem extends vscode.QuickPickItem {
	/** Undefined for a separator and for what could not be read. */
	row?: SessionRow;
	buttons?: readonly ActionButton[];
}

export interface ActionButton extends vscode.QuickInputButton {
	action: SessionAction;
	tooltip: string;
}

/** Words and icon of each action. */
export const ACTIONS: Record<SessionAction, { title: string; icon: string }> = {
	open: { title: 'Open', icon: 'go-to-file' },
	rename: { title: 'Rename…', icon: 'edit' },
	archive: { title: 'Archive', icon: 'archive' },
	restore: { title: 'Restore from the archive', icon: 'discard' },
	delete: { title: 'Delete…', icon: 'trash' },
	reveal: { title: 'Reveal in the file explorer', icon: 'folder-opened' },
};

/** Made once: thousands of rows share them. */
const buttons = Object.fromEntries(
	Object.entries(ACTIONS).map(([action, { title, icon }]) => [
		action,
		{ action, tooltip: title, iconPath: new vscode.ThemeIcon(icon) },
	]),
) as Record<SessionAction, ActionButton>;

/** True for files that Espalier wrote: only those may be moved or deleted. */
export function isOurs({ folder }: Pick<SessionRow, 'folder'>): boolean {
	return folder.group === 'workspace' || folder.group === 'no-folder';
}

/** What can be done with a session, in the order of its buttons. */
export function actionsFor(row: SessionRow): SessionAction[] {
	const rename = row.summary.kind === 'session' ? (['rename'] as const) : [];
	if (!isOurs(row)) return [...rename, 'reveal'];
	return [...rename, row.folder.archived ? 'restore' : 'archive', 'delete', 'reveal'];
}

/** The items of the list, grouped. `shown` is the path of the session on show. */
export function sessionItems(
	rows: readonly SessionRow[],
	unreadable: ReadonlyMap<string, string>,
	shown: string | undefined,
): SessionItem[] {
	const now = Date.now();
	const items = groupedRows(rows).flatMap((group): SessionItem[] => [
		{ label: group.title, kind: vscode.QuickPickItemKind.Separator },
		...group.rows.map((row) => sessionItem(row, now, row.path === shown)),
	]);
	for (const [folder, code] of unreadable)
		items.push({
			label: `The folder ${folder} cannot be read (${code})`,
			description: 'check its permissions',
			iconPath: new vscode.ThemeIcon('warning'),
		});
	return items;
}

function sessionItem(row: SessionRow, now: number, isShown: boolean): SessionItem {
	const hasProblem = summaryProblem(row.summary) !== undefined;
	const icon = isShown ? 'target' : hasProblem ? 'warning' : 'comment-discussion';
	return {
		...sessionText(row, now, isShown),
		iconPath: new vscode.ThemeIcon(icon),
		buttons: actionsFor(row).map((action) => buttons[action]),
		row,
	};
}
