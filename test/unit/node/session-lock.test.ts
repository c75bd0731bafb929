import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockSession, refuseLocked } from '../../../src/node/session-lock.ts';
import { UserError } from '../../../src/util/errors.ts';

const isLocked = (error: unknown) => error instanceof UserError && error.reason === 'locked';

describe('session lock', () => {
	let folder: string;
	let path: string;

	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), 'espalier-lock-'));
		path = join(folder, 'session.jsonl');
	});
	afterEach(() => rm(folder, { recursive: true, force: true }));
	const claim = () => `${path}.${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}.lock`;
	const holder = (fields: object) =>
		writeFile(claim(), JSON.stringify({ pid: process.pid, host: hostname(), ...fields }));
	const names = async () => (await readdir(folder)).filter((name) => name.endsWith('.lock'));
	/** A process id that was a process's until just now. */
	async function deadProcess(): Promise<number> {
		const child = spawn(process.execPath, ['-e', '']);
		await once(child, 'exit');
		return child.pid ?? 0;
	}

	it('keeps a second one out until it is released (C11)', async () => {
		const release = await lockSession(path);
		await assert.rejects(lockSession(path), isLocked);
		await assert.rejects(refuseLocked(path), isLocked);
		await release();
		assert.deepEqual(await names(), []);
		await (
			await lockSession(path)
		)();
	});

	it('never lets in two of many, and hardly ever none', async () => {
		const dead = await deadProcess();
		let entered = 0;
		for (let round = 0; round < 50; round++) {
			if (round % 2 === 0) await holder({ pid: dead });
			const tries = await Promise.allSettled(Array.from({ length: 8 }, () => lockSession(path)));
			const winners = tries.filter((result) => result.status === 'fulfilled');
			assert(winners.length <= 1, `${winners.length} in round ${round}`);
			entered += winners.length;
			await winners[0]?.value();
		}
		assert(entered > 40, `${entered} of 50 rounds`);
	});

	it('takes over at once from a process that is dead (C11)', async () => {
		await holder({ pid: await deadProcess() });
		await refuseLocked(path);
		await (
			await lockSession(path)
		)();
	});

	it('takes over from another machine only once its lock has expired', async () => {
		await holder({ host: 'elsewhere' });
		await assert.rejects(lockSession(path), isLocked);
		const old = new Date(Date.now() - 3_600_000);
		await utimes(claim(), old, old);
		await (
			await lockSession(path)
		)();
	});

	it('waits for a lock that is just being written, and not for one that never was', async () => {
		await writeFile(claim(), '');
		await assert.rejects(lockSession(path), isLocked);
		const old = new Date(Date.now() - 60_000);
		await utimes(claim(), old, old);
		await (
			await lockSession(path)
		)();
	});

	it('is for one session alone', async () => {
		const release = await lockSession(join(folder, 'other.jsonl'));
		await (
			await lockSession(path)
		)();
		await release();
	});

	it('does without where nothing can be made', async () => {
		await (
			await lockSession(join(folder, 'no', 'folder', 'session.jsonl'))
		)();
	});
});
