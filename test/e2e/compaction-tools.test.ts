// A person takes a compaction back and again, compacts up to an entry, and looks before compacting.
import assert from 'node:assert/strict';
import { smallSession, type SessionFile } from './support/sample.ts';
import { openWorkbench, type WorkbenchOptions } from './support/workbench.ts';
import type { WorkbenchPage } from './support/workbench-page.ts';

const COMPACT = 'Espalier: Compact session';
const UNDO = 'Undo compaction';
const UP_TO_HERE = 'Compact up to here';

describe('compaction tools', () => {
	let session: SessionFile;
	let workbench: WorkbenchPage;

	async function open(options: WorkbenchOptions = {}): Promise<void> {
		session = smallSession();
		workbench = await openWorkbench({
			sessionFile: session.path,
			settings: {
				'espalier.compaction.keepRecentTokens': 500,
				// A hover that opens late, on a slow machine, would lie over the icons.
				'workbench.hover.delay': 60_000,
			},
			...options,
		});
		await workbench.openEspalier();
		await workbench.treeRow('Question five');
	}
	afterEach(async () => {
		await workbench?.close();
		session?.remove();
	});

	/** The toast with this text; its buttons are chosen by the keyboard, as a toast may move. */
	async function choose(toast: string, button: string): Promise<void> {
		const choice = workbench.notification(toast).getByRole('button', { name: button, exact: true });
		await choice.focus();
		await workbench.page.keyboard.press('Enter');
		await workbench.notification(toast).waitFor({ state: 'detached' });
	}

	/** What the editor that is open shows. */
	async function editorText(): Promise<string> {
		const lines = await workbench.page.locator('.editor-instance .view-line').evaluateAll((all) =>
			all
				.map((line) => ({ top: parseFloat((line as HTMLElement).style.top), line }))
				.sort((a, b) => a.top - b.top)
				.map(({ line }) => line.textContent),
		);
		// Long lines are wrapped, and blanks are not always plain ones.
		return lines.join('\n').replace(/\s+/g, ' ');
	}

	/** Drags the edge of the side bar to where it is as narrow as VS Code lets it be. */
	async function narrowSideBar(): Promise<void> {
		const box = await workbench.page.locator('.part.sidebar').boundingBox();
		assert(box);
		const { mouse } = workbench.page;
		await mouse.move(box.x + box.width, box.y + 300);
		await mouse.down();
		await mouse.move(box.x + 175, box.y + 300, { steps: 5 });
		await mouse.up();
	}

	it('undo, redo, undo by the row, compact anew: both branches are there, all of it in the file', async () => {
		await open();
		await workbench.runCommand(COMPACT);
		await workbench.notification('Compacted: about').waitFor();
		await workbench.screenshot('compaction-offers-undo');
		const written = session.read();
		await choose('Compacted: about', 'Undo');
		const undone = workbench.notification('Compaction undone: the context has about');
		await undone.waitFor();
		const row = await workbench.treeRow('Compaction');
		await row.filter({ hasText: 'after current' }).waitFor();
		await workbench.screenshot('compaction-undone');

		await choose('Compaction undone', 'Redo');
		await row.filter({ hasText: 'current ·' }).waitFor();
		await workbench.notification('in force again').waitFor();
		assert.equal(session.read(), written);

		await workbench.inlineAction(row, UNDO);
		await row.filter({ hasText: 'after current' }).waitFor();
		await workbench.runCommand(COMPACT);
		await workbench.notification('Compacted: about').waitFor();
		await workbench
			.treeRows()
			.filter({ hasText: /^Compaction.*current ·/ })
			.waitFor();
		await workbench
			.treeRows()
			.filter({ hasText: /^Branch: (?!A side track)/ })
			.waitFor();
		await workbench.screenshot('compaction-both-branches');
		assert(session.read().startsWith(written));
		const [first, second] = session.entries().slice(-2);
		assert.deepEqual([first?.type, second?.type], ['compaction', 'compaction']);
		assert.equal(first?.parentId, second?.parentId);

		// The palette takes the newest one of the branch, and says so where there is none.
		await workbench.runCommand(`Espalier: ${UNDO}`);
		await workbench.notification('Compaction undone').first().waitFor();
		await workbench.runCommand(`Espalier: ${UNDO}`);
		await workbench.notification('no such compaction on this branch').waitFor();
	});

	it('compacts up to a message of the context, by mouse and by keyboard', async () => {
		await open();
		const item = workbench.page.locator('.monaco-menu .action-item', { hasText: UP_TO_HERE });
		// The first message has nothing before it, and another branch is not in the context.
		for (const text of ['Question one', 'Branch: A side track']) {
			await (await workbench.treeRow(text)).click({ button: 'right' });
			await workbench.page.locator('.monaco-menu .action-item').first().waitFor();
			assert.equal(await item.count(), 0, text);
			await workbench.page.keyboard.press('Escape');
		}
		const row = await workbench.treeRow('Question four');
		await row.click({ button: 'right' });
		await item.waitFor();
		await workbench.screenshot('compact-up-to-here-menu');
		await workbench.page.keyboard.press('Escape');
		await workbench.contextMenu(row, UP_TO_HERE);
		await workbench.notification('Compacted: about').waitFor();
		const compaction = session.entries().at(-1);
		assert.deepEqual(
			[compaction?.type, compaction?.firstKeptEntryId, compaction?.parentId],
			['compaction', 'u4', 'a5'],
		);
		await choose('Compacted: about', 'Undo');
		await workbench.notification('Compaction undone').waitFor();

		// Shift+F10 opens the menu of the row that has the focus.
		await (await workbench.treeRow('Question five')).click();
		await workbench.page.keyboard.press('Shift+F10');
		await item.hover();
		await item.and(workbench.page.locator('.focused')).waitFor();
		await workbench.page.keyboard.press('Enter');
		await workbench.notification('Compacted: about').waitFor();
		assert.equal(session.entries().at(-1)?.firstKeptEntryId, 'u5');
	});

	it('shows what a compaction would do, what the context holds, and both again after a reload', async () => {
		await open();
		const before = session.read();
		await workbench.runCommand('Espalier: Preview compaction');
		await workbench.page.getByText('What is summarized').waitFor();
		const preview = await editorText();
		await workbench.screenshot('compaction-preview');
		assert.equal(session.read(), before);
		await workbench.runCommand('Espalier: Explain the context');
		await workbench.page.getByText('The context, explained').waitFor();
		assert.match(await editorText(), /10 messages in the context · 0 summarized · 0 left out/);

		await workbench.runCommand(COMPACT);
		await workbench.notification('Compacted: about').waitFor();
		const { tokensBefore, details } = session.entries().at(-1) as {
			tokensBefore: number;
			details: { covered: { messages: number } };
		};
		assert(preview.includes(`About **${tokensBefore.toLocaleString('en')} tokens** now`), preview);
		assert(preview.includes(`${details.covered.messages} messages, nothing of which`), preview);
		await workbench.page.getByText('In the summary of a compaction').waitFor();
		await workbench.screenshot('context-explained');

		await workbench.reload();
		await workbench.openEspalier();
		await workbench.runCommand('Espalier: Explain the context');
		await workbench.page.getByText('In the summary of a compaction').waitFor();
		await workbench.runCommand('Espalier: Preview compaction');
		await workbench.page.getByText('has just been compacted').waitFor();
	});

	for (const theme of ['light', 'hc-dark', 'hc-light'] as const)
		it(`can be used in a narrow side bar (${theme})`, async () => {
			await open({ theme });
			await workbench.runCommand('Espalier: Preview compaction');
			await workbench.page.getByText('What is summarized').waitFor();
			await narrowSideBar();
			await workbench.runCommand(COMPACT);
			await workbench.notification('Compacted: about').waitFor();
			const row = await workbench.treeRow('Compaction');
			await row.hover();
			await workbench.screenshot(`compaction-tools-row-${theme}`);
			await workbench.inlineAction(row, UNDO);
			// A menu closes when the tree moves below it: the current entry is selected at the end of that.
			await workbench
				.treeRows()
				.and(workbench.page.locator('.selected'))
				.filter({ hasText: 'Answer five' })
				.waitFor();
			await (await workbench.treeRow('Question four')).click({ button: 'right' });
			await workbench.page.locator('.monaco-menu .action-item', { hasText: UP_TO_HERE }).waitFor();
			await workbench.screenshot(`compaction-tools-menu-${theme}`);
		});
});
