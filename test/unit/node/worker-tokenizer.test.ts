// The tokenizer in its real worker thread.
import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadO200k } from '../../../src/node/o200k-file.ts';
import {
	WorkerTokenizer,
	type WorkerTokenizerOptions,
} from '../../../src/node/worker-tokenizer.ts';
import { silentLogger } from '../../../src/util/logger.ts';
import { estimateTextTokens } from '../../../src/util/tokens.ts';

const file = path.resolve('dist/tokenizer-worker.js');

describe('WorkerTokenizer', () => {
	let warnings: string[];
	let folder: string;
	const open: WorkerTokenizer[] = [];

	beforeEach(() => {
		warnings = [];
		folder = mkdtempSync(path.join(tmpdir(), 'espalier-tokenizer-'));
	});

	afterEach(() => {
		for (const tokenizer of open.splice(0)) tokenizer.dispose();
		rmSync(folder, { recursive: true });
	});

	function tokenizerOf(options: WorkerTokenizerOptions = {}): WorkerTokenizer {
		const log = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
		const tokenizer = new WorkerTokenizer({ file, log, ...options });
		open.push(tokenizer);
		return tokenizer;
	}

	/** A worker that does what the given lines say. */
	function workerThat(...lines: string[]): string {
		const program = path.join(folder, 'worker.cjs');
		writeFileSync(
			program,
			[`const { parentPort } = require('node:worker_threads');`, ...lines].join('\n'),
		);
		return program;
	}

	it('counts as the encoding does, in order, and starts no earlier', async () => {
		const tokenizer = tokenizerOf();
		assert.equal(tokenizer.isRunning, false);
		const texts = [
			'',
			'hello world',
			'研究如何让机器理解',
			'<|endoftext|>',
			'x'.repeat(300_000),
			'end',
		];
		const counts = await tokenizer.count(texts);
		assert.equal(tokenizer.isRunning, true);
		assert.deepEqual(counts, texts.map(loadO200k(path.resolve('dist/o200k.js'))));
		assert.deepEqual(warnings, []);
	});

	it('lets a small text pass while a large amount is counted', async () => {
		const tokenizer = tokenizerOf();
		const done: string[] = [];
		const large = tokenizer
			.count(Array.from({ length: 20 }, () => 'word '.repeat(50_000)))
			.then(() => done.push('large'));
		const small = tokenizer.count(['small']).then(() => done.push('small'));
		await Promise.all([large, small]);
		assert.deepEqual(done, ['small', 'large']);
	});

	it('sends no more than a sample of a huge text', async () => {
		const program = workerThat(
			`parentPort.on('message', ({ id, texts }) =>`,
			`  parentPort.postMessage({ id, counts: texts.map((text) => text.length) }));`,
		);
		const lengths: number[] = [];
		const text = 'x'.repeat(5_000_000);
		lengths.push(...(await tokenizerOf({ file: program }).count([text])));
		// The worker's answer is its sample's length, scaled up.
		assert.deepEqual(lengths, [5_000_000]);
	});

	it('starts again after a crash', async () => {
		const program = workerThat(
			`const fs = require('node:fs');`,
			`parentPort.on('message', ({ id, texts }) => {`,
			`  if (!fs.existsSync(__filename + '.crashed')) {`,
			`    fs.writeFileSync(__filename + '.crashed', '');`,
			`    throw new Error('crashed on purpose');`,
			`  }`,
			`  parentPort.postMessage({ id, counts: texts.map(() => 7) });`,
			`});`,
		);
		assert.deepEqual(await tokenizerOf({ file: program }).count(['a', 'b']), [7, 7]);
		assert.equal(warnings.length, 1);
		assert.match(warnings[0] ?? '', /crashed on purpose/);
	});

	it('estimates where the worker always crashes, and says so once', async () => {
		const program = workerThat(`parentPort.on('message', () => process.exit(3));`);
		const tokenizer = tokenizerOf({ file: program });
		const texts = ['some text', 'and more of it'];
		assert.deepEqual(await tokenizer.count(texts), texts.map(estimateTextTokens));
		assert.deepEqual(await tokenizer.count(texts), texts.map(estimateTextTokens));
		assert.equal(warnings.length, 1);
		assert.equal(tokenizer.isRunning, false);
	});

	it('estimates where its program is missing', async () => {
		const tokenizer = tokenizerOf({ file: path.join(folder, 'missing.js') });
		assert.deepEqual(await tokenizer.count(['text']), [1]);
		assert.equal(warnings.length, 1);
	});

	it('ends its worker when there is nothing to do, and starts another for the next text', async () => {
		const tokenizer = tokenizerOf({ idleMs: 1 });
		const [before] = await tokenizer.count(['hello world']);
		await until(() => !tokenizer.isRunning);
		const [after] = await tokenizer.count(['hello world']);
		assert.deepEqual([before, after], [2, 2]);
		assert.deepEqual(warnings, []);
	});

	it('estimates what is being counted when it is disposed, and what comes then', async () => {
		const tokenizer = tokenizerOf({ file: workerThat(`parentPort.on('message', () => {});`) });
		const counting = tokenizer.count(['text']);
		tokenizer.dispose();
		assert.deepEqual(await counting, [1]);
		assert.deepEqual(await tokenizer.count(['more']), [1]);
		assert.deepEqual(warnings, []);
	});

	it('stops between batches when its signal fires', async () => {
		const controller = new AbortController();
		const counting = tokenizerOf().count(
			Array.from({ length: 4 }, () => 'word '.repeat(60_000)),
			controller.signal,
		);
		controller.abort();
		await assert.rejects(counting, { name: 'AbortError' });
	});
});

/** Resolves once something is so; mocha's timeout is the limit. */
async function until(test: () => boolean): Promise<void> {
	while (!test()) await new Promise((resolve) => setTimeout(resolve, 1));
}
