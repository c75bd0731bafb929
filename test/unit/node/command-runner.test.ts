import { strict as assert } from 'node:assert';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { environment, ProcessCommandRunner } from '../../../src/node/command-runner.ts';
import { fileAppears, processEnds } from '../../support/waiting.ts';

describe('commands as processes', () => {
	let folder: string;
	let runner: ProcessCommandRunner;
	let told: string;

	beforeEach(async () => {
		folder = await mkdtemp(path.join(tmpdir(), 'espalier-commands-'));
		runner = new ProcessCommandRunner(path.join(folder, 'outputs'));
		told = '';
	});
	afterEach(() => rm(folder, { recursive: true, force: true }));

	const run = (command: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
		runner.run(command, {
			folder,
			signal: new AbortController().signal,
			onOutput: (text) => (told += text),
			...options,
		});

	it('tell what they print, in both streams, and how they end', async () => {
		const result = await run('echo out; echo err >&2; pwd; exit 3');
		assert.equal(result.exitCode, 3);
		assert.equal(result.ended, 'exited');
		assert.deepEqual(result.output.split('\n').sort(), ['', 'err', folder, 'out'].sort());
		assert.equal(told.length, result.output.length);
		assert.equal(result.truncated, false);
	});

	it('read no input, show no colours, and do not tear letters', async () => {
		const result = await run("cat; printf '\\033[31mred\\033[0m 😀\\n'");
		assert.equal(result.output, 'red 😀\n');
	});

	it('of a long output keep beginning and end, and all of it in a file', async () => {
		const result = await run('seq 1 200000; echo last');
		assert(result.truncated && result.fullOutputPath);
		assert(result.output.length < 51_000);
		assert.match(result.output, /^1\n2\n3\n/);
		assert.match(result.output, /\n\[… \d+ characters cut …\]\n/);
		assert.match(result.output, /\n200000\nlast\n$/);
		const whole = await readFile(result.fullOutputPath, 'utf8');
		const numbers = Array.from({ length: 200_000 }, (_, at) => at + 1).join('\n');
		assert.equal(whole, `${numbers}\nlast\n`);
	});

	it('end as a whole when stopped: what they started, in the background too, ends with them', async () => {
		const stop = new AbortController();
		const running = run(
			'(trap "" TERM; echo $BASHPID > deaf.pid; while :; do sleep 0.05; done) & (sleep 600 & echo $! > child.pid; wait; echo late > late.txt) & wait',
			{ signal: stop.signal },
		);
		const deaf = Number(await fileAppears(path.join(folder, 'deaf.pid')));
		const child = Number(await fileAppears(path.join(folder, 'child.pid')));
		stop.abort();
		const result = await running;
		assert.equal(result.ended, 'aborted');
		await processEnds(deaf);
		await processEnds(child);
		assert(!existsSync(path.join(folder, 'late.txt')));
	});

	it('end at their time limit with what they had printed', async () => {
		const result = await run('echo begun; sleep 600', { timeoutMs: 300 });
		assert.equal(result.ended, 'timeout');
		assert.equal(result.output, 'begun\n');
	});

	it('do not wait for what they left in the background, and end it', async () => {
		const result = await run('sleep 600 & echo $!');
		assert.equal(result.exitCode, 0);
		await processEnds(Number(result.output));
	});

	it('are not started at all once stopped, and say where they cannot be', async () => {
		const result = await run('echo x > made.txt', { signal: AbortSignal.abort() });
		assert.equal(result.ended, 'aborted');
		assert(!existsSync(path.join(folder, 'made.txt')));
		await rm(folder, { recursive: true });
		await assert.rejects(run('true'), /could not be started/);
	});

	it('get an environment without what is ours', () => {
		const given = { PATH: '/bin', HOME: '/h', VSCODE_GIT_IPC_AUTH_TOKEN: 't', OPENAI_API_KEY: 'k' };
		const kept = environment({ ...given, ELECTRON_RUN_AS_NODE: '1', ESPALIER_X: 'y' });
		assert.equal(kept.HOME, '/h');
		for (const name of [
			'VSCODE_GIT_IPC_AUTH_TOKEN',
			'OPENAI_API_KEY',
			'ELECTRON_RUN_AS_NODE',
			'ESPALIER_X',
		])
			assert(!(name in kept), name);
	});
});
