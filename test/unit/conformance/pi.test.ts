/** Our files and contexts against pi itself, the public package, as the oracle. */
import { strict as assert } from 'node:assert';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as peers from '../../../scripts/peers.mjs';
import { FileSessionStorage } from '../../../src/node/file-session-storage.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { runCli } from '../../support/cli.ts';
import { SessionBuilder, textOfTokens } from '../../support/session-builder.ts';

interface Pi {
	SessionManager: {
		open(path: string): {
			buildSessionContext(): { messages: unknown[] };
			getLeafId(): string;
			appendCompaction(summary: string, firstKeptEntryId: string, tokensBefore: number): string;
		};
	};
}

const FIXTURE = join(process.cwd(), '..', 'shared', 'fixtures', 'large-session.jsonl');

describe('conformance with pi', function () {
	this.timeout(180_000);
	let pi: Pi;
	let folder: string;

	before(async () => {
		// A script finds its files from where it lies, so it is not bundled.
		const script = pathToFileURL(resolve('scripts', 'peers.mjs')).href;
		const { ensurePeer } = (await import(script)) as typeof peers;
		pi = (await import(await ensurePeer('pi'))) as Pi;
		folder = await mkdtemp(join(tmpdir(), 'espalier-pi-'));
	});
	after(() => rm(folder, { recursive: true, force: true }));

	/** Opens a copy with pi, which may migrate what it opens, and the file with us. */
	async function assertSameContext(path: string): Promise<number> {
		const copy = `${path}.pi.jsonl`;
		await copyFile(path, copy);
		const theirs = pi.SessionManager.open(copy).buildSessionContext().messages;
		const ours = (await SessionManager.open(new FileSessionStorage(path))).context().messages;
		assert.deepEqual(JSON.parse(JSON.stringify(ours)), JSON.parse(JSON.stringify(theirs)));
		return ours.length;
	}

	it('opens what we compact, migrate and branch, with the same context', async () => {
		const path = join(folder, 'own.jsonl');
		const session = new SessionBuilder();
		for (let turn = 1; turn <= 6; turn++) {
			session.user(`Task ${turn}. ${textOfTokens(150)}`, `u${turn}`);
			session.assistant(`Done ${turn}. ${textOfTokens(150)}`, `a${turn}`);
		}
		await writeFile(path, `${session.lines().join('\n')}\n`);
		const keep = ['--keep-recent', '700', '--in-place'];
		assert.equal((await runCli('compact', path, ...keep)).code, 0);
		await assertSameContext(path);
		assert.equal((await runCli('navigate', path, 'a2', '--summarize', '--in-place')).code, 0);
		await assertSameContext(path);
	});

	it('agrees on edits, resets of the leaf, several roots and every kind of entry', async () => {
		const path = join(folder, 'kinds.jsonl');
		const session = new SessionBuilder();
		session.user('another root');
		session.leaf = null;
		const edited = session.user('original');
		session.add({ type: 'custom_message', customType: 't', content: 'c', display: false });
		session.add({ type: 'branch_summary', fromId: edited, summary: 'left' });
		session.add({ type: 'thinking_level_change', thinkingLevel: 'high' });
		session.add({ type: 'context_edit', targetId: edited, replacement: { content: 'edited' } });
		session.add({
			type: 'message',
			message: { role: 'bashExecution', command: 'ls', output: 'a', exitCode: 0, timestamp: 1 },
		});
		session.compaction('summary', 'nowhere');
		session.add({ type: 'label', targetId: edited, label: 'l' });
		session.user('last');
		await writeFile(path, `${session.lines().join('\n')}\n`);
		assert.equal(await assertSameContext(path), 2);
	});

	it("restates pi's system messages in a compaction as pi does", async () => {
		const path = join(folder, 'system.jsonl');
		const session = new SessionBuilder();
		const system = (fields: object) =>
			session.add({ type: 'message', message: { role: 'system', timestamp: 1, ...fields } });
		const tool = (name: string) => ({ name, description: name, parameters: {} });
		system({ content: 'base', sections: { a: 'A', b: 'B' }, toolsAdded: [tool('x'), tool('y')] });
		for (let turn = 1; turn <= 6; turn++) {
			session.user(`Task ${turn}. ${textOfTokens(150)}`, `u${turn}`);
			session.assistant(`Done ${turn}. ${textOfTokens(150)}`, `a${turn}`);
		}
		system({ content: 'more', sections: { a: null }, toolsRemoved: [tool('x')] });
		await writeFile(path, `${session.lines().join('\n')}\n`);
		const theirs = `${path}.theirs.jsonl`;
		await copyFile(path, theirs);
		pi.SessionManager.open(theirs).appendCompaction('summary', 'u6', 1000);
		const manager = await SessionManager.open(new FileSessionStorage(path));
		await manager.appendCompaction({
			summary: 'summary',
			firstKeptEntryId: 'u6',
			tokensBefore: 1000,
			fromExtension: false,
		});
		const restated = async (file: string) => {
			const last = (await SessionManager.open(new FileSessionStorage(file))).getBranch().at(-1);
			assert(last?.type === 'compaction');
			return { ...last.systemMessage, timestamp: 0 };
		};
		assert.deepEqual(await restated(path), await restated(theirs));
		await assertSameContext(path);
	});

	it('opens the compacted copy of a real version 1 session', async function () {
		// A public file that lies beside the project on some machines.
		if (!existsSync(FIXTURE)) this.skip();
		const out = join(folder, 'large.jsonl');
		const { code, json, stderr } = await runCli('compact', FIXTURE, '--out', out, '--json');
		assert.equal(code, 0, stderr);
		const { tokensBefore, tokensAfter } = json() as { tokensBefore: number; tokensAfter: number };
		assert(tokensAfter < tokensBefore / 3, `${tokensBefore} → ${tokensAfter}`);
		await assertSameContext(out);
	});
});
