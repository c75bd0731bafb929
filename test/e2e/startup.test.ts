// The window opens with the extension's container, its tree and its chat.
import assert from 'node:assert/strict';
import { openWorkbench } from './support/workbench.ts';
import type { WorkbenchPage } from './support/workbench-page.ts';

describe('startup', () => {
	let workbench: WorkbenchPage;

	before(async () => {
		workbench = await openWorkbench();
	});

	after(() => workbench?.close());

	it('shows the session tree and the chat in the Espalier container', async () => {
		await workbench.openEspalier();
		const names = await workbench.views().allInnerTexts();
		assert.ok(names.length >= 2, `expected two views, found: ${names.join(', ')}`);
		await workbench.chat().locator('textarea').first().waitFor();
		await workbench.screenshot('startup');
	});
});
