/** The questions of a move in the tree: which leaf, and whether to summarize what is left. */
import * as vscode from 'vscode';
import { entryText, firstLine } from '../../session/entry-text.ts';
import type { MovePreview } from '../../session/move-preview.ts';
import type { SessionEntry } from '../../session/entries.ts';
import type { SessionManager } from '../../session/session-manager.ts';
import { summaryFacts } from '../../session/summary-facts.ts';
import { counted, grouped } from './row-look.ts';

/** What to do about the branch that is left. */
export interface SummaryChoice {
	summarize: boolean;
	focus?: string;
}

type ChoiceItem = vscode.QuickPickItem & { choice: 'none' | 'summary' | 'focus' };

/**
 * Asks whether the branch that is left is to be summarized.
 * @returns undefined where the person cancelled
 */
export async function askForSummary(
	preview: MovePreview,
	preselectSummary: boolean,
	title: string,
): Promise<SummaryChoice | undefined> {
	const items: ChoiceItem[] = [
		{
			label: '$(arrow-right) Without a summary',
			description: 'the branch stays in the tree',
			choice: 'none',
		},
		{
			label: '$(book) With a summary',
			description: 'what was found out there comes along',
			choice: 'summary',
		},
		{
			label: '$(edit) With a summary and a focus…',
			description: 'you say what matters',
			choice: 'focus',
		},
	];
	const tokens = grouped(preview.tokens);
	const picked = await pickOne(items, {
		title,
		placeholder: `You leave ${counted(preview.entries, 'entry', 'entries')}, about ${tokens} tokens`,
		active: preselectSummary ? items[1] : items[0],
	});
	if (!picked) return undefined;
	if (picked.choice !== 'focus') return { summarize: picked.choice === 'summary' };
	const focus = await vscode.window.showInputBox({
		title,
		prompt: 'What should the summary focus on?',
		placeHolder: 'for example: why the first parser was too slow',
		ignoreFocusOut: true,
	});
	if (focus === undefined) return undefined;
	return focus.trim() === '' ? { summarize: true } : { summarize: true, focus: focus.trim() };
}

/** Lets a person pick the end of a branch; undefined where they cancelled or there is no other. */
export async function pickLeaf(manager: SessionManager): Promise<string | undefined> {
	const { tree } = manager;
	const items = tree
		.leaves()
		.reverse()
		.filter((id) => id !== manager.leafId)
		.map((id) => {
			// Read from the end of the branch until both are found; histories can be long.
			const [asked] = tree.upFrom(id, (_type, role) => role === 'user');
			const said = firstReadable(tree.upFrom(id, () => true));
			return {
				label: firstLine(asked ? entryText(asked) : '', 80) || '(no message)',
				description: counted(tree.idsTo(id).length, 'entry', 'entries'),
				detail: said && said !== asked ? firstLine(readableText(said), 120) : '',
				id,
			};
		});
	if (items.length === 0) {
		void vscode.window.showInformationMessage('This session has no other branch.');
		return undefined;
	}
	const picked = await vscode.window.showQuickPick(items, {
		title: 'Switch to branch',
		placeHolder: 'The last thing asked on each branch, the newest branch first',
		matchOnDetail: true,
	});
	return picked?.id;
}

/** Lets a person pick one of their messages on the current path, the newest first. */
export async function pickUserMessage(manager: SessionManager): Promise<string | undefined> {
	const { tree, leafId } = manager;
	const items = [...tree.upFrom(leafId, (_type, role) => role === 'user')].map((entry) => ({
		label: firstLine(entryText(entry), 100) || '(no text)',
		description: lineCount(entryText(entry)),
		id: entry.id,
	}));
	if (items.length === 0) {
		void vscode.window.showInformationMessage('There is no message of yours on this branch yet.');
		return undefined;
	}
	const picked = await vscode.window.showQuickPick(items, {
		title: 'Edit and resend',
		placeHolder: 'The message to edit; what followed it stays in the tree as a branch',
	});
	return picked?.id;
}

/** What an entry says, without the words that we put before summaries. */
function readableText(entry: SessionEntry): string {
	return entry.type === 'branch_summary' || entry.type === 'compaction'
		? summaryFacts(entry).text
		: entryText(entry);
}

function lineCount(text: string): string {
	const lines = text.split('\n').length;
	return lines > 1 ? counted(lines, 'line') : '';
}

/** A quick pick with a preselected item, which `showQuickPick` does not offer. */
function pickOne<T extends vscode.QuickPickItem>(
	items: readonly T[],
	options: { title: string; placeholder: string; active: T | undefined },
): Promise<T | undefined> {
	return new Promise((resolve) => {
		const pick = vscode.window.createQuickPick<T>();
		pick.title = options.title;
		pick.placeholder = options.placeholder;
		pick.items = items;
		if (options.active) pick.activeItems = [options.active];
		pick.onDidAccept(() => {
			resolve(pick.selectedItems[0]);
			pick.hide();
		});
		// Hiding after accepting resolves a second time, which does nothing.
		pick.onDidHide(() => {
			resolve(undefined);
			pick.dispose();
		});
		pick.show();
	});
}

function firstReadable(entries: Iterable<SessionEntry>): SessionEntry | undefined {
	for (const entry of entries) if (readableText(entry) !== '') return entry;
	return undefined;
}
