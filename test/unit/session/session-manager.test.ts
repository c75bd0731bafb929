import { strict as assert } from 'node:assert';
import { createBranchedSession } from '../../../src/session/fork.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { MemorySessionStorage } from '../../../src/session/session-storage.ts';
import { UserError } from '../../../src/util/errors.ts';
import { SessionBuilder } from '../../support/session-builder.ts';

const unknownEntry = (error: unknown) =>
	error instanceof UserError && error.reason === 'no-such-entry';

/** u1 - a1 - u2 - a2, and a1 - u3. */
function forked(): SessionBuilder {
	const session = new SessionBuilder();
	session.user('one', 'u1');
	session.assistant('two', 'a1');
	session.user('three', 'u2');
	session.assistant('four', 'a2');
	session.leaf = 'a1';
	session.user('five', 'u3');
	return session;
}

describe('session manager', () => {
	let storage: MemorySessionStorage;
	let manager: SessionManager;

	beforeEach(async () => {
		storage = new MemorySessionStorage(forked().lines(), '/sessions/source.jsonl');
		manager = await SessionManager.open(storage);
	});
	const ids = (of: SessionManager) => of.getBranch().map(({ id }) => id);

	it('branches from any entry, and from before the first', async () => {
		manager.branch('u2');
		const entry = await manager.appendMessage({ role: 'user', content: 'x', timestamp: 0 });
		assert.equal(entry.parentId, 'u2');
		manager.branch(null);
		assert.deepEqual(manager.getBranch(), []);
		const root = await manager.appendMessage({ role: 'user', content: 'y', timestamp: 0 });
		assert.equal(root.parentId, null);
		assert.throws(() => manager.branch('nowhere'), unknownEntry);
		assert.equal(manager.leafId, root.id);
	});

	it('refuses to write into a file of an older version', async () => {
		const lines = [
			'{"type":"session","id":"old","timestamp":"","cwd":"/w"}',
			'{"type":"message","message":{"role":"user","content":"one"}}',
		];
		const old = await SessionManager.open(new MemorySessionStorage(lines));
		await assert.rejects(old.appendName('x'), /version 1/);
	});

	it('sets and clears labels, which both tools read', async () => {
		await manager.appendLabel('u2', 'good');
		await manager.appendLabel('a2', 'best');
		assert.deepEqual([...manager.labels()].sort(), [
			['a2', 'best'],
			['u2', 'good'],
		]);
		await manager.appendLabel('u2', '');
		assert.deepEqual([...manager.labels()], [['a2', 'best']]);
		await assert.rejects(manager.appendLabel('nowhere', 'x'), unknownEntry);
		const again = await SessionManager.open(storage);
		assert.deepEqual([...again.labels()], [['a2', 'best']]);
	});

	it('names the session, and takes the name back', async () => {
		await manager.appendName('first');
		await manager.appendName('second');
		assert.equal((await SessionManager.open(storage)).name, 'second');
		await manager.appendName('');
		assert.equal(manager.name, '');
	});

	it('gives the whole tree as nodes, however long its chains', async () => {
		await manager.appendLabel('a2', 'best');
		const [root, ...others] = manager.getTree();
		assert.equal(others.length, 0);
		const fork = root?.children[0];
		assert.deepEqual(
			fork?.children.map(({ entry }) => entry.id),
			['u2', 'u3'],
		);
		assert.equal(fork?.children[0]?.children[0]?.label, 'best');
		const long = new SessionBuilder();
		for (let i = 0; i < 50_000; i++) long.add({ type: 'custom', customType: 'c' });
		const opened = await SessionManager.open(new MemorySessionStorage(long.lines()));
		assert.equal(opened.getTree().length, 1);
	});

	describe('fork', () => {
		it('carries the path alone, with its ids and times, and leaves the source as it was (C10)', async () => {
			await manager.appendLabel('a1', 'kept');
			const before = [...storage.lines];
			const target = new MemorySessionStorage();
			const fork = await createBranchedSession(manager, 'u2', target);
			assert.deepEqual(ids(fork).slice(0, 3), ['u1', 'a1', 'u2']);
			assert.deepEqual(fork.getBranch().slice(0, 3), manager.getBranch('u2'));
			assert.deepEqual([...fork.labels()], [['a1', 'kept']]);
			assert.equal(fork.header.parentSession, '/sessions/source.jsonl');
			assert.notEqual(fork.id, manager.id);
			assert.deepEqual(storage.lines, before);
			assert.deepEqual(fork.context().messages, manager.context('u2').messages);
		});

		it('keeps lines that others wrote byte for byte', async () => {
			const lines = [
				'{"type":"session","version":3,"id":"s","timestamp":"","cwd":"/w"}',
				'{"type":"hologram","id":"h","parentId":null,"timestamp":"","n":1.0,"big":12345678901234567890}',
				'{ "id":"i", "parentId":"h", "type":"hologram", "u":"\\u00e9" }',
			];
			const source = await SessionManager.open(new MemorySessionStorage(lines));
			const target = new MemorySessionStorage();
			await createBranchedSession(source, 'i', target);
			assert.deepEqual(target.lines.slice(1), lines.slice(1));
		});

		it('makes no session for an entry that is not there (C10)', async () => {
			const target = new MemorySessionStorage();
			await assert.rejects(createBranchedSession(manager, 'nowhere', target), unknownEntry);
			assert.deepEqual(target.lines, []);
		});

		it('keeps what a compaction keeps where that begins with a label or a gap (C02, C10)', async () => {
			for (const first of ['label', 'gap']) {
				const session = new SessionBuilder();
				session.user('one', 'u1');
				session.assistant('two', 'a1');
				if (first === 'label') session.add({ type: 'label', id: 'x', targetId: 'u1', label: 'l' });
				else session.add({ type: 'compaction', id: 'x' });
				session.user('three', 'u2');
				session.compaction('summary', 'x', { id: 'c' });
				session.user('four', 'u3');
				const source = await SessionManager.open(new MemorySessionStorage(session.lines()));
				const fork = await createBranchedSession(source, 'u3', new MemorySessionStorage());
				assert.equal(fork.context().messages.length, 3, first);
				assert.deepEqual(fork.context().messages, source.context().messages, first);
			}
		});

		it('keeps compactions and what they keep (C10)', async () => {
			manager.branch('a2');
			await manager.appendCompaction({
				summary: 'summary',
				firstKeptEntryId: 'u2',
				tokensBefore: 9,
				fromExtension: false,
			});
			const fork = await createBranchedSession(
				manager,
				manager.leafId ?? '',
				new MemorySessionStorage(),
			);
			assert.deepEqual(fork.context(), manager.context());
			assert.equal(fork.context().messages.length, 3);
		});
	});
});
