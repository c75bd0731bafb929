/** Processes are killed while they write: what they said was stored is there, and nothing is broken. */
import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { FileSessionStorage } from '../../../src/node/file-session-storage.ts';
import { originalsPath } from '../../../src/node/originals-file.ts';
import { contentText } from '../../../src/session/navigation.ts';
import { unpruneSession } from '../../../src/session/prune-session.ts';
import type { RestoredOutputs } from '../../../src/session/pruned-outputs.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { UserError } from '../../../src/util/errors.ts';
import { SessionBuilder } from '../../support/session-builder.ts';

const CHILD = join('test', 'support', 'killed-child.mjs');
/** Killed so many times, appending, pruning and migrating together: spec of the store. */
const APPEND_KILLS = 250;
const PRUNE_KILLS = 150;
const MIGRATE_KILLS = 100;
const KILLS_ON_A_FILE = 5;
const AT_ONCE = 3;

describe('killed processes', function () {
	this.timeout(600_000);
	let folder: string;

	before(async () => {
		folder = await mkdtemp(join(tmpdir(), 'espalier-kill-'));
	});
	after(() => rm(folder, { recursive: true, force: true }));

	/** Runs the child, kills it at a random moment of its work, and returns what it said was stored. */
	async function killedAtWork(file: string, act: string, kill: number): Promise<string[]> {
		const child = spawn(process.execPath, [CHILD, file, act]);
		const lines = createInterface(child.stdout);
		const ended = Promise.all([once(child, 'exit'), once(lines, 'close')]);
		const said: string[] = [];
		const errors: string[] = [];
		child.stderr.on('data', (data) => errors.push(String(data)));
		lines.on('line', (line) => {
			said.push(line);
			// After the first line, or up to nine later, and a part of a write's time more.
			if (said.length === 1 + (kill % 9))
				setTimeout(() => child.kill('SIGKILL'), (kill * 0.37) % (act === 'prune' ? 15 : 3));
		});
		const [[, signal]] = (await ended) as [[number | null, string | null], unknown];
		assert.equal(signal, 'SIGKILL', errors.join(''));
		return said.slice(1);
	}

	async function inParallel(kills: number, each: (kill: number, worker: number) => Promise<void>) {
		let next = 0;
		await Promise.all(
			Array.from({ length: AT_ONCE }, async (_, worker) => {
				while (next < kills) await each(next++, worker);
			}),
		);
	}

	it('hold every entry that was stored, and break no line but their last (C11, C13)', async () => {
		const session = new SessionBuilder();
		session.user('begin', 'u0');
		const text = `${session.lines().join('\n')}\n`;
		const files = Array.from({ length: AT_ONCE }, (_, worker) => ({
			path: join(folder, `${worker}.jsonl`),
			kills: KILLS_ON_A_FILE,
			stored: [] as string[],
		}));
		await inParallel(APPEND_KILLS, async (kill, worker) => {
			const file = files[worker];
			assert(file);
			// What one kill tore must not harm the next writer; a fresh file now and then keeps it small.
			if (file.kills === KILLS_ON_A_FILE) {
				await writeFile(file.path, text);
				Object.assign(file, { kills: 0, stored: ['u0'] });
			}
			file.stored.push(...(await killedAtWork(file.path, 'append', kill)));
			file.kills++;
			const manager = await SessionManager.open(new FileSessionStorage(file.path));
			for (const id of file.stored) assert(manager.tree.has(id), `${id} is lost`);
			for (const entry of manager.tree.entries()) assert.equal(entry.type, 'message');
			for (const { kind } of manager.warnings) assert.equal(kind, 'bad-line');
			assert(manager.warnings.length <= file.kills);
			assert.equal(manager.getBranch().length, manager.tree.size);
		});
	});

	it('lose no output that they were pruning or bringing back', async () => {
		const session = new SessionBuilder();
		session.user('begin', 'u0');
		const text = `${session.lines().join('\n')}\n`;
		const files = Array.from({ length: AT_ONCE }, (_, worker) => ({
			path: join(folder, `pruned-${worker}.jsonl`),
			kills: KILLS_ON_A_FILE,
			stored: [] as string[],
		}));
		const found = { pruned: 0, full: 0 };
		await inParallel(PRUNE_KILLS, async (kill, worker) => {
			const file = files[worker];
			assert(file);
			if (file.kills === KILLS_ON_A_FILE) {
				await writeFile(file.path, text);
				await rm(originalsPath(file.path), { force: true });
				Object.assign(file, { kills: 0, stored: [] });
			}
			file.stored.push(...(await killedAtWork(file.path, 'prune', kill)));
			file.kills++;
			const manager = await SessionManager.open(new FileSessionStorage(file.path, { own: true }));
			for (const id of file.stored) assert(manager.tree.has(id), `${id} is lost`);
			for (const { kind } of manager.warnings) assert.equal(kind, 'bad-line');
			assert(manager.warnings.length <= file.kills);
			for (const entry of manager.tree.entries()) {
				assert(entry.type === 'message');
				if (entry.message.role !== 'toolResult') continue;
				const isPruned = manager.isPruned(entry.id);
				const output = isPruned ? manager.originalOf(entry.id) : entry.message;
				assert(output, `the output of ${entry.id} is lost`);
				found[isPruned ? 'pruned' : 'full']++;
				const [call, length, content] = contentText(output.content).split(':');
				assert.deepEqual([call, content?.length], [output.toolCallId, Number(length)]);
			}
			if (file.kills < KILLS_ON_A_FILE) return;
			assert.deepEqual((await unprunedOnceUnlocked(manager)).missing, []);
			assert.equal((await readFile(file.path, 'utf8')).includes('prunedAt'), false);
		});
		assert(found.pruned > 0 && found.full > 0);
	});

	/** A claim that was killed in the making counts for two seconds. */
	async function unprunedOnceUnlocked(manager: SessionManager): Promise<RestoredOutputs> {
		for (;;) {
			try {
				return await unpruneSession(manager);
			} catch (error) {
				if (!(error instanceof UserError && error.reason === 'locked')) throw error;
				await new Promise((resolve) => setTimeout(resolve, 100));
			}
		}
	}

	it('leave a migrated copy whole or not there, and the original untouched', async () => {
		const old = join(folder, 'old.jsonl');
		const lines = [
			'{"type":"session","id":"old","timestamp":"","cwd":"/w"}',
			...Array.from({ length: 300 }, (_, turn) =>
				JSON.stringify({ type: 'message', message: { role: 'user', content: `turn ${turn}` } }),
			),
		];
		await writeFile(old, lines.join('\n'));
		await inParallel(MIGRATE_KILLS, async (kill) => {
			for (const copy of await killedAtWork(old, 'migrate', kill))
				assert.equal((await SessionManager.open(new FileSessionStorage(copy))).tree.size, 300);
		});
		for (const name of await readdir(folder)) {
			if (!name.endsWith('.v3.jsonl')) continue;
			const copy = await SessionManager.open(new FileSessionStorage(join(folder, name)));
			assert.equal(copy.tree.size, 300, name);
			assert.deepEqual(copy.warnings, []);
		}
		assert.equal(await readFile(old, 'utf8'), lines.join('\n'));
	});
});
