import { strict as assert } from 'node:assert';
import { createOfflineSummarizer } from '../../../../src/providers/offline/offline-summarizer.ts';
import type { AgentMessage } from '../../../../src/session/messages.ts';
import { UserError } from '../../../../src/util/errors.ts';
import { bash, says, sectionOf, summarize, tool, user } from './conversation.ts';

const HISTORY = [
	'## Goal',
	'## Constraints & Preferences',
	'## Progress',
	'### Done',
	'### In Progress',
	'### Blocked',
	'## Key Decisions',
	'## Next Steps',
	'## Critical Context',
];

function headings(summary: string): string[] {
	return summary.split('\n').filter((line) => line.startsWith('#'));
}

describe('offline summarizer: sections', () => {
	const messages = [
		user('Add a discount module. Never touch src/legacy.ts. Use integers for cents.'),
		...tool('read', { path: 'src/price.ts' }, 'export const x = 1;'),
		...tool('write', { path: 'src/discount.ts' }, 'ok'),
		...bash('npm test', '12 passing'),
		says(
			'I decided to keep rates in a table. Added `applyDiscount()` in src/discount.ts; all tests pass.',
		),
	];

	it('writes the headings of a history summary in order', async () => {
		assert.deepEqual(headings(await summarize(messages)), HISTORY);
	});

	it('leaves Critical Context out of a branch summary, but not its files', async () => {
		const summary = await summarize(messages, { kind: 'branch' });
		assert.deepEqual(headings(summary), HISTORY.slice(0, -1));
		assert.match(summary, /src\/discount\.ts/);
	});

	it('writes the three sections of a turn prefix', async () => {
		const summary = await summarize(messages.slice(0, -1), { kind: 'turnPrefix' });
		assert.deepEqual(headings(summary), [
			'## Original Request',
			'## Early Progress',
			'## Context for the Rest',
		]);
		assert.match(sectionOf(summary, 'Original Request'), /Add a discount module/);
		assert.match(sectionOf(summary, 'Context for the Rest'), /Never touch src\/legacy\.ts/);
	});

	it('sorts requests, rules, decisions, outcomes, files and checks', async () => {
		const summary = await summarize(messages);
		assert.match(sectionOf(summary, 'Goal'), /Add a discount module/);
		assert.match(sectionOf(summary, 'Constraints & Preferences'), /Never touch src\/legacy\.ts/);
		assert.match(sectionOf(summary, 'Constraints & Preferences'), /Use integers for cents/);
		assert.match(sectionOf(summary, 'Done'), /applyDiscount\(\)/);
		assert.match(sectionOf(summary, 'Key Decisions'), /keep rates in a table/);
		assert.match(sectionOf(summary, 'Critical Context'), /Files changed: `src\/discount\.ts`/);
		assert.match(sectionOf(summary, 'Critical Context'), /Files read: `src\/price\.ts`/);
		assert.match(sectionOf(summary, 'Critical Context'), /`npm test` passed last/);
	});

	it('says that no model made it', async () => {
		assert.match(await summarize(messages), /^_Made offline/);
	});

	it('gives one or two sentences for lists', async () => {
		const answer = await createOfflineSummarizer().summarize(
			{ kind: 'history', messages, maxTokens: 4000 },
			new AbortController().signal,
		);
		assert.match(answer.shortText ?? '', /^Asked: Add a discount module.*Done: /);
		assert.ok((answer.shortText ?? '').length < 300);
	});

	it('keeps all labels of a list of 40 items (C05)', async () => {
		const items = Array.from(
			{ length: 40 },
			(_, i) =>
				`${i + 1}. case-${i + 1}: the parser must take variant ${i + 1}, with every blank line`,
		);
		const summary = await summarize([
			user(`Cover these cases:\n\n${items.join('\n')}\n\nThanks`),
			says('Understood.'),
		]);
		for (let i = 1; i <= 40; i++) assert.match(summary, new RegExp(`\\b${i}\\. case-${i}:`));
	});

	it('keeps a list written inside one line', async () => {
		const summary = await summarize([
			user('Please do: 1) rename alpha, 2) drop beta, 3) test gamma'),
			says('Will do.'),
		]);
		assert.match(summary, /1\. rename alpha; 2\. drop beta; 3\. test gamma/);
	});

	it('leaves a turn without a final statement in progress, with its next step', async () => {
		const summary = await summarize([
			...messages,
			user('Now wire it into the HTTP handler'),
			...tool('edit', { path: 'src/http.ts' }, 'ok'),
		]);
		assert.match(
			sectionOf(summary, 'In Progress'),
			/\[ \] Now wire it into the HTTP handler — so far: changed `src\/http\.ts`/,
		);
		assert.match(sectionOf(summary, 'Next Steps'), /Continue: Now wire it/);
	});

	it('takes remaining work and open questions from the last statement', async () => {
		const summary = await summarize([
			user('Migrate the tables'),
			says(
				'Two of four tables are migrated.\n\nRemaining:\n- orders table\n- audit table\n\nShould I go on with the orders table?',
			),
		]);
		const next = sectionOf(summary, 'Next Steps');
		assert.match(next, /orders table/);
		assert.match(next, /audit table/);
		assert.match(next, /Waiting for the user: Should I go on/);
	});

	it('records corrections, commands of the user and notes of extensions', async () => {
		const summary = await summarize([
			...messages,
			user('no, use a Map instead of an array for the rates'),
			says('Rates are in a Map now.'),
			{
				role: 'bashExecution',
				command: 'git stash',
				output: 'Saved working directory',
				exitCode: 0,
				cancelled: false,
				truncated: false,
				timestamp: 0,
			},
			{
				role: 'bashExecution',
				command: 'secret',
				output: '',
				cancelled: false,
				truncated: false,
				excludeFromContext: true,
				timestamp: 0,
			},
			{
				role: 'custom',
				customType: 'deploy',
				content: 'staging is at build 4711',
				display: true,
				timestamp: 0,
			},
		]);
		assert.match(sectionOf(summary, 'Key Decisions'), /User: no, use a Map instead of an array/);
		assert.match(summary, /The user ran `git stash`: succeeded/);
		assert.match(summary, /deploy: staging is at build 4711/);
		assert.doesNotMatch(summary, /secret/);
	});

	it('reads past pasted traces, and keeps their error', async () => {
		const summary = await summarize([
			user(
				'it crashes on start, fix it\n\nError: bad hue 999\n    at hexToRgb (/x/theme.ts:148:9)\n    at main (/x/main.ts:1:1)',
			),
			says('Guarded the parser.'),
		]);
		assert.match(summary, /it crashes on start, fix it.*Error: bad hue 999/);
		assert.doesNotMatch(summary, /hexToRgb/);
	});

	it('works in Japanese', async () => {
		const summary = await summarize(
			[
				user(
					'在庫管理の画面を作ってください。必ず税込価格を表示すること。古いAPIは使わないでください。',
				),
				says('在庫画面を作成しました。税込価格を表示しています。'),
			],
			{ instructions: '税込価格の表示' },
		);
		assert.match(sectionOf(summary, 'Goal'), /在庫管理の画面/);
		assert.match(sectionOf(summary, 'Constraints & Preferences'), /必ず税込価格を表示/);
		assert.match(sectionOf(summary, 'Critical Context'), /On the focus: .*税込価格/);
	});

	it('names the focus, and prefers what matches it', async () => {
		const talk = Array.from({ length: 60 }, (_, i) => [
			user(`Please adjust widget number ${i} in the sidebar`),
			says(
				i === 7
					? 'Adjusted it. The VAT rounding uses half-even for invoices.'
					: `Adjusted widget ${i} and its margin.`,
			),
		]).flat();
		const summary = await summarize(talk, { maxTokens: 900, instructions: 'VAT rounding rules' });
		assert.match(sectionOf(summary, 'Goal'), /Focus: VAT rounding rules/);
		assert.match(summary, /On the focus: The VAT rounding uses half-even/);
		const replaced = await summarize(talk, {
			maxTokens: 900,
			instructions: 'VAT rounding rules',
			replaceInstructions: true,
		});
		assert.equal(replaced, summary);
	});

	it('refuses input without usable text', async () => {
		for (const messages of [[], [user('  ')], [says('', 'aborted')], [user('/model')]])
			await assert.rejects(
				summarize(messages),
				(error: unknown) => error instanceof UserError && error.reason === 'empty',
			);
	});

	it('says so where there were only images, so that no session is stuck', async () => {
		const image: AgentMessage = {
			role: 'user',
			content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }],
			timestamp: 0,
		};
		assert.match(await summarize([image, image]), /2 images and no text/);
	});
});
