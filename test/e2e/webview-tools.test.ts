// Tools in the chat page: their cards, questions answered by mouse and by keyboard, live output, commands.
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import type { ChatItem, ToolCallView, ToolResultView } from '../../src/protocol/chat-item.ts';
import type { LiveRun, QuestionView } from '../../src/protocol/live-run.ts';
import type { HostMessageBody } from '../../src/protocol/panel.ts';
import { axeViolations } from './support/axe.ts';
import { themes } from './support/theme-variables.ts';
import {
	answerItem,
	idleStatus,
	launchBrowser,
	userItem,
	WebviewPage,
} from './support/webview-page.ts';

const streaming = { ...idleStatus, activity: 'streaming' as const };
const COMMAND = 'npm test -- --grep "exit code"';

function call(
	callId: string,
	name: string,
	summary: string,
	result?: ToolResultView,
): ToolCallView {
	const text = JSON.stringify({ path: summary });
	return {
		...{ type: 'tool', callId, name, summary },
		arguments: { text, cut: 0 },
		result: result ?? null,
	};
}

function result(outcome: ToolResultView['outcome'], text: string): ToolResultView {
	return { entryId: `r-${text}`, outcome, text: { text, cut: 0 }, images: 0 };
}

function answer(id: string, ...parts: ToolCallView[]): ChatItem {
	return { kind: 'assistant', id, parts, status: 'complete', error: null, model: 'test-model' };
}

function question(change: Partial<QuestionView> = {}): QuestionView {
	return {
		requestId: 'q1',
		tool: 'bash',
		kind: 'run',
		text: COMMAND,
		folder: '/home/ana/project',
		lasting: true,
		...change,
	};
}

function run(callId: string, change: Partial<Extract<LiveRun, { kind: 'tool' }>> = {}): LiveRun {
	const output = { text: '', cut: 0 };
	return { kind: 'tool', id: `run-${callId}`, callId, question: null, output, ...change };
}

const print = (id: string, text: string, cut = 0): HostMessageBody => ({
	type: 'output',
	outputs: [{ id, output: { text, cut } }],
});

describe('webview: tools', () => {
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

	const cards = () => view.page.locator('.tool-card');
	const states = () => view.page.locator('.tool-state').allInnerTexts();
	const asked = () => view.page.getByRole('group', { name: 'Run this command?' });
	const button = (name: string) => view.page.getByRole('button', { name, exact: true });
	const answers = async () =>
		(await view.postedOf('approval')).map(({ requestId, decision, reason }) => [
			...[requestId, decision],
			...(reason ? [reason] : []),
		]);
	/** A turn whose only call asks. */
	const askAbout = (change: Partial<QuestionView> = {}) =>
		view.snapshot({
			items: [userItem('u1'), answer('a1', call('c1', 'bash', 'npm test'))],
			runs: [run('c1', { question: question(change) })],
			status: streaming,
		});

	it('say by a mark and in words what becomes of each call', async () => {
		const calls = [
			call('c1', 'read', 'a.ts', result('done', 'one')),
			call('c2', 'bash', 'npm test', result('failed', 'two')),
			call('c3', 'write', 'b.ts', result('refused', 'Not allowed: the person refused.')),
			call('c4', 'bash', 'sleep 5'),
			call('c5', 'read', 'c.ts'),
		];
		await view.snapshot({
			items: [answer('a1', ...calls)],
			runs: [run('c4')],
			status: streaming,
		});
		assert.deepEqual(await states(), ['done', 'failed', 'refused', 'running', 'waiting']);
		await view.post(
			{ type: 'runs', runs: [] },
			{ type: 'status', status: idleStatus, title: 'A session' },
		);
		assert.deepEqual((await states()).slice(3), ['interrupted', 'interrupted']);
	});

	it('are one card from the start of a call to its result, with its fold kept open', async () => {
		await view.snapshot({ items: [userItem('u1')], live: [], status: streaming });
		await view.post({ type: 'appended', items: [answer('a1', call('c1', 'bash', 'npm test'))] });
		await view.post({ type: 'runs', runs: [run('c1')] });
		await cards().locator('summary').click();
		const card = await cards().elementHandle();
		await view.post(print('run-c1', 'first line\n'), print('run-c1', 'second line\n'));
		assert.equal(
			await view.page.getByLabel('Output so far').innerText(),
			'first line\nsecond line\n',
		);
		const done = call('c1', 'bash', 'npm test', result('done', 'all of it'));
		await view.post({ type: 'appended', items: [answer('a1', done)] });
		await view.post({ type: 'runs', runs: [] });
		assert.ok(await card?.evaluate((node) => node.isConnected));
		assert.equal(await cards().count(), 1);
		assert.ok(await view.page.getByText('all of it').isVisible());
		assert.equal(await view.page.getByLabel('Output so far').count(), 0);
	});

	it('show the same from a snapshot while they run', async () => {
		await view.snapshot({
			items: [answer('a0', call('c1', 'bash', 'before')), answer('a1', call('c1', 'bash', 'now'))],
			runs: [run('c1', { output: { text: 'so far', cut: 12_345 } })],
			status: streaming,
		});
		// Some servers give every turn the same ids: what runs belongs to the newest answer.
		assert.deepEqual(await states(), ['interrupted', 'running']);
		assert.equal(await cards().last().getByLabel('Output so far').innerText(), 'so far');
		assert.ok(await view.page.getByText('12,345 earlier characters').isVisible());
		await view.post(print('run-c1', '!'));
		assert.equal(await view.page.getByLabel('Output so far').innerText(), 'so far!');
	});

	it('keep only the end of ten thousand pieces of output, in view until the reader leaves it', async () => {
		await view.snapshot({
			items: [answer('a1', call('c1', 'bash', 'yes'))],
			runs: [run('c1')],
			status: streaming,
		});
		const lines = Array.from({ length: 10_000 }, (_, index) => print('run-c1', `line ${index}\n`));
		await view.post(...lines);
		const output = view.page.getByLabel('Output so far');
		const text = (await output.textContent()) ?? '';
		assert.ok(text.length <= 20_000 && text.endsWith('line 9999\n'), `${text.length}`);
		const fromEnd = () =>
			output.evaluate(({ scrollHeight, clientHeight, scrollTop }) =>
				Math.round(scrollHeight - clientHeight - scrollTop),
			);
		assert.ok((await fromEnd()) < 2);
		await output.evaluate((element) => (element.scrollTop -= 100));
		await view.page.waitForTimeout(50);
		await view.post(print('run-c1', 'more\n'));
		assert.ok((await fromEnd()) > 90);
	});

	it('draw no other item anew for what one prints', async () => {
		await view.snapshot({
			items: [
				...Array.from({ length: 20 }, (_, index) => answerItem(`x${index}`, 'text')),
				answer('a1', call('c1', 'bash', 'yes')),
			],
			runs: [run('c1')],
			status: streaming,
		});
		await view.page.evaluate(() => {
			const counter = window as unknown as { drawn: string[] };
			counter.drawn = [];
			new MutationObserver((changes) => {
				for (const { target } of changes) {
					const element = target instanceof Element ? target : target.parentElement;
					counter.drawn.push(element?.closest<HTMLElement>('[data-id]')?.dataset.id ?? '');
				}
			}).observe(document.body, { subtree: true, childList: true, characterData: true });
		});
		for (let index = 0; index < 20; index++) await view.post(print('run-c1', `${index}\n`));
		const drawn = await view.page.evaluate(() => (window as unknown as { drawn: string[] }).drawn);
		assert.deepEqual([...new Set(drawn)], ['a1']);
	});

	describe('ask', () => {
		it('by mouse: each button says what it says', async () => {
			await askAbout();
			assert.ok(await asked().getByText(COMMAND).isVisible());
			assert.ok(await asked().getByText('/home/ana/project').isVisible());
			for (const name of ['Allow once', 'Allow for session', 'Allow for workspace'])
				await button(name).click();
			await asked().getByRole('textbox').fill('use the other script');
			await button('Refuse').click();
			assert.deepEqual(await answers(), [
				['q1', 'once'],
				['q1', 'session'],
				['q1', 'workspace'],
				['q1', 'refuse', 'use the other script'],
			]);
		});

		it('by keyboard alone, and the focus stays at the tool', async () => {
			await askAbout();
			await view.scroller.focus();
			const focused = () =>
				view.page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
			for (let tabs = 0; tabs < 10 && (await focused()) !== 'Allow once'; tabs++)
				await view.page.keyboard.press('Tab');
			assert.equal(await focused(), 'Allow once');
			await view.page.keyboard.press('Enter');
			assert.deepEqual(await answers(), [['q1', 'once']]);
			await view.post({ type: 'runs', runs: [run('c1')] });
			assert.match(await focused(), /bash/);
			assert.equal(await asked().count(), 0);
			await askAbout({ requestId: 'q2' });
			const reason = asked().getByRole('textbox');
			for (
				let tabs = 0;
				tabs < 10 && !(await reason.evaluate((node) => node === document.activeElement));
				tabs++
			)
				await view.page.keyboard.press('Tab');
			await view.page.keyboard.type('no');
			await view.page.keyboard.press('Enter');
			assert.deepEqual((await answers())[1], ['q2', 'refuse', 'no']);
		});

		it('with all of a command, and what would not be seen of it', async () => {
			const lines = Array.from({ length: 60 }, (_, index) => `echo ${index}`);
			const text = `${lines.join('\n')}\necho "\u202eexe.\u200b"${' '.repeat(400)}; rm -rf ~`;
			await askAbout({ text });
			const shown = asked().getByLabel('What would be done');
			const whole = (await shown.textContent()) ?? '';
			assert.equal(whole, text.replace('\u202e', '⟨U+202E⟩').replace('\u200b', '⟨U+200B⟩'));
			assert.deepEqual(await shown.locator('.hidden-character').allInnerTexts(), [
				'⟨U+202E⟩',
				'⟨U+200B⟩',
			]);
			assert.ok(await asked().getByText('61 lines').isVisible());
			const sizes = await shown.evaluate((element) => [
				element.scrollWidth - element.clientWidth,
				element.scrollHeight - element.clientHeight,
			]);
			assert.equal(sizes[0], 0, 'nothing lies out of sight sideways');
			assert.ok((sizes[1] ?? 0) > 0);
		});

		it('with a word that there is more, where a long line does not fit', async () => {
			await askAbout({ text: `echo ${'long '.repeat(300)}; rm -rf ~` });
			await asked().getByText('scroll to see all').waitFor();
			await askAbout({ text: 'npm test', requestId: 'q2' });
			await asked().getByText('scroll to see all').waitFor({ state: 'detached' });
		});

		it('with each answer in reach where the panel is low and the reader is not at its end', async () => {
			await view.page.setViewportSize({ width: 297, height: 347 });
			await askAbout();
			const below = Array.from({ length: 10 }, (_, index) => userItem(`below${index}`));
			await view.post({ type: 'appended', items: below });
			const refuse = button('Refuse');
			// The answer lies where the way to the question is.
			await refuse.evaluate((element) => {
				const scroller = element.closest('.scroll');
				if (!scroller) throw new Error('no scroller');
				const [own, all] = [element, scroller].map((each) => each.getBoundingClientRect().bottom);
				scroller.scrollTop += (own ?? 0) - (all ?? 0) + 12;
			});
			await button('Approval needed ↓').waitFor();
			const isOnTop = await refuse.evaluate((element) => {
				const { x, y, width, height } = element.getBoundingClientRect();
				return document.elementFromPoint(x + width / 2, y + height / 2) === element;
			});
			assert.ok(isOnTop, 'something covers it');
		});

		it('with a diff where a file would change, and once only where it is sensitive', async () => {
			await askAbout({
				kind: 'change',
				tool: 'edit',
				text: '.github/workflows/ci.yml',
				lasting: false,
			});
			await button('Show diff').click();
			assert.deepEqual(
				(await view.postedOf('showChange')).map(({ requestId }) => requestId),
				['q1'],
			);
			assert.equal(await button('Allow for session').count(), 0);
			assert.equal(await button('Allow for workspace').count(), 0);
			assert.ok(await view.page.getByText('Asked each time').isVisible());
			assert.ok(await button('Allow once').isVisible());
		});

		it('so that a screen reader hears it, and a reader elsewhere finds it', async () => {
			const many = Array.from({ length: 30 }, (_, index) => userItem(`u${index}`));
			const items = [...many, answer('a1', call('c1', 'bash', 'npm test'))];
			await view.snapshot({ items, status: streaming });
			await view.scroller.evaluate((element) => (element.scrollTop = 0));
			await button('Jump to latest ↓').waitFor();
			await view.post({ type: 'runs', runs: [run('c1', { question: question() })] });
			assert.equal(
				await view.page.getByRole('status').innerText(),
				`Approval needed for bash: ${COMMAND}`,
			);
			assert.equal(await view.scrollTop(), 0, 'what is being read stays');
			await button('Approval needed ↓').click();
			assert.ok(await button('Allow once').isVisible());
			assert.equal(
				await view.page.evaluate(() => document.activeElement?.textContent),
				'Allow once',
			);
		});

		it('and take no second click for the next question', async () => {
			await askAbout();
			await button('Allow once').dblclick();
			assert.deepEqual(await answers(), [['q1', 'once']]);
			await askAbout();
			await asked().getByRole('textbox').fill('mine');
			await askAbout({ requestId: 'q2' });
			assert.equal(await asked().getByRole('textbox').inputValue(), '');
		});
	});

	describe('commands of the person', () => {
		it('are told apart while they are written', async () => {
			await view.snapshot();
			const hint = view.page.locator('.command-hint');
			await view.composer.fill('!npm test');
			assert.match(await hint.innerText(), /and tells the model/);
			assert.ok(await button('Run').isVisible());
			await view.composer.fill('!!npm test');
			assert.match(await hint.innerText(), /not told/);
			await view.composer.fill(' !important');
			assert.equal(await hint.count(), 0);
			assert.ok(await button('Send').isVisible());
			await view.composer.fill('!!npm test');
			await view.composer.press('Enter');
			assert.equal((await view.postedOf('prompt'))[0]?.text, '!!npm test');
		});

		it('print as they run, can be stopped, and stay the same element when they have ended', async () => {
			await view.snapshot({ items: [userItem('u1')] });
			const status = { type: 'status' as const, title: 'A session' };
			const live: LiveRun = {
				...{ kind: 'command', id: 'r1', command: 'make', inContext: false },
				output: { text: '', cut: 0 },
			};
			await view.post({ type: 'runs', runs: [live] }, { ...status, status: streaming });
			assert.ok(await view.page.getByText('$ make').isVisible());
			assert.ok(await view.page.getByText('You are running').isVisible());
			await view.post(print('r1', 'compiling…\n'));
			assert.ok(await view.page.getByText('compiling…').isVisible());
			await button('Stop').click();
			assert.equal((await view.postedOf('stop')).length, 1);
			const element = await view.page.locator('.item.bash').elementHandle();
			const stored: ChatItem = {
				...{ kind: 'bash', id: 'e1', command: 'make', outcome: 'cancelled', inContext: false },
				output: { text: 'compiling…\n', cut: 0 },
			};
			await view.post(
				{ type: 'appended', items: [stored] },
				{ type: 'runs', runs: [] },
				{ ...status, status: idleStatus },
			);
			assert.ok(await element?.evaluate((node) => node.isConnected));
			assert.equal(await view.page.locator('.item.bash').count(), 1);
			assert.ok(await view.page.getByText('compiling…').isVisible());
			assert.ok(await view.page.getByText('cancelled · not shown to the model').isVisible());
			await view.load();
			await view.snapshot({ items: [userItem('u1'), stored] });
			assert.ok(await view.page.getByText('compiling…').isVisible(), 'still open');
		});
	});

	it('keep what is written and its buttons in sight in a low view', async () => {
		await view.close();
		view = await WebviewPage.open(browser, { width: 270, height: 320 });
		const notice = {
			severity: 'info' as const,
			message: 'No model is connected. Summaries are made offline.',
			...{ kept: null, hint: null, actions: ['connectModel' as const, 'chooseModel' as const] },
		};
		await view.snapshot({ status: { ...idleStatus, notices: [notice] } });
		await view.composer.fill('!echo no');
		await view.composer.press('Enter');
		const [prompt] = await view.postedOf('prompt');
		await view.post({
			type: 'promptRejected',
			requestId: prompt?.requestId ?? '',
			message: 'Commands cannot be run here. Open a trusted folder to run commands in it.',
			actions: [],
		});
		await view.screenshot('webview-command-low');
		const box = await button('Run').boundingBox();
		assert.ok(box && box.y + box.height <= 320, JSON.stringify(box));
	});

	it('show the beginning of a question that is higher than the view', async () => {
		await view.close();
		view = await WebviewPage.open(browser, { width: 270, height: 320 });
		const items = [answerItem('a0', 'text\n\n'.repeat(20)), answer('a1', call('c1', 'bash', 'x'))];
		await view.snapshot({ items, status: streaming });
		const text = Array.from({ length: 30 }, (_, index) => `echo ${index}`).join('\n');
		await view.post({ type: 'runs', runs: [run('c1', { question: question({ text }) })] });
		const top = (await asked().boundingBox())?.y ?? 0;
		const viewTop = (await view.scroller.boundingBox())?.y ?? 0;
		assert.ok(Math.abs(top - viewTop) < 2, `${top} and ${viewTop}`);
		await view.screenshot('webview-question-low');
	});

	for (const theme of Object.keys(themes) as (keyof typeof themes)[])
		for (const [size, width, height] of [
			['wide', 640, 900],
			['narrow', 220, 1200],
		] as const)
			it(`show their cards in ${theme}, ${size}`, async () => {
				await view.close();
				view = await WebviewPage.open(browser, { theme, width, height });
				const output = 'PASS src/cli.test.ts\nPASS src/a-file-with-quite-a-long-name.test.ts\n';
				await view.snapshot({
					items: [
						userItem('u1', 'Please fix the exit code.'),
						answer(
							'a0',
							call('c1', 'read', 'src/cli/entry.ts', result('done', 'text')),
							call('c2', 'bash', 'npm test', result('failed', '[Exit code 1]')),
							call('c3', 'write', 'notes.md', result('refused', 'Not allowed: later.')),
						),
						answer(
							'a1',
							call('c4', 'bash', 'npm run build'),
							call('c5', 'bash', COMMAND),
							call('c6', 'edit', '.npmrc'),
							call('c7', 'edit', 'src/cli/entry.ts'),
						),
					],
					runs: [
						run('c4', { output: { text: output, cut: 23_456 } }),
						run('c5', { question: question({ text: `${COMMAND}\necho "\u202edone"` }) }),
						run('c6', {
							question: question({
								...{ requestId: 'q2', tool: 'edit', kind: 'change' },
								...{ text: '.npmrc', folder: null, lasting: false },
							}),
						}),
					],
					status: streaming,
				});
				await view.composer.fill('!git status --short');
				await view.screenshot(`webview-tools-${theme}-${size}`);
				const overflow = await view.page.evaluate(
					() => document.documentElement.scrollWidth - window.innerWidth,
				);
				assert.equal(overflow, 0);
				assert.deepEqual(await axeViolations(view.page), []);
			});
});
