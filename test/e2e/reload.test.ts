// After a reload of the window everything is as it was: tree, leaf, chat and draft.
import assert from 'node:assert/strict';
import { smallSession, sessionFile } from './support/sample.ts';
import { openWorkbench } from './support/workbench.ts';

describe('reloading the window', () => {
	it('keeps the leaf, the chat and the draft', async () => {
		const session = smallSession();
		const workbench = await openWorkbench({ sessionFile: session.path });
		try {
			await workbench.openEspalier();
			await workbench.chat().getByText('Answer five').waitFor();
			await workbench.chat().locator('textarea').fill('Half a thought');
			await workbench.contextMenu(
				await workbench.treeRow('Branch: A side track'),
				'Switch to branch',
			);
			await workbench.quickPick('With a summary');
			await workbench.chat().getByText('Where the side track led.').waitFor();
			await workbench.treeRow('Branch summary');
			await workbench.contextMenu(
				await workbench.treeRow('Branch: Question three'),
				'Switch to branch',
			);
			await workbench.quickPick('Without a summary');
			await workbench.chat().getByText('Answer five').waitFor();
			await workbench.treeRow('current turn');
			const before = session.read();

			await workbench.reload();
			await workbench.openEspalier();
			await workbench.chat().getByText('Answer five').waitFor();
			assert.match(await (await workbench.treeRow('current turn')).innerText(), /Question five/);
			const draft = await workbench.chat().locator('textarea').inputValue();
			assert.equal(draft, 'Half a thought');
			await workbench.screenshot('after-reload');
			assert.equal(session.read(), before);
		} finally {
			await workbench.close();
			session.remove();
		}
	});

	it('opens a damaged file, shows what it can, and warns once', async () => {
		const good = (id: string, parentId: string | null, content: string) =>
			JSON.stringify({
				...{ type: 'message', id, parentId, timestamp: '2026-01-01T00:00:00.000Z' },
				message: { role: 'user', content, timestamp: 1 },
			});
		const session = sessionFile([
			'{"type":"session","version":3,"id":"damaged","timestamp":"","cwd":"/w"}',
			good('a', null, 'Before the damage'),
			'{"type":"message","id":"brok',
			'{"type":"hologram","id":"h","parentId":"a","timestamp":""}',
			good('b', 'gone', 'After the damage'),
		]);
		const before = session.read();
		const workbench = await openWorkbench({ sessionFile: session.path });
		try {
			await workbench.openEspalier();
			await workbench.chat().getByText('After the damage').waitFor();
			await workbench.chat().getByRole('log').getByText('Before the damage').waitFor();
			await workbench.notification('The file is untouched').waitFor();
			await workbench.screenshot('damaged-file');
			await workbench.reload();
			await workbench.openEspalier();
			await workbench.chat().getByText('After the damage').waitFor();
			assert.equal(await workbench.notification('The file is untouched').count(), 0);
			assert.equal(session.read(), before);
		} finally {
			await workbench.close();
			session.remove();
		}
	});
});
