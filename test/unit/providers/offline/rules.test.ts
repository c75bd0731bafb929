import { strict as assert } from 'node:assert';
import type { AgentMessage } from '../../../../src/session/messages.ts';
import { bash, says, sectionOf, summarize, tool, user } from './conversation.ts';

const RULES = 'Constraints & Preferences';
const DECISIONS = 'Key Decisions';

/** A short order that is carried out at once. */
function errand(request: string, answer: string): AgentMessage[] {
	return [user(request), ...tool('edit', { path: 'src/list.ts' }, 'ok'), says(answer)];
}

describe('offline summarizer: rules and answers', () => {
	for (const [rule, revision] of [
		[
			'Set up the importer. Uploads may have 20 MB at most.',
			'The 20 MB limit no longer applies, 50 MB are fine.',
		],
		[
			'Build the mailer. Please keep the templates in the old folder, marketing edits them there.',
			'Marketing moved. Forget about the old templates folder, put templates into the database. Nobody edits them by hand.',
		],
		[
			'Faça o relatório. O relatório nunca deve passar de 10 páginas.',
			'O limite do relatório mudou: agora são 25 páginas. O resto continua igual.',
		],
	] as const)
		it(`takes back what the user took back: ${revision}`, async () => {
			const old = rule.split('. ')[1]!.replace(/\.$/, '');
			const first = [user(rule), says('It is set up.')];
			const second = [user(revision), says('Noted.')];
			const inOne = await summarize([...first, ...second]);
			const later = await summarize(second, { previousSummary: await summarize(first) });
			for (const summary of [inOne, later]) {
				assert.ok(!sectionOf(summary, RULES).includes(old), sectionOf(summary, RULES));
				assert.ok(!sectionOf(summary, 'Goal').includes(old), sectionOf(summary, 'Goal'));
				assert.ok(sectionOf(summary, DECISIONS).includes(`Withdrawn by the user: ${old}`));
			}
			const again = await summarize([user('Go on with the rest of it now'), says('Went on.')], {
				previousSummary: later,
			});
			assert.ok(sectionOf(again, DECISIONS).includes(`Withdrawn by the user: ${old}`));
		});

	it('marks an item of a list that was changed, and keeps all labels', async () => {
		const summary = await summarize([
			user(
				'The plan:\n1. copy the tables\n2. throttle the network to 80 MB/s\n3. tell the BI team',
			),
			says('Understood.'),
			user('The network limit has changed. It is 40 MB/s instead of 80 MB/s.'),
			says('Noted.'),
		]);
		assert.match(
			summary,
			/1\. copy the tables; \(changed later\) 2\. throttle the network to 80 MB\/s; 3\. tell/,
		);
		assert.match(summary, /40 MB\/s instead of 80 MB\/s/);
	});

	it('leaves a rule alone that a revision does not speak of', async () => {
		const summary = await summarize([
			user('Build the mailer. Never log the addresses of recipients.'),
			says('Built.'),
			user('Forget the retry queue, we use the one of the provider. It has backoff.'),
			says('Removed it.'),
		]);
		assert.match(sectionOf(summary, RULES), /Never log the addresses of recipients/);
		assert.doesNotMatch(summary, /Withdrawn/);
	});

	it('tells an errand as done, not as a rule for ever', async () => {
		const summary = await summarize([
			...errand(
				'make sure the reader closes its stream',
				'The stream is closed in a finally block.',
			),
			...errand('the reader must always close its stream in 5 ms!', 'It does.'),
		]);
		assert.match(sectionOf(summary, 'Done'), /\(small\) make sure the reader closes its stream → /);
		assert.doesNotMatch(sectionOf(summary, RULES), /make sure/);
		assert.match(sectionOf(summary, RULES), /must always close its stream in 5 ms/);
	});

	it('gives errands up before turns that matter', async () => {
		const small = Array.from({ length: 150 }, (_, i) =>
			errand(`rename part ${String.fromCharCode(97 + (i % 26))} of the list`, 'Renamed it.'),
		).flat();
		const matter = [
			user(
				'Why do exports fail on Mondays? Find the cause and tell me before you change anything.',
			),
			...bash('grep -rn Monday src', 'src/a.ts: Monday'),
			says('The cause is the weekly vacuum: it holds the lock until nine.'),
		];
		const summary = await summarize([...matter, ...small], { maxTokens: 900 });
		assert.match(summary, /exports fail on Mondays.*→ .*weekly vacuum/);
	});

	for (const [statement, answer, decided] of [
		['A, copy it at night; B, stream it all the time. Which one?', 'B', /chose B: stream it all/],
		[
			'I would put the cache into SQLite. Is that fine with you?',
			'Fine.',
			/agreed: I would put the cache into SQLite/,
		],
		['Posso mandar direto para o S3.', 'pode ser', /agreed: Posso mandar direto para o S3/],
		[
			'Should deleted rows stay visible?',
			'only for admins',
			/only for admins \(answer to: Should deleted/,
		],
	] as const)
		it(`records what "${answer}" decides`, async () => {
			const summary = await summarize([
				user('Plan the export of the archive, and tell me what you think of it'),
				says(`Here is the plan.\n\n${statement}`),
				user(answer),
				says('All right.'),
			]);
			assert.match(sectionOf(summary, DECISIONS), decided);
		});

	it('marks the request of a split turn as in progress', async () => {
		const summary = await summarize(
			[user('Now wire it into the handler'), ...tool('edit', { path: 'src/a.ts' }, 'ok')],
			{ kind: 'turnPrefix' },
		);
		assert.match(sectionOf(summary, 'Original Request'), /- \[ \] Now wire it into the handler/);
	});
});
