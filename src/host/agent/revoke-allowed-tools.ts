/** "Revoke Allowed Tools…": shows what is allowed without a question, and takes back what is chosen. */
import * as vscode from 'vscode';
import { grantText } from './approval-rules.ts';
import type { Approvals, GrantInForce } from './approvals.ts';

interface Item extends vscode.QuickPickItem {
	granted: GrantInForce;
}

/** Resolves when the person has chosen, or left it. */
export async function revokeAllowedTools(approvals: Approvals): Promise<void> {
	const items = approvals.grants().map((granted): Item => ({
		label: grantText(granted.grant),
		description: granted.scope === 'workspace' ? 'in this workspace' : 'in one session',
		detail: granted.grant.folder,
		granted,
	}));
	if (items.length === 0) {
		void vscode.window.showInformationMessage(
			'No tool is allowed to write or run without asking you.',
		);
		return;
	}
	const chosen = await vscode.window.showQuickPick(items, {
		title: 'Revoke Allowed Tools',
		placeHolder: 'Choose what shall be asked again',
		canPickMany: true,
		matchOnDetail: true,
	});
	if (chosen) approvals.revoke(chosen.map(({ granted }) => granted));
}
