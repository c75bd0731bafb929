// Models of VS Code: chosen at the name in the chat's header, and asked without any key.
import assert from 'node:assert/strict';
import path from 'node:path';
import { sessionFile, type SessionFile } from './support/sample.ts';
import { openWorkbench } from './support/workbench.ts';
import type { WorkbenchPage } from './support/workbench-page.ts';

const LINES = [
	'{"type":"session","version":3,"id":"models","timestamp":"","cwd":"/workspace"}',
	'{"type":"model_change","id":"m1","parentId":null,"timestamp":"","provider":"vscode-lm","modelId":"scripted/gone"}',
];

describe('models of VS Code', () => {
	let session: SessionFile;
	let workbench: WorkbenchPage;

	before(async () => {
		session = sessionFile(LINES);
		workbench = await openWorkbench({
			sessionFile: session.path,
			extensions: [path.resolve('test/support/scripted-models')],
		});
		await workbench.openEspalier();
	});
	after(async () => {
		await workbench?.close();
		session?.remove();
	});

	it('are chosen by keyboard in place of one that is gone, and answer', async () => {
		const chat = workbench.chat();
		await chat.getByText('scripted/gone, is not available now').waitFor();
		await chat.getByRole('button', { name: 'Model: no model' }).press('Enter');
		const rows = workbench.page.locator('.quick-input-list .monaco-list-row');
		await rows.filter({ hasText: 'Model two' }).waitFor();
		await rows.filter({ hasText: 'Connect a model…' }).waitFor();
		await workbench.screenshot('choose-model');
		await workbench.page.keyboard.type('Model two');
		await rows.filter({ hasText: 'Model one' }).waitFor({ state: 'detached' });
		await workbench.page.keyboard.press('Enter');
		await chat.getByRole('button', { name: 'Model: Model two (scripted)' }).waitFor();
		await chat.getByText('is not available now').waitFor({ state: 'detached' });
		await workbench.send('Good morning');
		await chat.getByText('You said: Good morning').waitFor();
		await workbench.screenshot('chat-vscode-model');
		const [, change, , answer] = session.entries();
		assert.deepEqual([change?.type, change?.modelId], ['model_change', 'scripted/two']);
		assert.equal((answer?.message as { model: string }).model, 'scripted/two');
	});
});
