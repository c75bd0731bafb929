// Undoing, previewing and explaining compactions in a real extension host.
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { assistant, SessionBuilder, textOfTokens } from '../support/session-builder.ts';

/** Five turns of about 400 tokens each; ids are u1, a1, … */
function fiveTurns(): SessionBuilder {
	const session = new SessionBuilder();
	for (let turn = 1; turn <= 5; turn++) {
		session.user(`Request ${turn}: ${textOfTokens(180)}`, `u${turn}`);
		session.message(assistant(`Answer ${turn}: ${textOfTokens(180)}`), `a${turn}`);
	}
	return session;
}

describe('compaction tools', () => {
	let folder: string;
	let file: string;
	const configuration = () => vscode.workspace.getConfiguration('espalier');
	const keep = (tokens: number | undefined) =>
		configuration().update(
			'compaction.keepRecentTokens',
			tokens,
			vscode.ConfigurationTarget.Global,
		);

	beforeEach(async () => {
		folder = mkdtempSync(path.join(tmpdir(), 'espalier-compaction-'));
		file = path.join(folder, 'session.jsonl');
		writeFileSync(file, `${fiveTurns().lines().join('\n')}\n`);
		await keep(500);
		await run('openSessionFile', vscode.Uri.file(file));
	});

	afterEach(async () => {
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
		await vscode.commands.executeCommand('notifications.clearAll');
		await run('newSession');
		await keep(undefined);
		rmSync(folder, { recursive: true, force: true });
	});

	const run = (command: string, ...args: unknown[]) =>
		vscode.commands.executeCommand(`espalier.${command}`, ...args);
	const entries = () =>
		readFileSync(file, 'utf8')
			.trim()
			.split('\n')
			.map((line) => JSON.parse(line) as Record<string, unknown>);

	/** The text of the document that a command opens. */
	async function shown(command: string): Promise<string> {
		await run(command);
		return vscode.window.activeTextEditor?.document.getText() ?? '';
	}

	/** Resolves when the active document says so. */
	async function says(pattern: RegExp): Promise<void> {
		const document = vscode.window.activeTextEditor?.document;
		assert(document);
		if (pattern.test(document.getText())) return;
		await new Promise<void>((resolve) => {
			const listener = vscode.workspace.onDidChangeTextDocument((event) => {
				if (event.document !== document || !pattern.test(document.getText())) return;
				listener.dispose();
				resolve();
			});
		});
	}

	it('undoes the newest compaction of the branch, or the one named, and removes nothing', async () => {
		await run('compact');
		const compaction = entries().at(-1);
		assert.equal(compaction?.['type'], 'compaction');
		assert.match(await shown('showEntry'), /^# Compaction/);
		const written = readFileSync(file, 'utf8');
		await run('undoCompaction');
		assert.match(await shown('showEntry'), /\n\nAnswer 5: /s);
		assert.equal(readFileSync(file, 'utf8'), written);
		// Not on the branch any more: it says so, and nothing happens.
		void run('undoCompaction', { entryId: compaction['id'] });
		await run('compact');
		const second = entries().at(-1);
		assert.equal(second?.['parentId'], 'a5');
		await run('undoCompaction', { entryId: second['id'] });
		assert.match(await shown('showEntry'), /Answer 5: /);
	});

	it('compacts up to an entry: it and what follows is kept', async () => {
		await run('compactUpToHere', { entryId: 'u4' });
		const compaction = entries().at(-1);
		assert.deepEqual(
			[compaction?.['type'], compaction?.['firstKeptEntryId'], compaction?.['parentId']],
			['compaction', 'u4', 'a5'],
		);
	});

	it('previews a compaction, and the page follows the session and the settings', async () => {
		const before = readFileSync(file, 'utf8');
		assert.match(await shown('previewCompaction'), /- to Assistant: `Answer 4: /);
		assert.equal(vscode.window.activeTextEditor?.document.languageId, 'markdown');
		assert.equal(readFileSync(file, 'utf8'), before);
		await keep(1000);
		await says(/Before Assistant: `Answer 3: /);
		await keep(1_000_000);
		await says(/There is nothing to compact/);
		await keep(500);
		await says(/- to Assistant: `Answer 4: /);
		await run('compact');
		await says(/has just been compacted/);
		await run('undoCompaction');
		await says(/- to Assistant: `Answer 4: /);
		await run('newSession');
		await says(/not open now/);
		await run('openSessionFile', vscode.Uri.file(file));
		await says(/- to Assistant: `Answer 4: /);
	});

	it('explains the context of the current branch, also while another program writes', async () => {
		assert.match(await shown('explainContext'), /10 messages in the context · 0 summarized/);
		await run('compact');
		await says(/2 messages in the context · 8 summarized · 0 left out/);
		const message = { role: 'user', content: 'From elsewhere', timestamp: 1 };
		const parentId = entries().at(-1)?.['id'];
		const line = { type: 'message', id: 'else', parentId, timestamp: '', message };
		appendFileSync(file, `${JSON.stringify(line)}\n`);
		await says(/3 messages in the context/);
		assert.match(await shown('explainContext'), /- You: `From elsewhere`/);
	});
});
