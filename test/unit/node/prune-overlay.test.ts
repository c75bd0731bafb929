/** Pruning in foreign files: the context shows notices, the file stays as it is. */
import { strict as assert } from 'node:assert';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileSessionStorage } from '../../../src/node/file-session-storage.ts';
import { PruneOverlayFiles } from '../../../src/node/prune-overlay-files.ts';
import { contextTokens } from '../../../src/session/context-tokens.ts';
import { pruneSession, unpruneSession } from '../../../src/session/prune-session.ts';
import { sessionDocument } from '../../../src/session/pruned-document.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { MemorySessionStorage } from '../../../src/session/session-storage.ts';
import { UserError } from '../../../src/util/errors.ts';
import { sessionWithOutputs } from '../../support/prunable-session.ts';

describe('prunes of foreign sessions', () => {
	let folder: string;
	let path: string;
	let prunes: string;
	let before: Buffer;

	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), 'espalier-overlay-'));
		path = join(folder, 'session.jsonl');
		prunes = join(folder, 'pruned');
		await writeFile(path, `${sessionWithOutputs(5, 20_000).lines().join('\n')}\n`);
		before = await readFile(path);
	});
	afterEach(() => rm(folder, { recursive: true, force: true }));

	const open = (file = path) =>
		SessionManager.open(new FileSessionStorage(file, { overlay: new PruneOverlayFiles(prunes) }));
	const tokens = (manager: SessionManager) => contextTokens(manager.context().messages);
	const text = (manager: SessionManager, id: string) => JSON.stringify(manager.tree.get(id));

	it('show in every context, while entries and file stay as they are', async () => {
		const manager = await open();
		const full = tokens(manager);
		const original = text(manager, 'r1');
		const { savedTokens, outputs } = await pruneSession(manager);
		assert.equal(outputs.length, 3);
		assert.equal(tokens(manager), full - savedTokens);
		assert.equal(contextTokens((await manager.readContext()).messages), full - savedTokens);
		const path1 = manager.contextPath();
		assert.deepEqual(await manager.readContextPath(), path1);
		const shown = path1.find(({ id }) => id === 'r1');
		assert.match(
			JSON.stringify(shown),
			/"text":"\[Output truncated - 20000 tokens\]".*"prunedAt":\d/,
		);
		assert.equal(text(manager, 'r1'), original);
		assert.equal(
			JSON.stringify(manager.originalOf('r1')),
			JSON.stringify((JSON.parse(original) as { message: unknown }).message),
		);
		assert.equal(manager.originalOf('r5'), undefined);
		assert.deepEqual(await readFile(path), before);
		assert.deepEqual((await readdir(folder)).sort(), ['pruned', 'session.jsonl']);
	});

	it('outlast the window, and what others append', async () => {
		const manager = await open();
		const { savedTokens } = await pruneSession(manager);
		const pruned = tokens(manager);
		await manager.appendMessage({ role: 'user', content: 'word', timestamp: 0 });
		assert.equal(tokens(await open()), pruned + 1);
		await writeFile(path, Buffer.concat([before, before.subarray(before.indexOf('\n') + 1)]));
		assert.equal(await manager.refresh(), true);
		assert.equal(tokens(manager), pruned);
		assert.deepEqual((await pruneSession(manager)).outputs, []);
		assert.deepEqual((await unpruneSession(manager, ['r1'])).restored, ['r1']);
		assert.equal((await open()).isPruned('r1'), false);
		assert.equal((await open()).isPruned('r2'), true);
		await unpruneSession(manager);
		assert.equal(tokens(manager), pruned + savedTokens);
		assert.deepEqual(await readdir(prunes), []);
	});

	it('belong to one file: a copy with the same id has none', async () => {
		await pruneSession(await open());
		const copy = join(folder, 'copy.jsonl');
		await writeFile(copy, before);
		assert.equal((await open(copy)).isPruned('r1'), false);
		assert.equal((await open()).isPruned('r1'), true);
	});

	it('of two windows add up', async () => {
		const [one, other] = [await open(), await open()];
		const act = async (manager: SessionManager, entryId: string) => {
			const release = await manager.hold();
			await manager.prune([{ entryId, notice: 'n' }]);
			await release();
		};
		await act(one, 'r1');
		await act(other, 'r2');
		await unpruneSession(one, ['r1']);
		const manager = await open();
		assert.deepEqual([manager.isPruned('r1'), manager.isPruned('r2')], [false, true]);
	});

	it('count for nothing where they are damaged; that is said, and they are set aside', async () => {
		await pruneSession(await open());
		const [name = ''] = await readdir(prunes);
		for (const damage of [
			'',
			'{',
			'[]',
			'{"version":1,"session":"other","pruned":[]}',
			'{"version":1,"session":"test-session","pruned":[null]}',
		]) {
			await writeFile(join(prunes, name), damage);
			const manager = await open();
			assert.equal(manager.isPruned('r1'), false);
			assert.deepEqual(
				manager.warnings.map(({ kind }) => kind),
				['damaged-prunes'],
			);
			assert.equal(await readFile(join(prunes, name), 'utf8'), damage);
			assert.equal((await pruneSession(manager)).outputs.length, 3);
			const aside = (await readdir(prunes)).find((each) => each.endsWith('.damaged')) ?? '';
			assert.equal(await readFile(join(prunes, aside), 'utf8'), damage);
			await rm(join(prunes, aside));
			assert.deepEqual((await open()).warnings, []);
			assert.equal((await open()).isPruned('r1'), true);
		}
	});

	it('that cannot be saved change nothing', async () => {
		await writeFile(prunes, 'a file in the way');
		const manager = await open();
		const full = tokens(manager);
		await assert.rejects(
			pruneSession(manager),
			(error) => error instanceof UserError && error.reason === 'not-written',
		);
		assert.equal(tokens(manager), full);
	});

	it('last as long as the manager where there is no place for them', async () => {
		const storage = new MemorySessionStorage(sessionWithOutputs(5, 20_000).lines());
		const manager = await SessionManager.open(storage);
		const lines = [...storage.lines];
		assert.equal((await pruneSession(manager)).outputs.length, 3);
		assert.equal(manager.isPruned('r1'), true);
		assert.deepEqual(storage.lines, lines);
		assert.equal((await SessionManager.open(storage)).isPruned('r1'), false);
	});

	it('of another tool, whose originals are lost, stay', async () => {
		const session = sessionWithOutputs(1, 10);
		session.message(
			{
				...{ role: 'toolResult', toolCallId: 'x', toolName: 'bash', isError: false },
				...{ content: [{ type: 'text', text: '[gone]' }], prunedAt: 1, timestamp: 0 },
			},
			'gone',
		);
		const manager = await SessionManager.open(new MemorySessionStorage(session.lines()));
		assert.equal(manager.isPruned('gone'), true);
		assert.equal(manager.originalOf('gone'), undefined);
		assert.deepEqual(await unpruneSession(manager), { restored: [], missing: ['gone'] });
		assert.match(sessionDocument(manager, 'gone')?.text ?? '', /^> .*not kept[^]*\[gone\]/);
	});

	it('are told about where an entry is shown, with the original', async () => {
		for (const own of [false, true]) {
			const manager = await SessionManager.open(new FileSessionStorage(path, { own }));
			const full = sessionDocument(manager, 'r1')?.text ?? '';
			await pruneSession(manager);
			const document = sessionDocument(manager, 'r1');
			const note =
				'> This output was pruned: the model sees `[Output truncated - 20000 tokens]` instead.\n\n';
			assert.equal(document?.text, note + full);
			assert.equal(sessionDocument(manager, 'r5')?.text.includes('pruned'), false);
		}
		assert.equal(sessionDocument(await open(), 'nobody'), undefined);
	});
});
