import { strict as assert } from 'node:assert';
import { bash, says, sectionOf, summarize, tool, user } from './conversation.ts';

describe('offline summarizer: failures', () => {
	it('blocks on a check that still fails', async () => {
		const summary = await summarize([
			user('Fix the rounding'),
			...bash('npm test', 'AssertionError: expected 3 to equal 4', true),
			says('The test still fails.'),
		]);
		assert.match(
			sectionOf(summary, 'Blocked'),
			/`npm test` failed: AssertionError: expected 3 to equal 4/,
		);
		assert.match(sectionOf(summary, 'Next Steps'), /Resolve: `npm test`/);
	});

	for (const [failed, passed] of [
		['npm test', 'npm test'],
		['cd app && npm run check 2>&1 | tail -5', 'npm run check'],
		['npm test -- price.test.ts', 'npm test'],
		['git commit -m "One"', 'git add . && git commit -m "Two"'],
	] as const) {
		it(`does not block once "${passed}" passes after "${failed}"`, async () => {
			const summary = await summarize([
				user('Fix it'),
				...bash(failed, 'error TS2345: wrong type', true),
				...bash(passed, 'ok'),
				says('Fixed.'),
			]);
			assert.match(sectionOf(summary, 'Blocked'), /\(none\)/);
			assert.match(sectionOf(summary, 'Critical Context'), /Fixed: .*TS2345/);
		});
	}

	it('is not cleared by a narrower run', async () => {
		const summary = await summarize([
			user('Fix it'),
			...bash('npm test', '2 failing', true),
			...bash('npm test -- price.test.ts', 'ok'),
			says('One file passes.'),
		]);
		assert.match(sectionOf(summary, 'Blocked'), /`npm test` failed/);
	});

	it('sees a failure behind a filter that hid the exit code, not one in "0 failed"', async () => {
		const hidden = await summarize([
			user('Build'),
			...bash('npm run build 2>&1 | head', "src/a.ts(1,2): error TS2305: no member 'X'"),
			says('Hm.'),
		]);
		assert.match(sectionOf(hidden, 'Blocked'), /TS2305/);
		const clean = await summarize([
			user('Build'),
			...bash('npm test', '12 passed, 0 failed, 0 errors'),
			says('Good.'),
		]);
		assert.match(sectionOf(clean, 'Blocked'), /\(none\)/);
	});

	it('takes an empty search for an answer', async () => {
		const summary = await summarize([
			user('Any chalk left?'),
			...bash('grep -rn chalk src', 'Command exited with code 1', true),
			says('No.'),
		]);
		assert.match(sectionOf(summary, 'Blocked'), /\(none\)/);
	});

	it('forgets a failed edit that succeeded at the second try', async () => {
		const edit = (isError: boolean) =>
			tool('edit', { path: 'src/a.ts' }, isError ? 'Could not find the text' : 'ok', isError);
		const summary = await summarize([
			user('Edit it'),
			...edit(true),
			...edit(false),
			says('Edited.'),
		]);
		assert.match(sectionOf(summary, 'Blocked'), /\(none\)/);
	});

	it("clears a failure that an earlier summary carried, ours or a model's", async () => {
		const first = await summarize([
			user('Fix it'),
			...bash('npm test', '1 failing', true),
			says('Fails.'),
		]);
		const later = [user('Again'), ...bash('npm test', 'all good'), says('Passes.')];
		assert.match(
			sectionOf(await summarize(later, { previousSummary: first }), 'Blocked'),
			/\(none\)/,
		);
		const model =
			'## Goal\nX\n\n## Progress\n### Blocked\n- The suite (`npm test`) has 1 failing case';
		assert.match(
			sectionOf(await summarize(later, { previousSummary: model }), 'Blocked'),
			/\(none\)/,
		);
		const other = [user('Docs'), says('Wrote the docs.')];
		assert.match(
			sectionOf(await summarize(other, { previousSummary: first }), 'Blocked'),
			/1 failing/,
		);
	});

	it('calls a failure stale once the work went on without it', async () => {
		const rest = Array.from({ length: 4 }, (_, i) => [
			user(`Next part ${i} of the work`),
			...bash('npm run build', 'ok'),
			says(`Part ${i} is built.`),
		]).flat();
		const summary = await summarize([
			user('Try tsc'),
			...bash('npx tsc --strict', 'error TS1: old', true),
			says('Later.'),
			...rest,
		]);
		assert.match(sectionOf(summary, 'Blocked'), /\(none\)/);
		assert.match(
			sectionOf(summary, 'Critical Context'),
			/not run again: `npx tsc --strict` failed/,
		);
	});
});
