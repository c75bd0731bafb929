// Act 2: a person moves between branches, with or without a summary; nothing is ever deleted.
import assert from 'node:assert/strict';
import { startScriptedServer, steps, type ScriptedServer } from '../support/scripted-server.ts';
import { smallSession, type SessionFile } from './support/sample.ts';
import { openWorkbench, scriptedModel } from './support/workbench.ts';
import type { WorkbenchPage } from './support/workbench-page.ts';

const SWITCH = 'Switch to branch';

describe('moving between branches', () => {
	let session: SessionFile;
	let workbench: WorkbenchPage;
	let server: ScriptedServer;

	before(async () => {
		server = await startScriptedServer();
	});
	after(() => server?.close());
	beforeEach(async () => {
		server.reset();
		session = smallSession();
		workbench = await openWorkbench({
			sessionFile: session.path,
			settings: scriptedModel(server),
		});
		await workbench.openEspalier();
		await workbench.chat().getByText('Answer five').waitFor();
	});
	afterEach(async () => {
		await workbench?.close();
		session?.remove();
	});

	it('without a summary, and back: nothing is written', async () => {
		const before = session.read();
		await workbench.contextMenu(await workbench.treeRow('Branch: A side track'), SWITCH);
		await workbench.screenshot('branch-question');
		await workbench.quickPick('Without a summary');
		await workbench.chat().getByText('Where the side track led.').waitFor();
		await workbench.chat().getByText('Answer five').waitFor({ state: 'detached' });
		await workbench.screenshot('branch-switched');
		await workbench.contextMenu(await workbench.treeRow('Branch: Question three'), SWITCH);
		await workbench.quickPick('Without a summary');
		await workbench.chat().getByText('Answer five').waitFor();
		assert.equal(session.read(), before);
	});

	it('with a summary, then with a focus: a node appears and says what it covers', async () => {
		const before = session.read();
		server.enqueue(steps.text('## Goal\nThree, four and five were answered.'));
		await workbench.contextMenu(await workbench.treeRow('Branch: A side track'), SWITCH);
		await workbench.quickPick('With a summary');
		const row = await workbench.treeRow('Branch summary');
		const hover = await workbench.hoverText(row);
		assert.match(hover, /Three, four and five were answered/);
		assert.match(hover, /covers 6 entries/);
		assert.match(hover, /scripted/);
		await workbench.screenshot('branch-summary-hover');
		const entry = session.entries().at(-1);
		assert.equal(entry?.type, 'branch_summary');
		assert.equal(entry.parentId, 'side-a');
		assert.equal(entry.fromId, 'a5');

		server.enqueue(steps.text('## Goal\nOnly the colours.'));
		await workbench.contextMenu(await workbench.treeRow('Branch: Question three'), SWITCH);
		await workbench.quickPick('With a summary and a focus');
		await workbench.typeInQuickInput('the colours of the roof');
		await workbench.chat().getByText('Answer five').waitFor();
		const asked = JSON.stringify(server.requests.at(-1)?.body.messages);
		assert.match(asked, /the colours of the roof/);
		assert.equal(session.entries().at(-1)?.parentId, 'a5');
		assert(session.read().startsWith(before));
	});

	it('Escape at the question and during the summary leaves everything as it was', async () => {
		const before = session.read();
		await workbench.contextMenu(await workbench.treeRow('Branch: A side track'), SWITCH);
		await workbench.quickInput().waitFor();
		await workbench.page.keyboard.press('Escape');
		await workbench.quickInput().waitFor({ state: 'detached' });

		server.enqueue(steps.hang());
		await workbench.contextMenu(await workbench.treeRow('Branch: A side track'), SWITCH);
		await workbench.quickPick('With a summary');
		const request = await server.waitForRequest(1);
		await (await workbench.treeRow('Question one')).click();
		await workbench.page.keyboard.press('Escape');
		assert.equal(await request.closed, 'early');
		await workbench.treeRow('current turn');
		assert.equal(session.read(), before);
	});

	it('edit and resend puts the text into the input; sending it makes a branch', async () => {
		await workbench.inlineAction(await workbench.treeRow('Question four'), 'Edit and resend');
		await workbench.quickPick('Without a summary');
		const input = workbench.chat().locator('textarea');
		await input.and(workbench.chat().locator('textarea:focus')).waitFor();
		assert.equal(await input.inputValue(), 'Question four');
		server.enqueue(steps.text('Another answer.'));
		await input.fill('Question four, better put');
		await input.press('Enter');
		await workbench.chat().getByText('Another answer.').waitFor();
		const resent = session.entries().at(-2);
		assert.equal(resent?.parentId, 'a3');
		await workbench.treeRow('Branch: Question four');
	});
});
