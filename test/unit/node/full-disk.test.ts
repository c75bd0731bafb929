import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FileSessionStorage } from '../../../src/node/file-session-storage.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';

describe('a disk without room', function () {
	this.timeout(30_000);

	it('takes nothing back but what was not acknowledged, and lets one try again (C11)', async function () {
		// A limit on the size of files fails in the midst of a write, as a full disk does.
		if (process.platform === 'win32') this.skip();
		const folder = await mkdtemp(join(tmpdir(), 'espalier-full-'));
		try {
			const file = join(folder, 'session.jsonl');
			const command = `trap '' XFSZ; ulimit -f 100; exec "$0" "$@"`;
			const child = join('test', 'support', 'limited-child.mjs');
			const words = ['-c', command, process.execPath, child, file];
			const { stdout } = await promisify(execFile)('/bin/sh', words);
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
