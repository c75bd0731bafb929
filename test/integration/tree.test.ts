// The session tree in a real extension host: rows, lazy hovers, entry documents, and moving.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { runAndAnswer } from '../support/answer-question.ts';
import { SessionTreeProvider } from '../../src/host/tree/session-tree-provider.ts';
import type { SessionEntry } from '../../src/session/entries.ts';
import type { Row } from '../../src/session/outline.ts';
import { SessionManager } from '../../src/session/session-manager.ts';
import { MemorySessionStorage } from '../../src/session/session-storage.ts';

const header = { type: 'session', version: 3, id: 'tree-test', timestamp: time(0), cwd: '/tmp' };

function time(minute: number): string {
	return new Date(Date.UTC(2026, 0, 2, 3, minute)).toISOString();
}

function message(id: string, parentId: string | null, role: string, text: string) {
	const content = role === 'user' ? text : [{ type: 'text', text }];
	const answer = { provider: 'openai', model: 'm', stopReason: 'stop', api: 'x' };
	const fields = { role, content, timestamp: 1, ...(role === 'assistant' ? answer : {}) };
	return { type: 'message', id, parentId, timestamp: time(1), message: fields };
}

/** Two branches after the first answer, the newer one compacted. */
const entries = [
	message('u1', null, 'user', 'Set up the project'),
	message('a1', 'u1', 'assistant', 'It is set up.'),
	message('u2', 'a1', 'user', 'Try regular expressions'),
	message('a2', 'u2', 'assistant', 'Tried.'),
	message('u3', 'a1', 'user', 'Write a parser'),
	message('a3', 'u3', 'assistant', 'Written.'),
	{
		type: 'compaction',
		id: 'c1',
		parentId: 'a3',
		timestamp: time(5),
		summary: '## Goal\n\n<b>bold</b> [quit](command:workbench.action.quit)',
		firstKeptEntryId: 'u3',
		tokensBefore: 48_000,
		tokensAfter: 21_000,
	},
];
const text = [header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join('');

describe('session tree provider', () => {
	let provider: SessionTreeProvider;

	beforeEach(async () => {
		const storage = new MemorySessionStorage();
		await storage.append(text.trimEnd().split('\n'));
		provider = new SessionTreeProvider();
		provider.setSession(await SessionManager.open(storage));
	});

	afterEach(() => provider.dispose());

	const rowOf = (id: string) => provider.outline?.rowOf(id) as Row;

	it('gives rows with stable ids, and the same rows again', async () => {
		const [rows, again] = await Promise.all([provider.getChildren(), provider.getChildren()]);
		assert.deepEqual(again, rows);
		const items = await Promise.all(rows.map((row) => provider.getTreeItem(row)));
		const ids = items.map(({ id }) => id);
		assert.deepEqual(ids, ['turn:u1', 'branch:u2', 'turn:u3', 'compaction:c1']);
		assert.equal((await provider.getChildren())[0], rows[0]);
		assert.equal(await provider.getParent(rowOf('a3')), rows[2]);
	});

	it('answers with the session that is shown when the answer is ready', async () => {
		const row = rowOf('c1');
		const asked = provider.getChildren();
		const manager = SessionManager.create(new MemorySessionStorage(), { cwd: '/tmp' });
		await manager.appendMessage({ role: 'user', content: 'ask', timestamp: 1 });
		const askedLate = provider.getChildren();
		provider.setSession(manager);
		assert.equal((await asked).length, 4);
		assert.deepEqual(await askedLate, await provider.getChildren());
		assert.equal((await provider.getChildren()).length, 1);
		// Rows of the session shown before are known no more.
		assert.deepEqual(await provider.getChildren(row), []);
		assert.equal(await provider.getParent(row), undefined);
		assert.equal((await provider.getTreeItem(row)).id, undefined);
	});

	it('marks the current entry by icon, words and highlight', async () => {
		const item = await provider.getTreeItem(rowOf('c1'));
		assert.deepEqual(item.label, { label: 'Compaction', highlights: [[0, 10]] });
		assert.equal(item.description, 'current · 48k → 21k tokens');
		assert.match(item.accessibilityInformation?.label ?? '', /current/);
		assert.equal(typeof (await provider.getTreeItem(rowOf('u1'))).label, 'string');
	});

	it('composes hovers on demand, untrusted and without HTML', async () => {
		const row = rowOf('c1');
		const item = await provider.getTreeItem(row);
		assert.equal(item.tooltip, undefined);
		const tooltip = provider.resolveTreeItem(item, row).tooltip;
		assert.ok(tooltip instanceof vscode.MarkdownString);
		assert.ok(!tooltip.isTrusted);
		assert.ok(!tooltip.supportHtml);
		assert.doesNotMatch(tooltip.value, /<b>|(?<!\\)\]\(command:/);
		assert.equal(provider.resolveTreeItem(item, row).tooltip, tooltip);
	});

	it('refreshes one row for an entry that joins the last turn', async () => {
		const storage = new MemorySessionStorage();
		const manager = SessionManager.create(storage, { cwd: '/tmp' });
		await manager.appendMessage({ role: 'user', content: 'ask', timestamp: 1 });
		provider.setSession(manager);
		const [turn] = await provider.getChildren();
		const command = { role: 'bashExecution', command: 'ls', output: '', cancelled: false } as const;
		const entry: SessionEntry = await manager.appendMessage({
			...command,
			truncated: false,
			timestamp: 1,
		});
		assert.equal(provider.append(entry), turn);
		assert.equal(
			(await provider.getTreeItem(turn as Row)).collapsibleState,
			vscode.TreeItemCollapsibleState.Collapsed,
		);
	});
});

describe('session tree commands', () => {
	let folder: string;
	let file: string;

	before(async () => {
		folder = mkdtempSync(path.join(tmpdir(), 'espalier-tree-'));
		file = path.join(folder, 'session.jsonl');
		writeFileSync(file, text);
		await vscode.commands.executeCommand('espalier.openSessionFile', vscode.Uri.file(file));
	});

	after(async () => {
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
		await vscode.commands.executeCommand('espalier.newSession');
		rmSync(folder, { recursive: true, force: true });
	});

	/** The text of the entry that `espalier.showEntry` opens; without an id the current one's. */
	async function shown(...id: string[]): Promise<string> {
		await vscode.commands.executeCommand('espalier.showEntry', ...id);
		const document = vscode.window.activeTextEditor?.document;
		assert.equal(document?.uri.scheme, 'espalier-entry');
		assert.equal(document.languageId, 'markdown');
		return document.getText();
	}

	it('shows an entry as a read-only document', async () => {
		assert.match(await shown('u2'), /^# User message\n\n.*\n\nTry regular expressions\n$/);
		assert.match(await shown(), /^# Compaction/);
	});

	it('leaves everything as it was on Escape, and moves without writing otherwise', async () => {
		await runAndAnswer(
			'espalier.switchToBranch',
			{ entryId: 'u2' },
			'workbench.action.closeQuickOpen',
		);
		assert.match(await shown(), /^# Compaction/);
		await runAndAnswer(
			'espalier.switchToBranch',
			{ entryId: 'u2' },
			'workbench.action.acceptSelectedQuickOpenItem',
		);
		assert.match(await shown(), /\n\nTried\.\n$/);
		await runAndAnswer(
			'espalier.goToEntry',
			{ entryId: 'a1' },
			'workbench.action.acceptSelectedQuickOpenItem',
		);
		assert.match(await shown(), /\n\nIt is set up\.\n$/);
		assert.equal(readFileSync(file, 'utf8'), text);
	});

	it('goes back to where one last was on a branch', async () => {
		await runAndAnswer(
			'espalier.switchToBranch',
			{ entryId: 'u2' },
			'workbench.action.acceptSelectedQuickOpenItem',
		);
		assert.match(await shown(), /\n\nTried\.\n$/);
		await runAndAnswer(
			'espalier.switchToBranch',
			{ entryId: 'u3' },
			'workbench.action.acceptSelectedQuickOpenItem',
		);
		assert.match(await shown(), /^# Compaction/);
	});
});
