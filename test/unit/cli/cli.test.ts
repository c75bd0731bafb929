import { strict as assert } from 'node:assert';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli, runCliWith } from '../../support/cli.ts';
import { startScriptedServer, steps } from '../../support/scripted-server.ts';
import { SessionBuilder, textOfTokens } from '../../support/session-builder.ts';

describe('command line', function () {
	this.timeout(60_000);
	let folder: string;
	let file: string;

	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), 'espalier-cli-'));
		file = join(folder, 'session.jsonl');
		const session = new SessionBuilder();
		for (let turn = 1; turn <= 5; turn++) {
			session.user(`Please do task ${turn}. ${textOfTokens(200)}`, `u${turn}`);
			session.assistant(`Task ${turn} is done. ${textOfTokens(200)}`, `a${turn}`);
		}
		await writeFile(file, `${session.lines().join('\n')}\n`);
	});
	afterEach(() => rm(folder, { recursive: true, force: true }));
	const bytes = () => readFile(file, 'utf8');

	it('inspects', async () => {
		const { code, json } = await runCli('inspect', file, '--json');
		assert.equal(code, 0);
		const { contextTokens, ...rest } = json();
		assert(Number(contextTokens) > 2000);
		assert.deepEqual(rest, {
			id: 'test-session',
			version: 3,
			cwd: '/workspace',
			entries: 10,
			messages: 10,
			leafId: 'a5',
			leaves: ['a5'],
			compactions: 0,
			branchSummaries: 0,
			warnings: [],
		});
	});

	it('shows a broken line, an unknown type and a missing parent as warnings, and changes nothing', async () => {
		const damaged = [
			...(await bytes()).trim().split('\n'),
			'{"type":"mess',
			'{"type":"hologram","id":"h","parentId":"a5","timestamp":""}',
			'{"type":"label","id":"l","parentId":"gone","timestamp":"","targetId":"a5","label":"x"}',
		].join('\n');
		await writeFile(file, damaged);
		const { code, json } = await runCli('inspect', file, '--json');
		assert.equal(code, 0);
		const { warnings, entries } = json() as { warnings: { kind: string }[]; entries: number };
		assert.deepEqual(
			warnings.map(({ kind }) => kind),
			['bad-line', 'missing-parent', 'unknown-type'],
		);
		assert.equal(entries, 12);
		assert.equal(await bytes(), damaged);
	});

	it('prints the tree and the context of any leaf', async () => {
		const tree = await runCli('tree', file, '--json');
		const { entries } = tree.json() as { entries: { id: string }[] };
		assert.equal(entries.length, 10);
		const context = await runCli('context', file, '--leaf', 'a2', '--json');
		const { messages, tokens } = context.json() as { messages: unknown[]; tokens: number };
		assert.equal(messages.length, 4);
		assert(tokens > 800);
		assert.equal((await runCli('context', file, '--leaf', 'nowhere')).code, 1);
	});

	it('compacts into a copy, in place, or only plans', async () => {
		const before = await bytes();
		const out = join(folder, 'out.jsonl');
		const words = ['compact', file, '--keep-recent', '500', '--json'];
		const plan = (await runCli(...words, '--dry-run')).json();
		assert.equal(plan.firstKeptEntryId, 'u5');
		const copy = await runCli(...words, '--out', out);
		assert.equal(copy.code, 0, copy.stderr);
		const { entryId, tokensBefore, tokensAfter, ...rest } = copy.json();
		assert(Number(tokensAfter) < Number(tokensBefore));
		assert.deepEqual(rest, {
			firstKeptEntryId: 'u5',
			summarizedMessages: 8,
			keptMessages: 2,
			summarizer: 'offline',
		});
		assert.equal(await bytes(), before);
		const after = (await runCli('context', out, '--json')).json();
		assert.equal(after.tokens, tokensAfter);
		assert.equal((await runCli(...words, '--out', out)).code, 1);
		assert.equal((await runCli(...words, '--in-place')).code, 0);
		assert((await bytes()).startsWith(before));
		assert.equal((await runCli('inspect', out, '--json')).json().leafId, entryId);
	});

	it('moves: a plain move writes nothing, a summary is attached at the target', async () => {
		const before = await bytes();
		const plain = (await runCli('navigate', file, 'u2', '--json')).json();
		assert.equal(plain.leafId, 'a1');
		assert.match(String(plain.editorText), /^Please do task 2/);
		assert.equal(await bytes(), before);
		const moved = await runCli('navigate', file, 'a2', '--summarize', '--in-place', '--json');
		const { leafId, summaryEntryId, cancelled } = moved.json();
		assert.equal(cancelled, false);
		assert.equal(leafId, summaryEntryId);
		assert((await bytes()).startsWith(before));
		assert.equal((await runCli('inspect', file, '--json')).json().branchSummaries, 1);
	});

	it('migrates an old file into the copy and refuses to change it in place', async () => {
		const old = join(folder, 'old.jsonl');
		const lines = (await bytes())
			.trim()
			.split('\n')
			.map((line) => {
				const { id, parentId, version, ...rest } = JSON.parse(line) as Record<string, unknown>;
				return JSON.stringify(version ? { ...rest, id } : rest);
			});
		await writeFile(old, lines.join('\n'));
		const words = ['compact', old, '--keep-recent', '500', '--json'];
		assert.equal((await runCli(...words, '--in-place')).code, 1);
		const out = join(folder, 'new.jsonl');
		assert.equal((await runCli(...words, '--out', out)).code, 0);
		assert.equal(await readFile(old, 'utf8'), lines.join('\n'));
		assert.equal((await runCli('inspect', out, '--json')).json().version, 3);
	});

	it('summarizes through a model server, and a named one never falls back', async () => {
		const server = await startScriptedServer();
		try {
			server.enqueue(steps.text('## Goal\nBy the model.'), steps.status(401, 'no'));
			const words = ['compact', file, '--keep-recent', '500', '--summarizer', 'openai'];
			words.push('--model', 'scripted', '--base-url', server.baseUrl, '--json');
			const before = await bytes();
			const done = await runCliWith({ OPENAI_API_KEY: 'k' }, ...words, '--out', `${file}.out`);
			assert.equal(done.json().summarizer, 'openai-compatible/scripted', done.stderr);
			const failed = await runCliWith({ OPENAI_API_KEY: 'k' }, ...words, '--in-place');
			assert.equal(failed.code, 1);
			assert.match(failed.stderr, /unchanged/);
			assert.equal(await bytes(), before);
		} finally {
			await server.close();
		}
	});

	it('plans with the summarizer that would be asked first', async () => {
		const words = ['compact', file, '--keep-recent', '500', '--dry-run', '--json'];
		const planned = async (...more: string[]) =>
			(await runCli(...words, ...more)).json().summarizer;
		const remote = ['--remote-endpoint', 'http://127.0.0.1:9/sum?key=secret'];
		const cheap = ['--summarizer', 'openai', '--model', 'm', '--compaction-model', 'cheap'];
		assert.equal(await planned(), 'offline');
		assert.equal(await planned(...remote), 'remote/127.0.0.1:9');
		assert.equal(await planned(...cheap), 'openai-compatible/cheap');
		assert.equal(await planned(...cheap, ...remote), 'remote/127.0.0.1:9');
	});

	it('tells bad usage from failure', async () => {
		const badUsage = [
			[],
			['prune', file],
			['inspect'],
			['inspect', file, '--leaf', 'a1'],
			['compact', file],
			['compact', file, '--out', 'x', '--in-place'],
			['compact', file, '--dry-run', '--keep-recent', 'many'],
			['navigate', file],
			['navigate', file, 'a1', '--summarize'],
			['context', file, '--nonsense'],
			['constructor', file],
			['__proto__', file],
			['compact', file, '--out', ''],
			['compact', file, '--dry-run', '--summarizer', 'openai'],
			['compact', file, '--dry-run', '--compaction-model', 'cheap'],
			['compact', file, '--dry-run', '--remote-endpoint', 'nowhere'],
			['compact', file, '--dry-run', '--remote-endpoint', ''],
			[
				...['compact', file, '--dry-run', '--summarizer', 'offline'],
				...['--remote-endpoint', 'http://127.0.0.1:9/'],
			],
			['tree', file, '--remote-endpoint', 'http://127.0.0.1:9/'],
		];
		for (const words of badUsage) assert.equal((await runCli(...words)).code, 2, words.join(' '));
		assert.equal((await runCli('inspect', join(folder, 'gone.jsonl'))).code, 1);
		await writeFile(file, 'not a session\n');
		assert.equal((await runCli('inspect', file, '--json')).code, 1);
		assert.equal(await bytes(), 'not a session\n');
	});

	it('tells of damage that shows only when an entry is looked at', async () => {
		const lines = (await bytes()).trimEnd().split('\n');
		const cut = JSON.parse(lines[2] ?? '') as { id: string; parentId: string };
		const head = `{"type":"message","id":"${cut.id}","parentId":"${cut.parentId}","timestamp":"","message":{"role":"assistant",}}`;
		await writeFile(file, [...lines.slice(0, 2), head, ...lines.slice(3)].join('\n'));
		for (const command of ['context', 'inspect']) {
			const { code, stderr } = await runCli(command, file);
			assert.equal(code, 0);
			assert.match(stderr, /Entry a1 is damaged/);
		}
	});

	it('ends early where it is interrupted, and leaves nothing behind', async () => {
		const server = await startScriptedServer();
		try {
			server.enqueue(steps.hang());
			const before = await bytes();
			const words = ['compact', file, '--keep-recent', '500', '--summarizer', 'openai'];
			words.push('--model', 'scripted', '--base-url', server.baseUrl, '--out', `${file}.out`);
			const child = spawn(process.execPath, ['dist/cli.js', ...words], {
				env: { ...process.env, OPENAI_API_KEY: 'k' },
			});
			const ended = once(child, 'exit');
			await server.waitForRequest(1);
			child.kill('SIGINT');
			const [code] = (await ended) as [number];
			assert.equal(code, 1);
			assert.equal(await bytes(), before);
			assert.deepEqual(await readdir(folder), ['session.jsonl']);
		} finally {
			await server.close();
		}
	});

	it('prints no text of a session that could steer the terminal', async () => {
		const session = new SessionBuilder();
		session.user('\u001b[31mred\u0007 \u202egnp.exe');
		await writeFile(file, session.lines().join('\n'));
		for (const command of ['tree', 'context']) {
			const { stdout } = await runCli(command, file);
			assert.match(stdout, /red/);

			assert.doesNotMatch(stdout, /[\u0007\u001b\u202e]/);
		}
	});

	it('draws a fork at every step, however deep', async () => {
		const session = new SessionBuilder();
		for (let depth = 0; depth < 3000; depth++) {
			session.user(`side ${depth}`);
			const [fork] = session.entries.slice(-1);
			session.leaf = fork?.parentId ?? null;
			session.user(`main ${depth}`);
		}
		await writeFile(file, session.lines().join('\n'));
		const { code, stdout } = await runCli('tree', file);
		assert.equal(code, 0);
		assert(stdout.length < 6000 * 200);
	});

	it('is quiet where its reader has hung up', async () => {
		const session = new SessionBuilder();
		for (let turn = 0; turn < 3000; turn++) session.user(`turn ${turn} ${textOfTokens(50)}`);
		await writeFile(file, session.lines().join('\n'));
		const { stdout } = await runShell(
			`"${process.execPath}" dist/cli.js context "${file}" | head -1`,
		);
		assert.match(stdout, /\[user\]/);
	});
});

function runShell(line: string): Promise<{ stdout: string }> {
	return new Promise((resolve, reject) => {
		execFile('/bin/sh', ['-c', line], (error, stdout, stderr) => {
			if (error || stderr) reject(error ?? new Error(stderr));
			else resolve({ stdout });
		});
	});
}
