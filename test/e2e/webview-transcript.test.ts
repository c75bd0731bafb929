// The conversation in the chat page: what arrives, and the reader's position (faults C14 and C15).
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import type { ChatItem } from '../../src/protocol/chat-item.ts';
import type { HostMessageBody } from '../../src/protocol/panel.ts';
import {
	answerItem,
	idleStatus,
	launchBrowser,
	userItem,
	WebviewPage,
} from './support/webview-page.ts';

const streaming = { ...idleStatus, activity: 'streaming' as const };
const delta = (text: string): HostMessageBody => ({
	type: 'delta',
	parts: [{ type: 'text', text }],
});

/** Turns of unequal height. */
function conversation(turns: number, from = 0): ChatItem[] {
	return Array.from({ length: turns }, (_, index) => {
		const n = from + index;
		return [userItem(`u${n}`), answerItem(`a${n}`, `Answer ${n}\n\n${'line\n\n'.repeat(n % 7)}`)];
	}).flat();
}

describe('webview: transcript', () => {
	let browser: Browser;
	let view: WebviewPage;

	before(async () => {
		browser = await launchBrowser();
	});
	after(() => browser?.close());
	beforeEach(async () => {
		view = await WebviewPage.open(browser);
	});
	afterEach(() => view.closeClean());

	const jump = () => view.page.getByRole('button', { name: 'Jump to latest' });
	const items = () => view.page.locator('.item');
	const topOf = (id: string) =>
		view.page
			.locator(`[data-id="${id}"]`)
			.evaluate((element) => element.getBoundingClientRect().top);

	it('says ready, and shows the same for the same snapshot twice', async () => {
		assert.deepEqual(
			(await view.posted()).map(({ type }) => type),
			['ready'],
		);
		const content = { items: conversation(5), earlier: 3 };
		await view.snapshot(content);
		const once = await view.page.locator('#root').innerHTML();
		await view.snapshot(content);
		assert.equal(await view.page.locator('#root').innerHTML(), once);
		assert.ok((await view.fromEnd()) < 1);
	});

	it('asks for a snapshot when a message was lost, once, and is right again after it', async () => {
		await view.snapshot({ items: [userItem('u1')] });
		view.lose(1);
		await view.post({ type: 'appended', items: [userItem('u3')] });
		await view.post({ type: 'appended', items: [userItem('u4')] });
		assert.equal((await view.postedOf('resync')).length, 1);
		assert.equal(await items().count(), 1);
		await view.snapshot({ items: ['u1', 'u2', 'u3', 'u4'].map((id) => userItem(id)) });
		await view.post({ type: 'appended', items: [userItem('u5')] });
		assert.equal(await items().count(), 5);
		assert.equal((await view.postedOf('resync')).length, 1);
	});

	it('drops what it cannot read, and says so', async () => {
		await view.snapshot({ items: [userItem('u1')] });
		await view.postRaw(null, 'x', { type: 'nonsense' }, { type: 'appended', items: [{}] });
		assert.equal(await items().count(), 1);
		const problems = await view.postedOf('problem');
		assert.equal(problems.length, 4);
		await view.page.evaluate('window.posted.length = 0');
	});

	it('shows a thousand pieces of an answer whole, following its end', async () => {
		await view.snapshot({ items: conversation(3), live: [], status: streaming });
		const words = Array.from({ length: 1000 }, (_, index) => `word${index} `);
		await view.post(...words.map(delta));
		assert.equal(
			(await items().last().locator('.markdown').innerText()).trim(),
			words.join('').trim(),
		);
		assert.ok((await view.fromEnd()) < 1);
		await view.post(
			{ type: 'appended', items: [answerItem('done', words.join(''))] },
			{ type: 'status', status: idleStatus, title: 'A session' },
		);
		assert.equal(await items().count(), 7);
		assert.ok((await view.fromEnd()) < 1);
	});

	it('keeps the very element of a streamed answer, with its opened folds, when it is finished', async () => {
		await view.snapshot({ live: [], status: streaming });
		await view.post({ type: 'delta', parts: [{ type: 'thinking', text: 'hm' }] }, delta('text'));
		await view.page.getByText('Thinking').click();
		const element = await items().first().elementHandle();
		const finished = answerItem('done', 'text') as Extract<ChatItem, { kind: 'assistant' }>;
		finished.parts.unshift({ type: 'thinking', text: { text: 'hm', cut: 0 } });
		await view.post({ type: 'appended', items: [finished] });
		assert.ok(await element?.evaluate((node) => node.isConnected));
		assert.ok(await view.page.getByText('hm', { exact: true }).isVisible());
	});

	for (const scale of [1, 1.25]) {
		it(`never moves what is being read one pixel above the end (zoom ${scale})`, async () => {
			await view.close();
			view = await WebviewPage.open(browser, { scale });
			await view.snapshot({ items: conversation(20), live: [], status: streaming });
			await view.post(delta('start '));
			await view.scroller.evaluate((element) => {
				element.scrollTop -= 1;
			});
			await view.page.waitForTimeout(50);
			const top = await view.scrollTop();
			const place = await topOf('a19');
			for (let index = 0; index < 50; index++) await view.post(delta(`more ${index}\n\n`));
			await view.post({ type: 'appended', items: [answerItem('done', 'short')] });
			await view.post({ type: 'appended', items: conversation(3, 30) });
			assert.equal(await view.scrollTop(), top);
			assert.equal(await topOf('a19'), place);
			await jump().click();
			assert.ok((await view.fromEnd()) < 1);
			await jump().waitFor({ state: 'detached' });
			await view.post({ type: 'appended', items: conversation(3, 40) });
			assert.ok((await view.fromEnd()) < 1, 'follows again');
		});
	}

	it('lets a wheel or a key upwards win over a scroll that is due', async () => {
		await view.snapshot({ items: conversation(20), live: [], status: streaming });
		const box = await view.scroller.boundingBox();
		await view.page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 100);
		await view.page.mouse.wheel(0, -120);
		for (let index = 0; index < 20; index++) await view.post(delta(`more ${index}\n\n`));
		assert.ok((await view.fromEnd()) > 100);
		await jump().click();
		await view.scroller.focus();
		await view.page.keyboard.press('PageUp');
		for (let index = 0; index < 20; index++) await view.post(delta(`more ${index}\n\n`));
		assert.ok((await view.fromEnd()) > 100);
	});

	it('follows again when the reader comes back to the end', async () => {
		await view.snapshot({ items: conversation(20) });
		await view.scroller.evaluate((element) => (element.scrollTop -= 200));
		await jump().waitFor();
		await view.scroller.evaluate((element) => (element.scrollTop += 200));
		await jump().waitFor({ state: 'detached' });
		await view.post({ type: 'appended', items: conversation(2, 30) });
		assert.ok((await view.fromEnd()) < 1);
	});

	it('does not scroll at all while everything fits', async () => {
		await view.snapshot({ items: [userItem('u1')], live: [], status: streaming });
		const before = await topOf('u1');
		await view.post(delta('short'), delta(' answer'));
		assert.equal(await view.scrollTop(), 0);
		assert.equal(await topOf('u1'), before);
		assert.equal(await jump().count(), 0);
	});

	for (const from of [0, 7]) {
		it(`keeps the position when earlier messages come (read from ${from} px below the top)`, async () => {
			await view.snapshot({ items: conversation(20, 50), earlier: 100 });
			await view.scroller.evaluate((element, top) => (element.scrollTop = top), from);
			await jump().waitFor();
			const before = await topOf('u50');
			await view.page.getByRole('button', { name: 'Show earlier messages' }).click();
			assert.deepEqual(
				(await view.postedOf('loadEarlier')).map(({ beforeId }) => beforeId),
				['u50'],
			);
			await view.post({
				type: 'earlier',
				beforeId: 'u50',
				items: conversation(25, 25),
				earlier: 50,
			});
			await view.page.waitForTimeout(300);
			assert.ok(Math.abs((await topOf('u50')) - before) < 1.5, `${before} → ${await topOf('u50')}`);
			assert.equal(await items().count(), 90);
		});
	}

	it('does not carry the reader past a fold that was just opened', async () => {
		const summary = `# Goal\n\n${'A line of the summary.\n\n'.repeat(60)}`;
		await view.snapshot({
			items: [
				...conversation(6),
				{
					kind: 'compaction',
					id: 'c1',
					shortSummary: 'Short.',
					summary: { text: summary, cut: 0 },
					tokensBefore: 128_000,
					tokensAfter: 21_000,
					files: { read: ['a.ts'], modified: ['b.ts'], more: 0 },
					summarizer: 'offline',
				},
			],
		});
		const before = await topOf('c1');
		await view.page.getByText('Full summary').click();
		await view.page.getByText('A line of the summary.').first().waitFor();
		await view.page.waitForTimeout(100);
		assert.equal(await topOf('c1'), before);
		await view.page.getByText('Full summary').click();
		await view.page.waitForTimeout(100);
		assert.equal(await jump().count(), 0);
	});

	it('is read on from the same place after hiding', async () => {
		const content = { items: conversation(20) };
		await view.snapshot(content);
		await view.scroller.evaluate((element) => (element.scrollTop -= 700));
		await view.page.waitForTimeout(400);
		const id = await view.page.evaluate(() => {
			const top = document.querySelector('.scroll')?.getBoundingClientRect().top ?? 0;
			const all = [...document.querySelectorAll<HTMLElement>('[data-id]')];
			return all.find((element) => element.getBoundingClientRect().bottom > top)?.dataset.id ?? '';
		});
		const before = await topOf(id);
		await view.load();
		await view.snapshot(content);
		assert.ok(Math.abs((await topOf(id)) - before) < 1.5, `${id}: ${before} → ${await topOf(id)}`);
	});

	it('keeps opened folds open after hiding', async () => {
		const items: ChatItem[] = [
			{
				kind: 'bash',
				id: 'b1',
				command: 'ls',
				output: { text: 'package.json', cut: 0 },
				outcome: null,
				inContext: true,
			},
		];
		await view.snapshot({ items });
		assert.equal(await view.page.getByText('package.json').count(), 0, 'closed at first');
		await view.page.getByText('Output').click();
		await view.page.getByText('package.json').waitFor();
		await view.load();
		await view.snapshot({ items });
		await view.page.getByText('package.json').waitFor();
	});

	it('loses only the item that cannot be drawn, and says so', async () => {
		await view.page.evaluate(() => {
			Number.prototype.toLocaleString = () => {
				throw new Error('cannot draw this');
			};
		});
		const cut = { ...userItem('u1'), text: { text: 'cut', cut: 5 } } as ChatItem;
		await view.snapshot({ items: [answerItem('a1', 'good'), cut] });
		await view.page.getByText('This entry cannot be shown.').waitFor();
		assert.ok(await view.page.getByText('good').isVisible());
		assert.match((await view.postedOf('problem'))[0]?.message ?? '', /cannot draw this/);
		await view.page.evaluate('window.posted.length = 0');
	});

	it('offers to load itself anew where it fails as a whole', async () => {
		await view.page.evaluate(() => {
			Number.prototype.toFixed = () => {
				throw new Error('broken');
			};
		});
		await view.snapshot({ status: { ...idleStatus, contextTokens: 1500 } });
		await view.page.getByRole('button', { name: 'Reload view' }).click();
		assert.equal((await view.postedOf('reload')).length, 1);
		await view.page.evaluate('window.posted.length = 0');
	});

	it('keeps the page small while a long session goes on', async () => {
		await view.snapshot({ items: conversation(25) });
		for (let index = 0; index < 20; index++)
			await view.post({ type: 'appended', items: conversation(10, 100 + index * 10) });
		assert.ok((await items().count()) <= 160);
		assert.ok((await view.fromEnd()) < 1);
		assert.ok(await view.page.getByRole('button', { name: /Show earlier/ }).count());
	});
});
