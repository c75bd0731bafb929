// One session file, several programs: what others write appears by itself, a window at work keeps the
// others out, and a fork takes the unsent text along.
import assert from 'node:assert/strict';
import { appendFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import {
	Gate,
	startScriptedServer,
	steps,
	type ScriptedServer,
} from '../support/scripted-server.ts';
import { FileSessionStorage } from '../../src/node/file-session-storage.ts';
import { smallSession, type SessionFile } from './support/sample.ts';
import { openWorkbench, scriptedModel } from './support/workbench.ts';
import type { WorkbenchPage } from './support/workbench-page.ts';

describe('a session file that others write to', () => {
	let session: SessionFile;
	let workbench: WorkbenchPage;
	let server: ScriptedServer;

	before(async () => {
		server = await startScriptedServer();
		session = smallSession();
		workbench = await openWorkbench({
			sessionFile: session.path,
			settings: scriptedModel(server),
		});
		await workbench.openEspalier();
		await workbench.chat().getByText('Question five').waitFor();
	});
	after(async () => {
		await workbench?.close();
		await server?.close();
		session?.remove();
	});

	const send = (text: string) => workbench.send(text);

	it('shows by itself what pi appends, in the tree and in the chat (C11)', async () => {
		const message = { role: 'user', content: 'Asked from a terminal', timestamp: 1 };
		const entry = { type: 'message', id: 'from-pi', parentId: 'a5', timestamp: '', message };
		appendFileSync(session.path, `${JSON.stringify(entry)}\n`);
		await workbench.chat().getByText('Asked from a terminal').waitFor();
		await workbench.treeRow('Asked from a terminal');
		const gate = new Gate();
		server.enqueue(steps.text('Going on from there.', { gate }));
		await send('And now from here');
		gate.open();
		await workbench.chat().getByText('Going on from there.').waitFor();
		assert.equal(session.entries().find(({ id }) => id === 'from-pi')?.parentId, 'a5');
		assert.equal(session.entries().at(-2)?.parentId, 'from-pi');
	});

	it('refuses while another process works on it, and forks with the unsent text (C11)', async () => {
		const release = await new FileSessionStorage(session.path).lock();
		const before = session.read();
		try {
			await send('Me too');
			await workbench.chat().getByText('Another window is working on').waitFor();
			await workbench.screenshot('chat-locked');
			assert.equal(await workbench.chat().locator('textarea').inputValue(), 'Me too');
			assert.equal(session.read(), before);
			await workbench.chat().getByRole('button', { name: 'Fork session' }).click();
			await workbench
				.chat()
				.getByText('Another window is working on')
				.waitFor({ state: 'detached' });
			const input = workbench.chat().locator('textarea');
			assert.equal(await input.inputValue(), 'Me too');
			server.enqueue(steps.text('Forked.'));
			await input.press('Enter');
			await workbench.chat().getByText('Forked.').waitFor();
			await workbench.chat().getByText('Going on from there.').waitFor();
			assert.equal(session.read(), before);
		} finally {
			await release();
		}
		const forks = readdirSync(workbench.paths.dataDir, { recursive: true, encoding: 'utf8' })
			.filter((name) => /sessions[/\\][^/\\]+\.jsonl$/.test(name))
			.map((name) => path.basename(name));
		assert.equal(forks.length, 1);
	});

	it('labels an entry, and shows the label in the tree', async () => {
		await workbench.contextMenu(await workbench.treeRow('Question five'), 'Label entry');
		await workbench.typeInQuickInput('a good one');
		await workbench.treeRow('a good one');
		await workbench.screenshot('tree-label');
	});
});
