import { strict as assert } from 'node:assert';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileSessionStorage } from '../../../src/node/file-session-storage.ts';
import {
	archiveSession,
	filesOfSession,
	renameSession,
	restoreSession,
} from '../../../src/node/session-files.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { UserError } from '../../../src/util/errors.ts';
import { SessionBuilder } from '../../support/session-builder.ts';

const isError = (reason: string) => (error: unknown) =>
	error instanceof UserError && error.reason === reason && error.kept !== undefined;

describe('session file actions', () => {
	let folder: string;
	let path: string;
	let text: string;

	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), 'espalier-files-'));
		path = join(folder, 'one.jsonl');
		const builder = new SessionBuilder();
		builder.user('Hello', 'u1');
		builder.user('Again', 'u2');
		text = `${builder.lines().join('\n')}\n`;
		await writeFile(path, text);
	});
	afterEach(() => rm(folder, { recursive: true, force: true }));

	const open = () => SessionManager.open(new FileSessionStorage(path));

	it('rename appends one line that pi reads too, and nothing else changes', async () => {
		await renameSession(path, 'A name');
		const after = await readFile(path, 'utf8');
		assert.ok(after.startsWith(text));
		const added = JSON.parse(after.slice(text.length)) as Record<string, unknown>;
		assert.deepEqual([added.type, added.name, added.parentId], ['session_info', 'A name', 'u2']);
		assert.equal((await open()).name, 'A name');
		await renameSession(path, '');
		assert.ok(!(await open()).name);
	});

	it('rename leaves the session where the window left it (C13)', async () => {
		const saved = await renameSession(path, 'A name', { leafId: 'u1', lastEntryId: 'u2' });
		const manager = await SessionManager.open(new FileSessionStorage(path), saved);
		assert.deepEqual(
			manager.getBranch().map(({ id }) => id),
			['u1', manager.leafId],
		);
	});

	it('rename refuses old versions and what is no session, untouched', async () => {
		const old = text.replace('"version":3', '"version":2');
		await writeFile(path, old);
		await assert.rejects(renameSession(path, 'x'), isError('old-version'));
		assert.equal(await readFile(path, 'utf8'), old);
		await writeFile(path, 'junk');
		await assert.rejects(renameSession(path, 'x'), isError('not-a-session'));
		assert.equal(await readFile(path, 'utf8'), 'junk');
	});

	it('archive and restore move a session with what lies beside it, byte for byte', async () => {
		await writeFile(join(folder, 'one.originals'), 'sidecar');
		await writeFile(join(folder, 'one.copy.v3.jsonl'), text);
		await writeFile(join(folder, 'one-more.jsonl'), text);
		const archived = await archiveSession(path);
		assert.equal(archived, join(folder, 'archived', 'one.jsonl'));
		assert.deepEqual(await readdir(join(folder, 'archived')), ['one.jsonl', 'one.originals']);
		assert.deepEqual(await readdir(folder), ['archived', 'one-more.jsonl', 'one.copy.v3.jsonl']);
		assert.equal(await readFile(archived, 'utf8'), text);
		assert.equal(await restoreSession(archived), path);
		assert.deepEqual(await readdir(join(folder, 'archived')), []);
		assert.equal(await readFile(path, 'utf8'), text);
		assert.equal(await readFile(join(folder, 'one.originals'), 'utf8'), 'sidecar');
	});

	it('never moves over another file', async () => {
		await writeFile(join(folder, 'one.originals'), 'sidecar');
		await mkdir(join(folder, 'archived'));
		await writeFile(join(folder, 'archived', 'one.originals'), 'other');
		await assert.rejects(archiveSession(path), isError('exists'));
		assert.equal(await readFile(join(folder, 'one.originals'), 'utf8'), 'sidecar');
		assert.equal(await readFile(path, 'utf8'), text);
	});

	it('says what was kept where a move fails, and puts back what had moved', async () => {
		await writeFile(join(folder, 'archived'), 'a file in the way');
		await assert.rejects(archiveSession(path), isError('not-moved'));
		await rm(join(folder, 'archived'));
		await writeFile(join(folder, 'two.originals'), 'sidecar');
		await assert.rejects(archiveSession(join(folder, 'two.jsonl')), isError('not-moved'));
		assert.deepEqual(await readdir(join(folder, 'archived')), []);
		assert.equal(await readFile(join(folder, 'two.originals'), 'utf8'), 'sidecar');
	});

	it('names the session before what lies beside it', async () => {
		await writeFile(join(folder, 'one.a'), '');
		assert.deepEqual(await filesOfSession(path), [path, join(folder, 'one.a')]);
	});
});
