import { strict as assert } from 'node:assert';
import { estimateTextTokens } from '../../../../src/util/tokens.ts';
import type { AgentMessage } from '../../../../src/session/messages.ts';
import { bash, says, sectionOf, summarize, tool, user } from './conversation.ts';

/** A session of five parts with facts that must survive; each fact is a distinctive piece of text. */
function longSession(): { parts: AgentMessage[][]; facts: string[] } {
	const facts: string[] = [];
	const parts = Array.from({ length: 5 }, (_, part) => {
		const messages: AgentMessage[] = [];
		const fact = (text: string): string => (facts.push(text), text);
		messages.push(
			user(
				`${fact(`Build the module amber-${part}`)} for the warehouse. ${fact(`Never log the field secret${part}`)}. ${fact(`All amounts in part ${part} must be integers`)}.`,
			),
		);
		messages.push(...tool('read', { path: `src/part${part}/input.ts` }, 'x'.repeat(4000)));
		messages.push(...tool('edit', { path: fact(`src/part${part}/main.ts`) }, 'ok'));
		messages.push(
			says(
				`${fact(`We'll go with queue-${part}`)} because it keeps the order. Implemented amber-${part} and its tests.`,
			),
		);
		for (let turn = 0; turn < 12; turn++) {
			messages.push(
				user(
					`${fact(`Adjust panel P${part}x${turn}`)} so that the third column lines up with the header row`,
				),
			);
			messages.push(...tool('edit', { path: `src/part${part}/panel.ts` }, 'ok'));
			messages.push(...bash('npm run check', 'clean'));
			messages.push(
				says(
					`Done! Moved the column of P${part}x${turn} by four pixels and added a regression test for the header row alignment.`,
				),
			);
		}
		messages.push(
			user(
				`Import these:\n${[1, 2, 3, 4, 5, 6].map((n) => `${n}. ${fact(`feed-${part}-${n}`)} from the old system`).join('\n')}`,
			),
		);
		messages.push(...bash(`npm run import:${part} -- build`, 'done'));
		messages.push(
			says(
				`Imported four feeds.\n\nRemaining:\n- ${fact(`feed cleanup ${part}`)} of duplicate rows`,
			),
		);
		return messages;
	});
	parts[4]!.push(
		user('Run the whole suite'),
		...bash(
			'npm test',
			`AssertionError: ${facts[facts.push('expected 41 to equal 42') - 1]}`,
			true,
		),
		says('One test fails.'),
	);
	return { parts, facts };
}

describe('offline summarizer: merging', () => {
	it('keeps nine in ten facts over five compactions, within 4,000 tokens (C02)', async () => {
		const { parts, facts } = longSession();
		let previousSummary: string | undefined;
		const sizes: number[] = [];
		for (const messages of parts) {
			previousSummary = await summarize(messages, previousSummary ? { previousSummary } : {});
			sizes.push(estimateTextTokens(previousSummary));
		}
		const lost = facts.filter((fact) => !previousSummary!.includes(fact));
		assert.ok(
			lost.length <= facts.length * 0.1,
			`lost ${lost.length} of ${facts.length}: ${lost.join(', ')}`,
		);
		for (const size of sizes) assert.ok(size <= 4000, sizes.join(', '));
	});

	it('adds nothing when nothing is new', async () => {
		const { parts } = longSession();
		let summary = await summarize(parts.flat());
		const quiet = [user('Thanks'), says('')];
		const once = await summarize(quiet, { previousSummary: summary });
		summary = await summarize(quiet, { previousSummary: once });
		assert.equal(summary, once);
	});

	it('does not repeat a rule that is given twice', async () => {
		const talk = [user('Always write tests first, please.'), says('Will do.')];
		const first = await summarize(talk);
		const second = await summarize([...talk, user('always write tests first, please')], {
			previousSummary: first,
		});
		assert.equal(
			sectionOf(second, 'Constraints & Preferences').match(/write tests first/gi)?.length,
			1,
		);
	});

	it("reads a model's summary, sub-lists and unknown sections included", async () => {
		const previousSummary = [
			'## Goal',
			'Ship the importer.',
			'',
			'## Constraints & Preferences',
			'- Only PostgreSQL 15',
			'',
			'## Progress',
			'### Done',
			'- [x] Parser for CSV',
			'  - handles quoted line breaks',
			'### In Progress',
			'- [ ] Retry logic for the uploader',
			'### Blocked',
			'- Waiting for staging credentials',
			'',
			'## Key Decisions',
			'- **Streaming**: rows are never held in memory',
			'',
			'## Next Steps',
			'1. Write the migration guide',
			'',
			'## Critical Context',
			'- Port 5544 on the test host',
			'',
			'## Additional Notes',
			'The nightly job runs at 02:30.',
		].join('\n');
		const summary = await summarize([user('Add a progress bar'), says('Added the progress bar.')], {
			previousSummary,
		});
		const has = (section: string, text: RegExp): void =>
			assert.match(sectionOf(summary, section), text);
		has('Goal', /Ship the importer\.\n- Latest request: Add a progress bar/);
		has('Constraints & Preferences', /Only PostgreSQL 15/);
		has('Done', /Parser for CSV; handles quoted line breaks/);
		has('Done', /Add a progress bar → Added the progress bar/);
		has('In Progress', /Retry logic for the uploader/);
		has('Blocked', /Waiting for staging credentials/);
		has('Key Decisions', /Streaming: rows are never held in memory/);
		has('Next Steps', /Write the migration guide/);
		has('Critical Context', /Port 5544/);
		has('Critical Context', /Additional Notes: The nightly job runs at 02:30/);
	});

	it('takes a finished step off the open lists', async () => {
		const previousSummary =
			'## Goal\nX\n\n## Next Steps\n1. Write the migration guide for operators\n2. Tune the vacuum schedule';
		const summary = await summarize(
			[
				user('Go on with the next step'),
				says('Wrote the migration guide for operators in docs/migrate.md.'),
			],
			{ previousSummary },
		);
		assert.doesNotMatch(sectionOf(summary, 'Next Steps'), /migration guide/);
		assert.match(sectionOf(summary, 'Next Steps'), /vacuum schedule/);
	});

	it('merges the part on a split turn, and finishes that turn with what follows', async () => {
		const history = await summarize([
			user('Set up the shop'),
			says('The shop skeleton is in place.'),
		]);
		const prefix = await summarize(
			[
				user('Add VAT per country. Prices must stay integers.'),
				...tool('write', { path: 'src/vat.ts' }, 'ok'),
				says("Let's use a lookup table for the rates.", 'toolUse'),
				...bash('npm test', '1 failing', true),
			],
			{ kind: 'turnPrefix' },
		);
		const previousSummary = `${history}\n\n---\n\n**Turn Context (split turn):**\n\n${prefix}`;
		const open = await summarize(tool('edit', { path: 'src/rates.ts' }, 'ok'), { previousSummary });
		assert.match(sectionOf(open, 'In Progress'), /Add VAT per country/);
		assert.match(sectionOf(open, 'Blocked'), /`npm test` failed/);
		const closed = await summarize(
			[...bash('npm test', 'ok'), says('VAT works for all countries.')],
			{ previousSummary },
		);
		assert.match(sectionOf(closed, 'Done'), /The shop skeleton is in place/);
		assert.match(sectionOf(closed, 'Done'), /Add VAT per country.* → VAT works for all countries/);
		assert.match(sectionOf(closed, 'In Progress'), /\(none\)/);
		assert.match(sectionOf(closed, 'Constraints & Preferences'), /Prices must stay integers/);
		assert.match(sectionOf(closed, 'Key Decisions'), /lookup table for the rates/);
		assert.match(closed, /src\/vat\.ts/);
		assert.doesNotMatch(closed, /Turn Context|Original Request/);
	});

	it('takes in summaries found among the messages', async () => {
		const inner = await summarize([user('Port the parser to Rust'), says('Ported the lexer.')]);
		const branch = await summarize(
			[
				user('Try a regex engine'),
				says('I decided against regex: it backtracks on nested quotes.'),
			],
			{ kind: 'branch' },
		);
		const summary = await summarize([
			{ role: 'compactionSummary', summary: inner, tokensBefore: 9, timestamp: 0 },
			{
				role: 'branchSummary',
				summary: `Some words before.\n\n${branch}\n\n<read-files>\nsrc/hidden.ts\n</read-files>`,
				fromId: 'x',
				timestamp: 0,
			},
			user('Now the printer'),
			says('Printer done.'),
		]);
		assert.match(sectionOf(summary, 'Goal'), /Port the parser to Rust/);
		assert.match(sectionOf(summary, 'Done'), /Ported the lexer/);
		assert.match(sectionOf(summary, 'Key Decisions'), /On another branch: I decided against regex/);
		assert.match(sectionOf(summary, 'Critical Context'), /Other branch, goal: Try a regex engine/);
		assert.doesNotMatch(summary, /hidden\.ts|<read-files/);
	});

	it('carries a free text summary over', async () => {
		const summary = await summarize([user('Go on with it now, carefully'), says('Went on.')], {
			previousSummary: 'The team builds a kiln controller. Relay 7 is inverted.',
		});
		assert.match(summary, /Relay 7 is inverted/);
	});
});
