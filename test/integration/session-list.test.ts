// The session list in a real extension host: found in every place, opened, managed by keyboard alone.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { pickSession, type PickerParts } from '../../src/host/sessions/session-picker.ts';
import { piFolderName, type SessionPlaces } from '../../src/node/session-folders.ts';
import { SessionListing } from '../../src/node/session-listing.ts';
import { silentLogger } from '../../src/util/logger.ts';

const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';

function sessionText(id: string, prompt: string): string {
	const message = { role: 'user', content: prompt, timestamp: 1 };
	return [
		{ type: 'session', version: 3, id, timestamp: '2026-01-02T03:04:05.000Z', cwd },
		{ type: 'message', id: 'u1', parentId: null, timestamp: '', message },
	]
		.map((line) => `${JSON.stringify(line)}\n`)
		.join('');
}

/** Runs workbench commands again until something is done: what they act on may not be there yet. */
async function until(
	isDone: () => boolean | Promise<boolean>,
	...commands: string[]
): Promise<void> {
	for (let tries = 0; tries < 100; tries++) {
		if (await isDone()) return;
		for (const command of commands) await vscode.commands.executeCommand(command);
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	assert.fail(`not done after ${commands.join(', ')}`);
}

const accept = 'workbench.action.acceptSelectedQuickOpenItem';

describe('session list', () => {
	let root: string;
	let own: string;
	let parts: PickerParts;

	const write = (folder: string, id: string, prompt: string) => {
		mkdirSync(folder, { recursive: true });
		const file = path.join(folder, `${id}.jsonl`);
		writeFileSync(file, sessionText(id, prompt));
		return file;
	};

	beforeEach(() => {
		root = mkdtempSync(path.join(tmpdir(), 'espalier-list-'));
		own = path.join(root, 'own');
		const places: SessionPlaces = {
			...{ own, global: path.join(root, 'global'), cwds: [cwd], home: root },
			...{ temporary: path.join(root, 'tmp'), env: {}, platform: process.platform },
		};
		parts = {
			listing: new SessionListing(),
			places: () => places,
			shown: () => undefined,
			log: silentLogger,
		};
	});

	afterEach(() => rmSync(root, { recursive: true, force: true }));

	it('gives the session that Enter chose, whatever tool wrote it', async () => {
		const agent = path.join(root, '.pi', 'agent', 'sessions', piFolderName(cwd));
		const file = write(agent, 'from-pi', 'Asked in pi');
		let done = false;
		const picking = pickSession(parts, { mode: 'open', filter: '' }).finally(() => (done = true));
		await until(() => done, accept);
		const choice = await picking;
		assert.deepEqual([choice?.row.path, choice?.action], [file, 'open']);
		assert.equal(choice?.row.summary.firstPrompt, 'Asked in pi');
	});

	it('shows a session that comes while it is open', async () => {
		let done = false;
		const picking = pickSession(parts, { mode: 'manage', filter: '' }).finally(() => (done = true));
		const file = write(own, 'late', 'Came late');
		await until(() => done, accept);
		assert.deepEqual([(await picking)?.row.path, (await picking)?.action], [file, undefined]);
	});

	it('ends with nothing on Escape', async () => {
		write(own, 'one', 'One');
		let done = false;
		const picking = pickSession(parts, { mode: 'open', filter: '' }).finally(() => (done = true));
		await until(() => done, 'workbench.action.closeQuickOpen');
		assert.equal(await picking, undefined);
	});

	it('opens the newest session of this folder by its command alone', async () => {
		const environment = process.env['PI_CODING_AGENT_SESSION_DIR'];
		process.env['PI_CODING_AGENT_SESSION_DIR'] = root;
		try {
			write(root, 'by-command', 'Opened by command');
			let done = false;
			const opening = Promise.resolve(
				vscode.commands.executeCommand('espalier.openSession'),
			).finally(() => (done = true));
			await until(() => done, accept);
			await opening;
			await vscode.commands.executeCommand('espalier.showEntry');
			assert.match(vscode.window.activeTextEditor?.document.getText() ?? '', /Opened by command/);
		} finally {
			if (environment === undefined) delete process.env['PI_CODING_AGENT_SESSION_DIR'];
			else process.env['PI_CODING_AGENT_SESSION_DIR'] = environment;
			await vscode.commands.executeCommand('workbench.action.closeAllEditors');
			await vscode.commands.executeCommand('espalier.newSession');
		}
	});
});
