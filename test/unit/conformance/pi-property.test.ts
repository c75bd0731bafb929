/** The contexts of arbitrary trees, ours against those of pi itself. */
import { strict as assert } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import type * as peers from '../../../scripts/peers.mjs';
import { FileSessionStorage } from '../../../src/node/file-session-storage.ts';
import { buildSessionContext, type SessionContext } from '../../../src/session/context.ts';
import type { SessionEntry } from '../../../src/session/entries.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { treeEntries } from '../../support/arbitrary-tree.ts';
import { everyKind, fileLines } from '../../support/every-kind.ts';

interface PiSession {
	getEntries(): SessionEntry[];
	branch(id: string): void;
	buildSessionContext(): SessionContext;
}

interface Pi {
	SessionManager: { open(path: string): PiSession };
	buildSessionContext(entries: readonly SessionEntry[], leafId?: string | null): SessionContext;
}

/** As in a file: what is undefined is not there. */
function plain(context: SessionContext): unknown {
	return JSON.parse(JSON.stringify(context));
}

describe('contexts as pi builds them', function () {
	this.timeout(180_000);
	let pi: Pi;
	let folder: string;
	let path: string;

	before(async () => {
		// A script finds its files from where it lies, so it is not bundled.
		const script = pathToFileURL(resolve('scripts', 'peers.mjs')).href;
		const { ensurePeer } = (await import(script)) as typeof peers;
		pi = (await import(await ensurePeer('pi'))) as Pi;
		folder = await mkdtemp(join(tmpdir(), 'espalier-pi-'));
		path = join(folder, 'tree.jsonl');
	});
	after(() => rm(folder, { recursive: true, force: true }));

	/** Compares the contexts of the last entry and of other leaves, each found in several ways. */
	async function assertSameContexts(entries: readonly SessionEntry[], leaves: readonly number[]) {
		await writeFile(path, `${fileLines(entries).join('\n')}\n`);
		const theirs = pi.SessionManager.open(path);
		const ours = await SessionManager.open(new FileSessionStorage(path));
		assert.deepEqual([...ours.tree.entries()], theirs.getEntries());
		assert.deepEqual(plain(ours.context()), plain(theirs.buildSessionContext()));
		for (const leaf of leaves) {
			const id = entries[leaf % entries.length]?.id ?? '';
			theirs.branch(id);
			const expected = plain(theirs.buildSessionContext());
			assert.deepEqual(plain(ours.context(id)), expected, `leaf ${id}`);
			assert.deepEqual(plain(buildSessionContext(entries, id)), expected, `leaf ${id}`);
			assert.deepEqual(plain(pi.buildSessionContext(entries, id)), expected);
		}
		for (const leaf of [null, undefined, 'nowhere'])
			assert.deepEqual(
				plain(buildSessionContext(entries, leaf)),
				plain(pi.buildSessionContext(entries, leaf)),
			);
	}

	it('agrees on messages, thinking level and model of any leaf of any tree (C10)', async () => {
		const leaves = fc.array(fc.nat(), { minLength: 4, maxLength: 4 });
		await fc.assert(fc.asyncProperty(treeEntries, leaves, assertSameContexts), { numRuns: 1_000 });
	});

	it('leaves out the summary of a compaction that a context edit omits (C10)', async () => {
		const base = { parentId: null, timestamp: '2026-01-01T00:00:00.000Z' };
		const fields = { summary: 's', firstKeptEntryId: 'c', tokensBefore: 1 };
		const edit = { type: 'context_edit', id: 'e', targetId: 'c', replacement: null };
		const entries = [
			{ type: 'compaction', id: 'c', ...base, ...fields },
			{ ...base, ...edit, parentId: 'c' },
		] as SessionEntry[];
		await assertSameContexts(entries, [0, 1]);
	});

	it('shows pi the whole history of a torn file that was gone on with (C11)', async () => {
		const entries = everyKind().slice(0, 4);
		const last = everyKind()[3];
		const torn = JSON.stringify(last).slice(0, JSON.stringify(last).indexOf('}') + 1);
		const lines = [...fileLines(entries.slice(0, 3)), torn];
		await writeFile(path, lines.join('\n'));
		const ours = await SessionManager.open(new FileSessionStorage(path));
		await ours.appendMessage({ role: 'user', content: 'go on', timestamp: 1 });
		const { messages } = pi.SessionManager.open(path).buildSessionContext();
		assert.deepEqual(
			messages.map(({ role }) => role),
			['user', 'user'],
		);
	});
});
