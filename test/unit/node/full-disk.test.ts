import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FileSessionStorage } from '../../../src/node/file-session-storage.ts';
import { pruneSession, unpruneSession } from '../../../src/session/prune-session.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { sessionWithOutputs } from '../../support/prunable-session.ts';
import type { SessionBuilder } from '../../support/session-builder.ts';

describe('a disk without room', function () {
	this.timeout(30_000);

	/** Runs the child under a limit on the size of files: it fails in the midst of a write, as a full disk does. */
	async function underLimit(file: string, ...act: string[]): Promise<string> {
		const command = `trap '' XFSZ; ulimit -f 100; exec "$0" "$@"`;
		const child = join('test', 'support', 'limited-child.mjs');
		const words = ['-c', command, process.execPath, child, file, ...act];
		return (await promisify(execFile)('/bin/sh', words)).stdout;
	}

	for (const [what, session] of [
		['the originals', sessionWithOutputs(3, 20_000)],
		['the file', withLongPrompt(sessionWithOutputs(1, 1_000))],
	] as const)
		it(`leaves a session as it was where there is none for ${what} (C11)`, async function () {
			if (process.platform === 'win32') this.skip();
			const folder = await mkdtemp(join(tmpdir(), 'espalier-full-'));
			try {
				const file = join(folder, 'session.jsonl');
				const text = `${session.lines().join('\n')}\n`;
				await writeFile(file, text);
				assert.equal(await underLimit(file, 'prune'), 'not-written false\n');
				assert.equal(await readFile(file, 'utf8'), text);
				const isLeft = (name: string) => !/^session\.(jsonl|originals)$/.test(name);
				assert.deepEqual((await readdir(folder)).filter(isLeft), []);
				const manager = await SessionManager.open(new FileSessionStorage(file, { own: true }));
				const settings = { protectTokens: 0, minimumSavings: 1, protectedTools: [] };
				assert((await pruneSession(manager, settings)).outputs.length > 0);
				await unpruneSession(manager);
				assert.equal(await readFile(file, 'utf8'), text);
			} finally {
				await rm(folder, { recursive: true, force: true });
			}
		});

	it('takes nothing back but what was not acknowledged, and lets one try again (C11)', async function () {
		if (process.platform === 'win32') this.skip();
		const folder = await mkdtemp(join(tmpdir(), 'espalier-full-'));
		try {
			const file = join(folder, 'session.jsonl');
			const stdout = await underLimit(file);
			const [first, second, third, fourth] = stdout
				.trim()
				.split('\n')
				.map((line) => line.split(' '));
			assert.deepEqual(first, ['not-written', 'no', 'file', '0']);
			assert.deepEqual([second?.[0], second?.[2]], ['stored', '1']);
			assert.deepEqual(third, ['not-written', second?.[1], '1']);
			assert.deepEqual([fourth?.[0], fourth?.[2]], ['stored', '2']);
			const { tree, warnings } = await SessionManager.open(new FileSessionStorage(file));
			assert.equal(tree.size, 2);
			assert.deepEqual(warnings, []);
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	});
});

function withLongPrompt(session: SessionBuilder): SessionBuilder {
	session.user('x'.repeat(100_000), 'long');
	return session;
}
