// Act 1: a person compacts a long session, sees what came of it, and keeps everything when it fails.
import assert from 'node:assert/strict';
import { startScriptedServer, steps, type ScriptedServer } from '../support/scripted-server.ts';
import { sampleSession, smallSession, type SessionFile } from './support/sample.ts';
import { openWorkbench, scriptedModel } from './support/workbench.ts';
import type { WorkbenchPage } from './support/workbench-page.ts';

const COMPACT = 'Espalier: Compact session';

describe('compacting a session', () => {
	describe('without a model', () => {
		let session: SessionFile;
		let workbench: WorkbenchPage;

		before(async () => {
			session = await sampleSession();
			workbench = await openWorkbench({ sessionFile: session.path });
			await workbench.openEspalier();
		});
		after(async () => {
			await workbench?.close();
			session?.remove();
		});

		it('makes an offline summary, shows it in the tree, and tells of it on hovering', async () => {
			const before = session.read();
			await workbench.screenshot('sample-opened');
			await workbench.runCommand(COMPACT);
			await workbench.notification('Compacted: about').waitFor();
			assert(session.read().startsWith(before));
			const entry = session.entries().at(-1);
			assert.equal(entry?.type, 'compaction');
			const row = await workbench.treeRow('Compaction');
			assert.match(await row.innerText(), /\d+k? → \d/);
			const hover = await workbench.hoverText(row);
			assert.match(hover, /Goal/);
			assert.match(hover, /tokens/);
			assert.match(hover, /covers \d+ messages/);
			assert.match(hover, /offline/);
			await workbench.screenshot('compaction-hover');
		});
	});

	describe('with a model', () => {
		let session: SessionFile;
		let workbench: WorkbenchPage;
		let server: ScriptedServer;

		before(async () => {
			server = await startScriptedServer();
			session = smallSession();
			workbench = await openWorkbench({
				sessionFile: session.path,
				settings: {
					...scriptedModel(server),
					'espalier.compaction.keepRecentTokens': 500,
					'espalier.retry.enabled': false,
				},
			});
			await workbench.openEspalier();
		});
		after(async () => {
			await workbench?.close();
			await server?.close();
			session?.remove();
		});
		beforeEach(() => server.reset());

		/** VS Code leaves progress on show for a while, and shows three messages at once at most. */
		const noProgress = () =>
			workbench.notification('Compacting the session').first().waitFor({ state: 'detached' });

		it('says what is wrong when the summary fails, and changes nothing', async () => {
			const before = session.read();
			const failures = [
				{ step: steps.status(401, { error: { message: 'no such key' } }), text: 'key' },
				{ step: steps.emptyText(), text: 'empty' },
				{ step: steps.reset(), text: 'connection' },
			];
			for (const { step, text } of failures) {
				await noProgress();
				server.enqueue(step);
				await workbench.runCommand(COMPACT);
				const toast = workbench.notification('The session is unchanged');
				await toast.waitFor();
				assert.match(await toast.innerText(), new RegExp(text, 'i'));
				await toast.getByRole('button', { name: 'Use offline summary' }).waitFor();
				await workbench.screenshot(`compaction-failed-${text}`);
				assert.equal(session.read(), before);
				await workbench.runCommand('Notifications: Clear All Notifications');
				await toast.waitFor({ state: 'detached' });
			}
		});

		it('can be cancelled: nothing is written and the server is let go', async () => {
			const before = session.read();
			const progress = workbench.notification('Compacting the session');
			await noProgress();
			server.enqueue(steps.hang());
			await workbench.runCommand(COMPACT);
			const request = await server.waitForRequest(1);
			await progress.waitFor();
			await workbench.screenshot('compaction-progress');
			await progress.getByText('Cancel', { exact: true }).click();
			assert.equal(await request.closed, 'early');
			await progress.waitFor({ state: 'detached' });
			assert.equal(session.read(), before);
		});

		it('falls back to the offline summary when asked to; later requests carry nothing older', async () => {
			server.enqueue(steps.status(503, 'busy'), steps.text('Going on.'));
			await workbench.runCommand(COMPACT);
			const toast = workbench.notification('The session is unchanged');
			await toast.getByRole('button', { name: 'Use offline summary' }).click();
			await workbench.treeRow('Compaction');
			const chat = workbench.chat();
			await chat.locator('textarea').fill('And now?');
			await chat.locator('textarea').press('Enter');
			await chat.getByText('Going on.').waitFor();
			const sent = JSON.stringify(server.requests.at(-1)?.body.messages);
			assert.match(sent, /Made offline/);
			assert.match(sent, /Question five/);
			assert.doesNotMatch(sent, /"Question one"/);
			await workbench.screenshot('chat-after-compaction');
		});
	});
});
