/** Turns a row's look into a tree item; tooltips are left for the hover. */
import * as vscode from 'vscode';
import type { Row } from '../../session/outline.ts';
import { COMMANDS } from '../command-ids.ts';
import type { RowLook } from './row-look.ts';

export function treeItem(row: Row, look: RowLook): vscode.TreeItem {
	const isCurrent = look.flags.includes('current');
	const item = new vscode.TreeItem(
		isCurrent ? { label: look.label, highlights: [[0, look.label.length]] } : look.label,
		// Only the state of a row seen for the first time: what a person opens stays open.
		look.collapsible
			? vscode.TreeItemCollapsibleState.Collapsed
			: vscode.TreeItemCollapsibleState.None,
	);
	item.id = row.id;
	item.description = look.description;
	item.iconPath = new vscode.ThemeIcon(
		look.icon,
		look.color === undefined ? undefined : new vscode.ThemeColor(look.color),
	);
	item.contextValue = look.flags.join(';');
	item.accessibilityInformation = { label: look.spoken };
	if (row.kind === 'more')
		item.command = { command: COMMANDS.showMoreRows, title: look.label, arguments: [row.id] };
	// A branch has no entry of its own: a click opens and closes it.
	else if (row.kind !== 'branch')
		item.command = {
			command: COMMANDS.showEntry,
			title: 'Open entry',
			arguments: [row.entryId],
		};
	return item;
}
