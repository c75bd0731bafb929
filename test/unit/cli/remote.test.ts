/** Summaries by a remote endpoint and a cheaper model, from the command line to the file. */
import { strict as assert } from 'node:assert';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCliWith } from '../../support/cli.ts';
import { startScriptedServer, steps, type ScriptedServer } from '../../support/scripted-server.ts';
import { SessionBuilder, textOfTokens } from '../../support/session-builder.ts';
import {
	answers,
	startSummaryEndpoint,
	type SummaryEndpoint,
} from '../../support/summary-endpoint.ts';

describe('command line: summarizers in order', function () {
	this.timeout(60_000);
	let folder: string;
	let file: string;
	let server: ScriptedServer;
	let endpoint: SummaryEndpoint;

	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), 'espalier-cli-'));
		file = join(folder, 'session.jsonl');
		const session = new SessionBuilder();
		for (let turn = 1; turn <= 5; turn++) {
			session.user(`Please do task ${turn}. ${textOfTokens(200)}`, `u${turn}`);
			session.assistant(`Task ${turn} is done. ${textOfTokens(200)}`, `a${turn}`);
		}
		await writeFile(file, `${session.lines().join('\n')}\n`);
		server = await startScriptedServer();
		endpoint = await startSummaryEndpoint();
	});
	afterEach(async () => {
		await server.close();
		await endpoint.close();
		await rm(folder, { recursive: true, force: true });
	});

	const run = (...words: string[]) =>
		runCliWith({ OPENAI_API_KEY: 'key-of-the-server' }, ...words, '--in-place', '--json');
	const compact = (...more: string[]) => run('compact', file, '--keep-recent', '500', ...more);
	const remote = () => ['--remote-endpoint', `${endpoint.origin}/sum`];
	const openai = () => [
		...['--summarizer', 'openai', '--model', 'active', '--base-url', server.baseUrl],
		...['--compaction-model', 'cheap'],
	];
	const lastEntry = async () => {
		const last = (await readFile(file, 'utf8')).trimEnd().split('\n').at(-1) ?? '';
		return JSON.parse(last) as {
			summary: string;
			details: { summarizer: { name: string; failures?: { name: string; reason: string }[] } };
		};
	};

	it('the endpoint alone', async () => {
		endpoint.answer(answers.json({ summary: 'By the endpoint.' }));
		const { code, stderr } = await compact(...remote());
		assert.equal(code, 0, stderr);
		const { summary, details } = await lastEntry();
		assert.match(summary, /By the endpoint\./);
		assert.equal(details.summarizer.name, `remote/${new URL(endpoint.origin).host}`);
		assert.equal(details.summarizer.failures, undefined);
		assert.equal(endpoint.requests[0]?.headers.authorization, undefined);
	});

	it('an endpoint that answers nothing stores nothing, and offline is no substitute for it', async () => {
		const before = await readFile(file, 'utf8');
		endpoint.answer(answers.json({ summary: ' ' }));
		const { code, stderr } = await compact(...remote());
		assert.equal(code, 1);
		assert.match(stderr, /returned an empty summary.*unchanged/);
		assert.equal(await readFile(file, 'utf8'), before);
	});

	it('a branch summary by the model that is left, with the failures before it', async () => {
		endpoint.answer(answers.text('gone', 'text/plain', 404));
		server.setDefault(({ body }) =>
			body.model === 'cheap' ? steps.status(401, 'no') : steps.text('By the active one.'),
		);
		const { code, stderr } = await run(
			...['navigate', file, 'a2', '--summarize', ...remote(), ...openai()],
		);
		assert.equal(code, 0, stderr);
		const { summary, details } = await lastEntry();
		assert.match(summary, /By the active one\./);
		assert.equal(details.summarizer.name, 'openai-compatible/active');
		assert.deepEqual(
			details.summarizer.failures?.map(({ reason }) => reason),
			['notFound', 'auth'],
		);
	});
});
