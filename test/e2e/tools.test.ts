// The agent's tools in the real window: asked for in the chat, shown as a diff, allowed, refused, revoked.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startScriptedServer, steps, type ScriptedServer } from '../support/scripted-server.ts';
import { sessionFile, type SessionFile } from './support/sample.ts';
import { openWorkbench, scriptedModel } from './support/workbench.ts';
import type { WorkbenchPage } from './support/workbench-page.ts';

const HEADER = '{"type":"session","version":3,"id":"tools","timestamp":"","cwd":"/workspace"}';

interface StoredMessage {
	role: string;
	content?: { text?: string }[];
	isError?: boolean;
	toolCallId?: string;
	[field: string]: unknown;
}

describe('tools in the chat', () => {
	let folder: string;
	let session: SessionFile;
	let workbench: WorkbenchPage;
	let server: ScriptedServer;

	before(async () => {
		folder = mkdtempSync(path.join(tmpdir(), 'espalier-tools-'));
		writeFileSync(path.join(folder, 'notes.md'), '# Notes\n\nold line\n');
		server = await startScriptedServer();
		session = sessionFile([HEADER]);
		workbench = await openWorkbench({
			folder,
			sessionFile: session.path,
			viewport: { width: 1400, height: 900 },
			settings: scriptedModel(server),
		});
		await workbench.openEspalier();
		await workbench.chat().getByRole('button', { name: 'Model: scripted' }).waitFor();
	});
	after(async () => {
		await workbench?.close();
		await server?.close();
		session?.remove();
		rmSync(folder, { recursive: true, force: true });
	});
	beforeEach(() => server.reset());

	const send = (text: string) => workbench.send(text);
	const button = (name: string) => workbench.chat().getByRole('button', { name, exact: true });
	const asked = (title: string) => workbench.chat().getByRole('group', { name: title });
	const callSteps = (...calls: [id: string, name: string, args: object][]) =>
		steps.toolCalls(
			calls.map(([id, name, args]) => ({ id, name, arguments: JSON.stringify(args) })),
		);
	const messages = () => session.entries().map((entry) => entry.message as StoredMessage);
	const resultOf = (id: string) => messages().find(({ toolCallId }) => toolCallId === id);
	const inFolder = (name: string) => path.join(folder, name);
	const tabs = (text: string) => workbench.page.locator('.tab', { hasText: text });
	/** Resolves when the last answer is stored and nothing runs. */
	const idle = () => button('Stop').waitFor({ state: 'detached' });

	it('writes what is allowed, after a look at it, and tells the model why not otherwise', async () => {
		server.enqueue(
			callSteps(
				['w1', 'write', { path: 'src/new.ts', content: 'export const made = true;\n' }],
				['e1', 'edit', { path: 'notes.md', oldText: 'old line', newText: 'new line' }],
				['b1', 'bash', { command: 'echo from-the-tool > made.txt; echo said' }],
			),
			steps.text('All is done.'),
		);
		await send('Do it');

		await asked('Create this file?').getByText('src/new.ts').waitFor();
		await button('Allow once').click();

		await asked('Change this file?').waitFor();
		assert.equal(readFileSync(inFolder('src/new.ts'), 'utf8'), 'export const made = true;\n');
		await button('Show diff').click();
		const diff = workbench.page.locator('.monaco-diff-editor');
		await diff.locator('.modified .view-lines').getByText('new line').waitFor();
		await diff.locator('.original .view-lines').getByText('old line').waitFor();
		await workbench.screenshot('tools-diff');
		assert.match(readFileSync(inFolder('notes.md'), 'utf8'), /old line/, 'nothing is written yet');
		await asked('Change this file?').getByRole('textbox').fill('keep my words');
		await button('Refuse').click();
		await tabs('notes.md').waitFor({ state: 'detached' });

		await asked('Run this command?').getByText('echo from-the-tool').waitFor();
		assert.ok(!existsSync(inFolder('made.txt')));
		await workbench.screenshot('tools-command');
		await button('Allow once').click();

		await workbench.chat().getByText('All is done.').waitFor();
		await idle();
		assert.equal(readFileSync(inFolder('notes.md'), 'utf8'), '# Notes\n\nold line\n');
		assert.equal(readFileSync(inFolder('made.txt'), 'utf8'), 'from-the-tool\n');
		assert.deepEqual(
			['w1', 'e1', 'b1'].map((id) => resultOf(id)?.isError),
			[false, true, false],
		);
		assert.match(resultOf('e1')?.content?.[0]?.text ?? '', /the person refused.*keep my words/);
		assert.match(JSON.stringify(server.requests.at(-1)?.body.messages), /keep my words/);
		assert.deepEqual(await workbench.chat().locator('.tool-state').allInnerTexts(), [
			'done',
			'refused',
			'done',
		]);
		await workbench.screenshot('tools-done');
	});

	it('asks again what is allowed no longer', async () => {
		const command = { command: 'echo again' };
		server.enqueue(callSteps(['b2', 'bash', command]), steps.text('First.'));
		await send('Run it');
		await asked('Run this command?').waitFor();
		await button('Allow for workspace').click();
		await workbench.chat().getByText('First.').waitFor();

		server.enqueue(callSteps(['b3', 'bash', command]), steps.text('Second.'));
		await send('Once more');
		await workbench.chat().getByText('Second.').waitFor();
		assert.equal(resultOf('b3')?.isError, false);

		await workbench.runCommand('Espalier: Revoke Allowed Tools…');
		await workbench.quickPick('echo again');
		await workbench.screenshot('tools-revoke');
		await workbench.page.keyboard.press('Enter');
		server.enqueue(callSteps(['b4', 'bash', command]), steps.text('Third.'));
		await send('And again');
		await asked('Run this command?').waitFor();
		await button('Refuse').click();
		await workbench.chat().getByText('Third.').waitFor();
		await idle();
	});

	it('keeps a question while the chat is hidden, and answers it from its notification', async () => {
		server.enqueue(callSteps(['b5', 'bash', { command: 'echo hidden' }]), steps.text('Seen.'));
		const explorer = workbench.page.locator('.activitybar .action-label[aria-label^="Explorer"]');
		await send('While I look elsewhere');
		await explorer.click();
		const notification = workbench.notification('Espalier wants to run “echo hidden”');
		await notification.waitFor();
		await workbench.page
			.locator('.activitybar .action-item', {
				has: workbench.page.locator('.action-label[aria-label*="Espalier"]'),
			})
			.locator('.badge-content', { hasText: '1' })
			.waitFor();
		await workbench.screenshot('tools-hidden');
		await notification.getByRole('button', { name: 'Allow once' }).click();
		await workbench.openEspalier();
		await workbench.chat().getByText('Seen.').waitFor();
		assert.equal(resultOf('b5')?.isError, false);
		await idle();

		server.enqueue(callSteps(['b6', 'bash', { command: 'echo shown' }]), steps.text('Shown.'));
		await send('And once more');
		await explorer.click();
		const next = workbench.notification('Espalier wants to run “echo shown”');
		await next.getByRole('button', { name: 'Show' }).click();
		await asked('Run this command?').getByText('echo shown').waitFor();
		await button('Refuse').click();
		await workbench.chat().getByText('Shown.').waitFor();
		await idle();
	});

	it("runs the person's own commands without a question", async () => {
		const requests = server.requests.length;
		await send('!echo by-hand; pwd');
		const chat = workbench.chat();
		await chat.locator('.output', { hasText: /^by-hand\n/ }).waitFor();
		await idle();
		await send('!!sleep 60; echo never');
		await chat.locator('.working', { hasText: 'Running your command…' }).waitFor();
		await workbench.screenshot('tools-person-command');
		await button('Stop').click();
		await idle();
		const [ran, stopped] = messages().slice(-2);
		assert.partialDeepStrictEqual(ran, {
			role: 'bashExecution',
			command: 'echo by-hand; pwd',
			exitCode: 0,
			cancelled: false,
		});
		assert.match(String(ran?.output), /by-hand\n.*espalier-tools-/);
		assert.equal(ran?.excludeFromContext, undefined);
		assert.partialDeepStrictEqual(stopped, {
			role: 'bashExecution',
			cancelled: true,
			excludeFromContext: true,
		});
		assert.equal(server.requests.length, requests, 'the model was not asked');
		server.enqueue(steps.text('I see.'));
		await send('What did I run?');
		await chat.getByText('I see.').waitFor();
		const told = JSON.stringify(server.requests.at(-1)?.body.messages);
		assert.match(told, /by-hand/);
		assert.doesNotMatch(told, /sleep 60/);
	});
});

describe('tools without trust', () => {
	it('are none, and a command says so and stays in the composer', async () => {
		const workbench = await openWorkbench({ trust: true, theme: 'light' });
		try {
			await workbench.page.locator('.statusbar', { hasText: 'Restricted Mode' }).waitFor();
			await workbench.openEspalier();
			const input = workbench.chat().locator('textarea');
			await input.fill('!echo no');
			await input.press('Enter');
			await workbench.chat().getByRole('alert').getByText('Commands cannot be run here.').waitFor();
			assert.equal(await input.inputValue(), '!echo no');
			await workbench
				.chat()
				.getByRole('button', { name: 'Run', exact: true })
				.click({ trial: true });
			await workbench.screenshot('tools-untrusted-light');
		} finally {
			await workbench.close();
		}
	});
});
