// The chat: answers stream into the panel, the file and the tree; failures say what to do.
import assert from 'node:assert/strict';
import {
	Gate,
	startScriptedServer,
	steps,
	type ScriptedServer,
} from '../support/scripted-server.ts';
import { sessionFile, type SessionFile } from './support/sample.ts';
import { openWorkbench, scriptedModel } from './support/workbench.ts';
import type { WorkbenchPage } from './support/workbench-page.ts';

const HEADER = '{"type":"session","version":3,"id":"chat","timestamp":"","cwd":"/workspace"}';

describe('chatting', () => {
	let session: SessionFile;
	let workbench: WorkbenchPage;
	let server: ScriptedServer;

	before(async () => {
		server = await startScriptedServer();
		session = sessionFile([HEADER]);
		workbench = await openWorkbench({
			sessionFile: session.path,
			settings: {
				'espalier.retry.enabled': false,
				...scriptedModel(server),
			},
		});
		await workbench.openEspalier();
		// A message sent before the panel knows of the model is kept, with a question which one to use.
		await workbench.chat().getByRole('button', { name: 'Model: scripted' }).waitFor();
	});
	after(async () => {
		await workbench?.close();
		await server?.close();
		session?.remove();
	});
	beforeEach(() => server.reset());

	const send = (text: string) => workbench.send(text);
	const roles = () =>
		session.entries().map((entry) => (entry.message as { role?: string } | undefined)?.role);

	it('streams: the beginning can be read before the end is there', async () => {
		const gate = new Gate();
		server.enqueue(steps.text(['The **beginning**, ', 'and the end.'], { gate }));
		await send('Tell me');
		gate.release();
		await workbench.chat().locator('strong', { hasText: 'beginning' }).waitFor();
		assert.equal(await workbench.chat().getByText('and the end.').count(), 0);
		assert.deepEqual(roles(), ['user']);
		await workbench.screenshot('chat-streaming');
		gate.open();
		await workbench.chat().getByText('and the end.').waitFor();
		await workbench.treeRow('Tell me');
		assert.deepEqual(roles(), ['user', 'assistant']);
	});

	it('shows a failure with a way on, and asks again without a second message', async () => {
		server.enqueue(steps.status(500, { error: { message: 'the disk is on fire' } }));
		await send('Once more');
		await workbench.chat().getByText('the disk is on fire').first().waitFor();
		await workbench.screenshot('chat-failure');
		server.enqueue(steps.text('Here it is.'));
		await workbench
			.chat()
			.getByRole('button', { name: /again|retry/i })
			.click();
		await workbench.chat().getByText('Here it is.').waitFor();
		assert.equal(roles().filter((role) => role === 'user').length, 2);
	});

	it('stops an answer and keeps what had come', async () => {
		const gate = new Gate();
		server.enqueue(steps.text(['Half of ', 'everything'], { gate }));
		await send('All of it');
		gate.release();
		await workbench.chat().getByText('Half of').waitFor();
		await workbench.chat().getByRole('button', { name: /stop/i }).click();
		await workbench.chat().getByRole('button', { name: /stop/i }).waitFor({ state: 'detached' });
		const last = session.entries().at(-1)?.message as { stopReason?: string };
		assert.equal(last.stopReason, 'aborted');
	});

	it('takes /compact as a command, not as prose', async () => {
		const requests = server.requests.length;
		await send('/compact');
		await workbench.notification('nothing to compact').waitFor();
		assert.equal(server.requests.length, requests);
		assert.equal(roles().filter((role) => role === 'user').length, 3);
	});
});

describe('chatting without a model', () => {
	it('says so, offers to connect one, and keeps the text', async () => {
		const workbench = await openWorkbench({ theme: 'light' });
		try {
			await workbench.openEspalier();
			const chat = workbench.chat();
			await chat.getByText('No model is connected').first().waitFor();
			await chat.locator('textarea').fill('Is anyone there?');
			await chat.locator('textarea').press('Enter');
			await chat.getByRole('button', { name: 'Connect a model' }).first().waitFor();
			assert.equal(await chat.locator('textarea').inputValue(), 'Is anyone there?');
			await workbench.screenshot('chat-no-model-light');
		} finally {
			await workbench.close();
		}
	});
});
