// The composer of the chat page: input methods, drafts, sending (faults C14 and 202).
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import {
	answerItem,
	idleStatus,
	launchBrowser,
	userItem,
	WebviewPage,
} from './support/webview-page.ts';

describe('webview: composer', () => {
	let browser: Browser;
	let view: WebviewPage;

	before(async () => {
		browser = await launchBrowser();
	});
	after(() => browser?.close());
	beforeEach(async () => {
		view = await WebviewPage.open(browser);
		await view.snapshot({ items: [userItem('u1'), answerItem('a1', 'Hello.')] });
	});
	afterEach(async () => {
		assert.deepEqual(view.errors, []);
		await view.close();
	});

	const prompts = async () => (await view.postedOf('prompt')).map(({ text }) => text);
	const value = () => view.composer.inputValue();

	it('sends on Enter, adds a line on Shift+Enter, and is empty only once the host has it', async () => {
		await view.composer.pressSequentially('one');
		await view.composer.press('Shift+Enter');
		await view.composer.pressSequentially('two');
		await view.composer.press('Enter');
		await view.composer.press('Enter');
		const [prompt, ...more] = await view.postedOf('prompt');
		assert.equal(more.length, 0);
		assert.partialDeepStrictEqual(prompt, { text: 'one\ntwo', sessionId: 's1' });
		assert.equal(await value(), 'one\ntwo');
		await view.post({
			type: 'promptAccepted',
			requestId: prompt?.requestId ?? '',
			text: 'one\ntwo',
		});
		assert.equal(await value(), '');
	});

	it('keeps the text of a rejected prompt and offers what helps', async () => {
		await view.composer.fill('question');
		await view.composer.press('Enter');
		const [prompt] = await view.postedOf('prompt');
		await view.post({
			type: 'promptRejected',
			requestId: prompt?.requestId ?? '',
			message: 'No model is connected.',
			actions: ['connectModel'],
		});
		assert.equal(await value(), 'question');
		assert.ok(await view.page.getByRole('alert').getByText('No model is connected.').isVisible());
		await view.page.getByRole('button', { name: 'Connect a model' }).click();
		assert.equal((await view.postedOf('action'))[0]?.id, 'connectModel');
	});

	it('does not send the Enter that an input method needs', async () => {
		const client = await view.page.context().newCDPSession(view.page);
		await view.composer.focus();
		await client.send('Input.imeSetComposition', {
			text: 'にほん',
			selectionStart: 3,
			selectionEnd: 3,
		});
		await client.send('Input.dispatchKeyEvent', {
			type: 'rawKeyDown',
			key: 'Enter',
			code: 'Enter',
			windowsVirtualKeyCode: 229,
		});
		assert.deepEqual(await prompts(), []);
		await client.send('Input.insertText', { text: '日本' });
		await view.page.evaluate(() => {
			const field = document.querySelector('textarea');
			field?.dispatchEvent(new CompositionEvent('compositionend', { data: '日本' }));
			field?.dispatchEvent(
				new KeyboardEvent('keydown', {
					key: 'Enter',
					keyCode: 13,
					bubbles: true,
					cancelable: true,
				}),
			);
		});
		assert.deepEqual(await prompts(), []);
		assert.equal(await value(), '日本');
		await view.page.waitForTimeout(150);
		await view.composer.press('Enter');
		assert.deepEqual(await prompts(), ['日本']);
	});

	it('does not send while composing, whatever the key code', async () => {
		await view.composer.fill('x');
		await view.composer.evaluate((field) => {
			for (const init of [{ isComposing: true, keyCode: 13 }, { keyCode: 229 }])
				field.dispatchEvent(
					new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...init }),
				);
		});
		assert.deepEqual(await prompts(), []);
	});

	it('tells the host its draft soon, and keeps it when the page goes before that', async () => {
		await view.composer.fill('first');
		await view.page.waitForTimeout(400);
		assert.deepEqual(
			(await view.postedOf('draft')).map(({ text, sessionId }) => [text, sessionId]),
			[['first', 's1']],
		);
		await view.composer.fill('typed just before hiding');
		// As when VS Code removes the page: no more events, only the state is left.
		await view.page.evaluate(() =>
			window.addEventListener('pagehide', (event) => event.stopImmediatePropagation(), true),
		);
		await view.load();
		const [draft, ready] = await view.posted();
		if (draft?.type === 'draft') assert.equal(draft.text, 'typed just before hiding');
		else assert.fail(`expected the draft first, got ${draft?.type}`);
		assert.equal(ready?.type, 'ready');
		await view.snapshot({ draft: 'typed just before hiding' });
		assert.equal(await value(), 'typed just before hiding');
	});

	it('keeps its text over a snapshot that was made before it was typed', async () => {
		await view.composer.fill('newest');
		await view.snapshot({ draft: 'old', draftRevision: 0 });
		assert.equal(await value(), 'newest');
	});

	it('shows each session with its own draft', async () => {
		await view.composer.fill('for one');
		await view.snapshot({ session: { id: 's2', title: 'Two' }, draft: 'for two' });
		assert.equal(await value(), 'for two');
		const drafts = await view.postedOf('draft');
		assert.partialDeepStrictEqual(drafts.at(-1), { sessionId: 's1', text: 'for one' });
	});

	it('takes text from navigation and keeps what was there', async () => {
		await view.composer.fill('my draft');
		await view.post({ type: 'setEditor', text: 'old question' });
		assert.equal(await value(), 'old question\n\nmy draft');
		assert.ok(await view.composer.evaluate((field) => field === document.activeElement));
	});

	it('offers to stop while an answer streams, and queues what is sent meanwhile', async () => {
		await view.post({
			type: 'status',
			title: 'A session',
			status: {
				...idleStatus,
				activity: 'streaming',
				queued: [{ id: 'q1', text: 'waiting prompt', steers: false }],
			},
		});
		await view.page.getByRole('button', { name: 'Stop' }).click();
		assert.equal((await view.postedOf('stop')).length, 1);
		await view.composer.fill('next');
		await view.page.getByRole('button', { name: 'Queue' }).click();
		assert.deepEqual(await prompts(), ['next']);
		assert.ok(await view.page.getByText('waiting prompt').isVisible());
	});

	it('draws nothing but itself while typing', async () => {
		const items = Array.from({ length: 100 }, (_, n) => answerItem(`a${n}`, `Answer ${n}`));
		await view.snapshot({ items });
		await view.page.evaluate(() => {
			const counted = window as unknown as { outside: number };
			counted.outside = 0;
			const observer = new MutationObserver((records) => (counted.outside += records.length));
			for (const part of document.querySelectorAll('.header, .transcript'))
				observer.observe(part, {
					childList: true,
					subtree: true,
					attributes: true,
					characterData: true,
				});
		});
		await view.composer.pressSequentially('typing a whole sentence');
		assert.equal(await view.page.evaluate('window.outside'), 0);
	});

	it('grows with its text, to a limit', async () => {
		const height = async () => (await view.composer.boundingBox())?.height ?? 0;
		const small = await height();
		await view.composer.fill('line\n'.repeat(8));
		const grown = await height();
		await view.composer.fill('line\n'.repeat(200));
		assert.ok(grown > small);
		assert.ok((await height()) <= 700 * 0.45);
	});
});
