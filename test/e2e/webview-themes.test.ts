// The chat page in four themes, narrow and wide: pictures to look at, and axe on each.
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import type { ChatItem } from '../../src/protocol/chat-item.ts';
import type { SnapshotMessage } from '../../src/protocol/panel.ts';
import { axeViolations } from './support/axe.ts';
import { themes } from './support/theme-variables.ts';
import { idleStatus, launchBrowser, userItem, WebviewPage } from './support/webview-page.ts';

const noText = { text: '', cut: 0 };

const content: ChatItem[] = [
	{
		kind: 'compaction',
		id: 'c1',
		shortSummary: 'Parser rewritten to stream; two tests still fail in the CLI.',
		summary: { text: '## Goal\nStream the parser.\n\n## Next steps\n1. Fix the CLI tests', cut: 0 },
		tokensBefore: 128_400,
		tokensAfter: 21_300,
		files: { read: ['src/parser.ts'], modified: ['src/stream.ts', 'test/cli.test.ts'], more: 0 },
		summarizer: 'offline',
	},
	userItem('u1', 'Why does `npm test` fail in the CLI?\nPlease fix it.'),
	{
		kind: 'assistant',
		id: 'a1',
		status: 'complete',
		error: null,
		model: 'gpt-5-mini',
		parts: [
			{ type: 'thinking', text: { text: 'The exit code is lost.', cut: 0 } },
			{ type: 'text', text: { text: 'I will look at the **entry point** first.', cut: 0 } },
			{
				type: 'tool',
				callId: 't1',
				name: 'read',
				summary: 'src/cli/very/long/path/to/the/command/line/entry-point.ts',
				arguments: { text: '{ "path": "src/cli.ts" }', cut: 0 },
				result: {
					entryId: 'r1',
					outcome: 'done',
					text: { text: 'process.exit(run());', cut: 12_345 },
					images: 0,
				},
			},
			{
				type: 'tool',
				callId: 't2',
				name: 'bash',
				summary: 'npm test',
				arguments: noText,
				result: {
					entryId: 'r2',
					outcome: 'failed',
					text: { text: '2 failing', cut: 0 },
					images: 0,
				},
			},
			{
				type: 'text',
				text: {
					text: [
						'## What is wrong\n\n`run()` is *async*, so its promise is passed to `process.exit`:\n',
						'```ts\nprocess.exit(await run()); // was: process.exit(run()), which always exits with a truncated code\n```\n',
						'- exit code `1` was lost\n- see [the docs](https://nodejs.org/api/process.html)\n',
						'| File | Change |\n|---|---|\n| src/cli.ts | await |\n| test/cli.test.ts | one case more |\n',
						'> Exit codes are part of the interface.',
					].join('\n'),
					cut: 0,
				},
			},
		],
	},
	{
		kind: 'branchSummary',
		id: 'b1',
		fromId: 'x',
		summary: { text: 'Tried a worker thread; dropped.', cut: 0 },
		coveredEntries: 12,
		files: { read: [], modified: [], more: 0 },
		summarizer: 'gpt-5-mini',
	},
	{
		kind: 'bash',
		id: 'x1',
		command: 'git status --short',
		output: { text: ' M src/cli.ts', cut: 0 },
		outcome: null,
		inContext: false,
	},
	userItem('u2', 'Thanks. Now release it.'),
	{ kind: 'assistant', id: 'a2', parts: [], status: 'error', error: 'x', model: 'gpt-5-mini' },
];

const status = {
	...idleStatus,
	failure: {
		severity: 'error' as const,
		message: 'The model server at http://127.0.0.1:8080 cannot be reached.',
		kept: 'Your message is in the session.',
		hint: 'Start the server or check its address.',
		actions: ['retry' as const, 'connectModel' as const],
	},
};

const noModel = {
	...idleStatus,
	model: null,
	progress: { text: 'The server is busy. Trying again (2 of 3)', until: null },
	queued: [
		{
			id: 'q1',
			text: 'and then update the changelog, please, with the exit code and the test',
			steers: false,
		},
	],
	activity: 'compacting' as const,
	notices: [
		{
			severity: 'info' as const,
			message: 'No model is connected. Summaries are made offline.',
			kept: null,
			hint: null,
			actions: ['connectModel' as const],
		},
	],
};

describe('webview: themes', () => {
	let browser: Browser;

	before(async () => {
		browser = await launchBrowser();
	});
	after(() => browser?.close());

	for (const theme of Object.keys(themes) as (keyof typeof themes)[]) {
		for (const [size, width, height] of [
			['wide', 720, 1250],
			['narrow', 200, 1500],
		] as const) {
			it(`shows a conversation in ${theme}, ${size}`, async () => {
				const view = await WebviewPage.open(browser, { theme, width, height });
				await view.snapshot({
					session: { id: 's', title: 'Fix the exit code of the command line' },
					items: content,
					earlier: 240,
					status,
				});
				await view.page.getByText('Full summary').first().click();
				await view.page.getByText('src/cli/very/long').click();
				await view.composer.fill('A first line\nand a second one');
				await view.scroller.evaluate((element) => (element.scrollTop = 0));
				await view.page.waitForTimeout(100);
				await view.screenshot(`webview-${theme}-${size}`);
				const overflow = await view.page.evaluate(
					() => document.documentElement.scrollWidth - window.innerWidth,
				);
				assert.equal(overflow, 0);
				assert.deepEqual(await axeViolations(view.page), []);
				await view.page.getByRole('button', { name: 'Jump to latest' }).click();
				await view.screenshot(`webview-${theme}-${size}-end`);
				assert.deepEqual(await view.violations(), []);
				await view.close();
			});
		}
	}

	it('shows the empty panel, and a session without a model', async () => {
		const cases: [string, Partial<SnapshotMessage>][] = [
			['no-session', { session: null, status: { ...noModel, activity: 'idle', queued: [] } }],
			['no-model', { items: content.slice(0, 2), status: noModel }],
			['empty', {}],
		];
		for (const [name, change] of cases) {
			const view = await WebviewPage.open(browser, { width: 320, height: 480 });
			await view.snapshot(change);
			await view.screenshot(`webview-${name}`);
			assert.deepEqual(await axeViolations(view.page), []);
			await view.close();
		}
	});
});
