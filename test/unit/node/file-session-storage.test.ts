import { strict as assert } from 'node:assert';
import {
	appendFile,
	chmod,
	lstat,
	mkdtemp,
	readFile,
	rm,
	symlink,
	writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copySession } from '../../../src/node/copy-session.ts';
import { FileSessionStorage } from '../../../src/node/file-session-storage.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { UserError } from '../../../src/util/errors.ts';

const message = (content: string) => ({ role: 'user' as const, content, timestamp: 0 });

describe('session files', () => {
	let folder: string;
	let path: string;

	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), 'espalier-'));
		path = join(folder, 'deep', 'session.jsonl');
	});
	afterEach(() => rm(folder, { recursive: true, force: true }));

	it('writes the header with the first entry, and nothing before it (C13)', async () => {
		const manager = SessionManager.create(new FileSessionStorage(path), { cwd: '/w' });
		await assert.rejects(readFile(path));
		await manager.appendMessage(message('one'));
		await manager.appendMessage(message('two'));
		const lines = (await readFile(path, 'utf8')).split('\n');
		assert.equal(lines.length, 4);
		assert.match(lines[0] ?? '', /"type":"session","version":3/);
		const again = await SessionManager.open(new FileSessionStorage(path));
		assert.deepEqual(again.getBranch(), manager.getBranch());
	});

	it('never glues an append to a torn last line (C11)', async () => {
		const manager = SessionManager.create(new FileSessionStorage(path), { cwd: '/w' });
		await manager.appendMessage(message('one'));
		await appendFile(path, '{"type":"message","id":"to');
		const reopened = await SessionManager.open(new FileSessionStorage(path));
		await reopened.appendMessage(message('two'));
		const again = await SessionManager.open(new FileSessionStorage(path));
		assert.equal(again.getBranch().length, 2);
		assert.equal(again.warnings.length, 1);
	});

	it('reads lines longer than a chunk and characters across chunks', async () => {
		const manager = SessionManager.create(new FileSessionStorage(path), { cwd: '/w' });
		const text = 'häß€😀'.repeat(300_000);
		await manager.appendMessage(message(text));
		await manager.appendMessage(message('after'));
		const again = await SessionManager.open(new FileSessionStorage(path));
		const [first] = again.getBranch();
		assert(first?.type === 'message' && first.message.role === 'user');
		assert(first.message.content === text);
		assert.equal(again.getBranch().length, 2);
	});

	it('reports a failed write, leaves memory and file as they were, and can go on', async () => {
		const manager = SessionManager.create(new FileSessionStorage(path), { cwd: '/w' });
		await manager.appendMessage(message('one'));
		const blocked = SessionManager.create(new FileSessionStorage(join(path, 'inside-a-file')), {
			cwd: '/w',
		});
		await assert.rejects(
			blocked.appendMessage(message('lost?')),
			(error: unknown) => error instanceof UserError && error.reason === 'not-written',
		);
		assert.equal(blocked.leafId, null);
		assert.equal(blocked.tree.size, 0);
	});

	it('opens at the saved leaf, but at the end where another tool went on (C13)', async () => {
		const manager = SessionManager.create(new FileSessionStorage(path), { cwd: '/w' });
		const { id } = await manager.appendMessage(message('one'));
		await manager.appendMessage(message('two'));
		manager.branch(id);
		const saved = manager.savedLeaf;
		const back = await SessionManager.open(new FileSessionStorage(path), saved);
		assert.equal(back.leafId, id);
		await back.appendMessage(message('three'));
		const end = await SessionManager.open(new FileSessionStorage(path), saved);
		assert.equal(end.leafId, back.leafId);
	});

	it('copies byte for byte, damaged lines included, and never over another file', async () => {
		const manager = SessionManager.create(new FileSessionStorage(path), { cwd: '/w' });
		await manager.appendMessage(message('one'));
		await appendFile(path, 'junk\n');
		const source = await SessionManager.open(new FileSessionStorage(path));
		const target = join(folder, 'copy.jsonl');
		await copySession(source, target, (copy) => copy.appendMessage(message('two')));
		const original = await readFile(path, 'utf8');
		assert((await readFile(target, 'utf8')).startsWith(original));
		await assert.rejects(
			copySession(source, target, () => Promise.resolve()),
			(error: unknown) => error instanceof UserError && error.reason === 'exists',
		);
	});

	it('leaves neither copy nor draft behind where the change fails', async () => {
		const manager = SessionManager.create(new FileSessionStorage(path), { cwd: '/w' });
		await manager.appendMessage(message('one'));
		const target = join(folder, 'copy.jsonl');
		await assert.rejects(copySession(manager, target, () => Promise.reject(new Error('no'))));
		await writeFile(target, '');
		await chmod(target, 0o600);
		const { readdir } = await import('node:fs/promises');
		assert.deepEqual(await readdir(folder), ['copy.jsonl', 'deep']);
	});

	it('never makes a deleted file anew without its header, nor writes over one (C11)', async () => {
		const manager = SessionManager.create(new FileSessionStorage(path), { cwd: '/w' });
		await manager.appendMessage(message('one'));
		const twin = SessionManager.create(new FileSessionStorage(path), { cwd: '/w' });
		await assert.rejects(twin.appendMessage(message('two')), /EEXIST/);
		await rm(path);
		await assert.rejects(manager.appendMessage(message('three')), /ENOENT/);
		assert.equal(manager.getBranch().length, 1);
		await assert.rejects(readFile(path));
	});

	it('copies over nothing but an empty plain file', async () => {
		const manager = SessionManager.create(new FileSessionStorage(path), { cwd: '/w' });
		await manager.appendMessage(message('one'));
		const link = join(folder, 'link.jsonl');
		await symlink(join(folder, 'nowhere'), link);
		const none = () => Promise.resolve();
		await assert.rejects(copySession(manager, link, none), /exists already/);
		assert((await lstat(link)).isSymbolicLink());
		await assert.rejects(copySession(manager, '/dev/null', none), /exists already/);
		await assert.rejects(copySession(manager, join(folder, 'no', 'copy'), none), /no folder/);
		const empty = join(folder, 'empty.jsonl');
		await writeFile(empty, '');
		await copySession(manager, empty, none);
		assert.equal(await readFile(empty, 'utf8'), await readFile(path, 'utf8'));
	});

	it('leaves damaged entries behind in a migration, and bridges the gap', async () => {
		const old = join(folder, 'old.jsonl');
		const line = (id: string, parentId: string | null) =>
			`{"type":"message","id":"${id}","parentId":${JSON.stringify(parentId)},"timestamp":"t","message":{"role":"user","content":"${id}"`;
		const lines = [
			'{"type":"session","version":2,"id":"s","timestamp":"","cwd":"/w"}',
			`${line('a', null)}}}`,
			`${line('b', 'a')}, damaged}}`,
			`${line('c', 'b')}}}`,
		];
		await writeFile(old, lines.join('\n'));
		const source = await SessionManager.open(new FileSessionStorage(old));
		const target = join(folder, 'new.jsonl');
		await copySession(source, target, () => Promise.resolve(), old);
		const copy = await SessionManager.open(new FileSessionStorage(target));
		assert.deepEqual(
			copy.getBranch().map(({ id }) => id),
			['a', 'c'],
		);
		assert.equal(copy.header.parentSession, old);
		assert.deepEqual(copy.warnings, []);
		assert.equal(source.warnings.length, 1);
		assert.equal(await readFile(old, 'utf8'), lines.join('\n'));
	});

	it('refuses what is no plain file, at once', async () => {
		await assert.rejects(SessionManager.open(new FileSessionStorage(folder)), /no plain file/);
		await assert.rejects(SessionManager.open(new FileSessionStorage('/dev/zero')), /no plain file/);
	});
});
