/** Pruning in our own files: lines are replaced, originals kept, and nothing else changes. */
import { strict as assert } from 'node:assert';
import {
	appendFile,
	chmod,
	mkdtemp,
	open,
	readdir,
	readFile,
	realpath,
	rm,
	stat,
	symlink,
	writeFile,
} from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { closeSync, openSync, readlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { copySession, forkSession } from '../../../src/node/copy-session.ts';
import { FileSessionStorage } from '../../../src/node/file-session-storage.ts';
import { OriginalsFile, originalsPath } from '../../../src/node/originals-file.ts';
import { archiveSession, filesOfSession } from '../../../src/node/session-files.ts';
import { entryText } from '../../../src/session/entry-text.ts';
import { pruneSession, unpruneSession } from '../../../src/session/prune-session.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { UserError } from '../../../src/util/errors.ts';
import { textOfTokens, toolResult } from '../../support/session-builder.ts';
import { sessionWithOutputs } from '../../support/prunable-session.ts';

const failsWith = (reason: string) => (error: unknown) =>
	error instanceof UserError && error.reason === reason && error.kept !== undefined;
const notice = (id: string) => `[${id} is not shown]`;

describe('pruned session files', () => {
	let folder: string;
	let path: string;

	beforeEach(async () => {
		folder = await realpath(await mkdtemp(join(tmpdir(), 'espalier-prune-')));
		path = join(folder, 'session.jsonl');
	});
	afterEach(() => rm(folder, { recursive: true, force: true }));

	const openOwn = (file = path) => SessionManager.open(new FileSessionStorage(file, { own: true }));
	const write = (results: number, tokens: number) =>
		writeFile(path, `${sessionWithOutputs(results, tokens).lines().join('\n')}\n`);

	/** Does something with a session while it is held, as an operation would. */
	async function held<T>(manager: SessionManager, act: () => Promise<T>): Promise<T> {
		const release = await manager.hold();
		try {
			return await act();
		} finally {
			await release();
		}
	}
	const prune = (manager: SessionManager, ...ids: string[]) =>
		held(manager, () =>
			manager.prune(ids.map((entryId) => ({ entryId, notice: notice(entryId) }))),
		);
	const messageOf = (manager: SessionManager, id: string) => {
		const entry = manager.tree.get(id);
		assert(entry?.type === 'message', `${id} is no message`);
		return entry.message;
	};

	it('plans and stores: the context shrinks, the originals stay, and it can be taken back', async () => {
		await write(5, 20_000);
		const before = await readFile(path);
		const manager = await openOwn();
		const events: string[] = [];
		manager.events.on(({ type }) => events.push(type));
		const { outputs, savedTokens } = await pruneSession(manager);
		assert.deepEqual(
			outputs.map(({ entryId }) => entryId),
			['r3', 'r2', 'r1'],
		);
		assert(savedTokens > 59_000 && savedTokens < 60_000);
		assert.deepEqual(events, ['outputsChanged']);
		const message = messageOf(manager, 'r2');
		assert.equal(message.role, 'toolResult');
		assert.deepEqual((manager.context().messages[4] as { content: unknown }).content, [
			{ type: 'text', text: '[Output truncated - 20000 tokens]' },
		]);
		assert.equal((await stat(path)).size < before.length / 2, true);
		assert.equal(JSON.stringify(manager.originalOf('r2')).length > 80_000, true);
		// There is nothing more to prune.
		assert.deepEqual((await pruneSession(manager)).outputs, []);
		assert.deepEqual(await unpruneSession(manager), {
			restored: ['r3', 'r2', 'r1'],
			missing: [],
		});
		assert.deepEqual(await readFile(path), before);
		assert.equal(manager.isPruned('r2'), false);
		assert.equal(manager.originalOf('r2'), undefined);
	});

	/** What may stand between the entries of a file, and around their JSON. */
	const line = fc.record({
		before: fc.constantFrom('', ' ', '\ufeff'),
		behind: fc.constantFrom('', '\r', ' \t'),
		extra: fc.constantFrom(
			'',
			',"x":{"__proto__":1,"big":12345678901234567890}',
			',"message2":[1.0,1e3]',
		),
		junk: fc.constantFrom('', '\n', '{"torn":\n', '\0\0\0\n', '{"type":"later","id":"l"}\n'),
		spaced: fc.boolean(),
		text: fc.string({ unit: 'binary', maxLength: 40 }),
		raw: fc.constantFrom('', '\u0000raw'),
		images: fc.boolean(),
		isError: fc.boolean(),
	});
	const acts = fc.array(
		fc.record({
			act: fc.constantFrom('prune', 'restore', 'append', 'reopen'),
			which: fc.nat(255),
		}),
		{ maxLength: 6 },
	);

	it('gives back every byte, and every original at any time (property)', async function () {
		this.timeout(120_000);
		const file = fc.record({
			lines: fc.array(line, { minLength: 1, maxLength: 6 }),
			slot: fc.boolean(),
			ending: fc.constantFrom('\n', '', '\n{"type":"message","id":"to', '\r\n'),
			acts,
		});
		await fc.assert(
			fc.asyncProperty(file, async ({ lines, slot, ending, acts }) => {
				await rm(path, { force: true });
				await rm(originalsPath(path), { force: true });
				const bytes = Buffer.concat([
					Buffer.from(slot ? '{"type":"title","title":"T","pad":"   "}\n' : ''),
					Buffer.from('{"type":"session","version":3,"id":"s","timestamp":"","cwd":"/w"}\n'),
					...lines.map((each, index) => bytesOf(each, index, index === lines.length - 1)),
					Buffer.from(ending),
				]);
				await writeFile(path, bytes);
				let manager = await openOwn();
				const ids = lines.map((_, index) => `r${index}`);
				const originals = new Map(ids.map((id) => [id, messageOf(manager, id)]));
				let added: string[] = [];
				for (const { act, which } of acts) {
					const chosen = ids.filter((_, index) => (which >> index) & 1);
					if (act === 'prune') await prune(manager, ...chosen);
					else if (act === 'restore') await held(manager, () => manager.unprune(chosen));
					else if (act === 'append') {
						const text = `appended ${which}`;
						const entry = { role: 'user' as const, content: text, timestamp: 0 };
						added = [...added, (await manager.appendMessage(entry)).id];
					} else manager = await openOwn();
					const fresh = await openOwn();
					for (const id of ids) {
						const shown = manager.isPruned(id) ? manager.originalOf(id) : messageOf(manager, id);
						assert.deepEqual(shown, originals.get(id));
						assert.deepEqual(fresh.tree.get(id), manager.tree.get(id));
					}
					assert.deepEqual(fresh.warnings, (await openOwn()).warnings);
					assert.equal(fresh.tree.size, manager.tree.size);
					for (const id of added) assert(fresh.tree.has(id));
				}
				const { missing } = await unpruneSession(manager);
				assert.deepEqual(missing, []);
				const after = await readFile(path);
				assert.deepEqual(after.subarray(0, bytes.length), bytes);
				if (added.length === 0) assert.equal(after.length, bytes.length);
				assert.deepEqual(await readdir(folder).then((names) => names.filter(isLeftover)), []);
			}),
			{ numRuns: 150 },
		);
	});
	const isLeftover = (name: string) => !/^session\.(jsonl|originals)$/.test(name);

	function bytesOf(
		each: typeof line extends fc.Arbitrary<infer T> ? T : never,
		index: number,
		isLast: boolean,
	) {
		const id = `r${index}`;
		const content = [
			{ type: 'text', text: each.text },
			...(each.images ? [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] : []),
		];
		const message = JSON.stringify({
			role: 'toolResult',
			toolCallId: `c${index}`,
			toolName: 'bash',
			content,
			isError: each.isError,
			timestamp: 7,
		});
		const parent = index === 0 ? 'null' : `"r${index - 1}"`;
		const gap = each.spaced ? '  ' : '';
		const json = `{${gap}"type":"message","id":"${id}","parentId":${parent},"timestamp":"t","message":${message}${each.extra}}`;
		const text = `${index > 0 ? each.junk : ''}${each.before}${json}${each.behind}`;
		// A byte that is no UTF-8, within a text.
		const raw = Buffer.from(text.replace('"timestamp":"t"', '"timestamp":"t\u0001"'));
		const at = raw.indexOf('"t\u0001"');
		if (at >= 0) raw[at + 2] = each.raw ? 0xff : 0x75;
		return Buffer.concat([raw, Buffer.from(isLast ? '' : '\n')]);
	}

	it('changes nothing in a pruned line but content and prunedAt', async () => {
		const message = {
			...{ role: 'toolResult', extra: { a: [1] }, toolCallId: 'c', toolName: 'bash' },
			...{ content: [{ type: 'text', text: 'long' }], details: { d: 1 }, isError: true },
		};
		const entry = { type: 'message', id: 'r', parentId: null, timestamp: 't', message, own: 1 };
		const header = '{"type":"session","version":3,"id":"s","timestamp":"","cwd":"/w"}';
		await writeFile(path, `${header}\r\n${JSON.stringify(entry)}\r\n`);
		await prune(await openOwn(), 'r');
		const [first, second] = (await readFile(path, 'utf8')).split('\n');
		assert.equal(first, `${header}\r`);
		const now = JSON.parse(second ?? '') as typeof entry & { message: { prunedAt: number } };
		assert(Math.abs(now.message.prunedAt - Date.now()) < 60_000);
		const content = [{ type: 'text', text: notice('r') }];
		const { prunedAt } = now.message;
		assert.equal(
			second,
			`${JSON.stringify({ ...entry, message: { ...message, content, prunedAt } })}\r`,
		);
	});

	it('keeps permissions, and a link a link', async () => {
		await write(1, 100);
		await chmod(path, 0o640);
		const link = join(folder, 'link.jsonl');
		await symlink(path, link);
		await prune(await openOwn(link), 'r1');
		assert.equal(readlinkSync(link), path);
		assert.equal((await stat(path)).mode & 0o777, 0o640);
		assert.equal((await stat(originalsPath(path))).mode & 0o777, 0o640);
		assert.equal((await openOwn()).isPruned('r1'), true);
		assert.notEqual((await openOwn()).originalOf('r1'), undefined);
		assert.notEqual((await openOwn(link)).originalOf('r1'), undefined);
	});

	it('leaves what may not be written as it is', async function () {
		if (process.getuid?.() === 0) this.skip();
		await write(1, 100);
		const before = await readFile(path);
		await chmod(path, 0o440);
		await assert.rejects(prune(await openOwn(), 'r1'), failsWith('not-written'));
		assert.deepEqual(await readFile(path), before);
	});

	it('never rewrites old versions, nor without the lock', async () => {
		await write(1, 100);
		const text = (await readFile(path, 'utf8')).replace('"version":3', '"version":2');
		await writeFile(path, text);
		await assert.rejects(prune(await openOwn(), 'r1'), failsWith('old-version'));
		assert.equal(await readFile(path, 'utf8'), text);
		await write(1, 100);
		const manager = await openOwn();
		await assert.rejects(manager.prune([{ entryId: 'r1', notice: '' }]), /hold/);
		const other = await openOwn();
		const release = await manager.hold();
		await assert.rejects(pruneSession(other), failsWith('locked'));
		await release();
	});

	it('refuses what is no tool output, and changes nothing then', async () => {
		await write(2, 100);
		const before = await readFile(path);
		const manager = await openOwn();
		await assert.rejects(prune(manager, 'r1', 'u1'), failsWith('not-prunable'));
		await assert.rejects(prune(manager, 'r1', 'nobody'), failsWith('not-prunable'));
		assert.deepEqual(await readFile(path), before);
	});

	it('says which originals are missing, and leaves those entries pruned', async () => {
		await write(3, 20_000);
		await prune(await openOwn(), 'r1', 'r2', 'r3');
		const kept = new OriginalsFile(path).get('r2');
		assert(kept);
		await rm(originalsPath(path));
		await new OriginalsFile(path).keep([{ entryId: 'r2', line: kept }]);
		const manager = await openOwn();
		assert.equal(manager.originalOf('r1'), undefined);
		assert.deepEqual(await unpruneSession(manager), { restored: ['r2'], missing: ['r1', 'r3'] });
		assert.deepEqual(await unpruneSession(manager, ['r1']), { restored: [], missing: ['r1'] });
		assert.equal(manager.isPruned('r1'), true);
		assert.equal(manager.isPruned('r2'), false);
	});

	it('passes over a record whose length no file can hold', async () => {
		await write(3, 2_000);
		await prune(await openOwn(), 'r1');
		const whole = await readFile(originalsPath(path));
		for (const bytes of [Number.MAX_SAFE_INTEGER, 2 ** 40, whole.length]) {
			const damaged = Buffer.from(`${JSON.stringify({ original: 'r1', bytes })}\n`);
			await writeFile(originalsPath(path), Buffer.concat([damaged, whole]));
			assert(new OriginalsFile(path).get('r1'), String(bytes));
		}
	});

	it('adds to originals that are torn at their end, and drops none', async () => {
		await write(3, 2_000);
		const before = await readFile(path);
		await prune(await openOwn(), 'r1');
		const whole = await readFile(originalsPath(path));
		for (const length of [whole.length - 1, whole.length - 20, 5_000, 20, 1]) {
			await writeFile(path, before);
			await writeFile(originalsPath(path), Buffer.concat([whole, whole.subarray(0, length)]));
			const manager = await openOwn();
			await prune(manager, 'r2');
			await prune(manager, 'r1', 'r3');
			assert.deepEqual([...new OriginalsFile(path).ids()].sort(), ['r1', 'r2', 'r3']);
			await unpruneSession(manager);
			assert.deepEqual(await readFile(path), before, `torn at ${length}`);
		}
	});

	it('keeps each original once, however often it is pruned', async () => {
		await write(2, 2_000);
		const manager = await openOwn();
		await prune(manager, 'r1', 'r2');
		const { size } = await stat(originalsPath(path));
		await unpruneSession(manager);
		await prune(manager, 'r1', 'r2');
		assert.equal((await stat(originalsPath(path))).size, size);
	});

	it('removes what a killed process left of its draft', async () => {
		await write(1, 100);
		const left = `${path}.${crypto.randomUUID()}.rewrite`;
		await writeFile(left, 'half');
		await writeFile(`${path}.mine.rewrite`, 'not ours');
		await prune(await openOwn(), 'r1');
		assert.deepEqual((await readdir(folder)).sort(), [
			'session.jsonl',
			'session.jsonl.mine.rewrite',
			'session.originals',
		]);
	});

	it('loses no line that another program appends meanwhile (C11)', async function () {
		this.timeout(120_000);
		await write(8, 20_000);
		const child = spawn(process.execPath, [join('test', 'support', 'appending-child.mjs'), path]);
		const written: string[] = [];
		const lines = createInterface(child.stdout);
		lines.on('line', (id) => written.push(id));
		await once(lines, 'line');
		const manager = await openOwn();
		const ids = Array.from({ length: 8 }, (_, index) => `r${index + 1}`);
		let rewrites = 0;
		for (let attempts = 0; rewrites < 60; attempts++) {
			assert(attempts < 3_000, `only ${rewrites} of ${attempts} attempts were made`);
			const act = manager.isPruned('r1') ? unpruneSession(manager) : prune(manager, ...ids);
			const isDone = await act.then(
				() => true,
				(error: unknown) => {
					if (!failsWith('changed-elsewhere')(error)) throw error;
					return false;
				},
			);
			if (isDone) rewrites++;
		}
		assert.equal(manager.isPruned('r1'), false);
		child.stdin.end();
		await once(lines, 'close');
		// What was written to a file that was just replaced is found there within a second.
		const lost = () => written.filter((id) => !manager.tree.has(id));
		for (let looks = 0; lost().length > 0 && looks < 60; looks++) {
			await new Promise((resolve) => setTimeout(resolve, 50));
			await manager.refresh();
		}
		assert.deepEqual(lost(), []);
		const { tree, warnings } = await openOwn();
		assert.deepEqual(warnings, []);
		assert.equal(tree.size, 17 + written.length);
	});

	it('finds what was written to the old file while a new one took its place', async function () {
		this.timeout(30_000);
		await write(2, 2_000);
		const manager = await openOwn();
		const foreign = openSync(path, 'a');
		const late = (id: string) =>
			JSON.stringify({
				...{ type: 'message', id, parentId: 'r2', timestamp: '' },
				message: { role: 'user', content: id, timestamp: 0 },
			});
		try {
			await prune(manager, 'r1');
			writeSync(foreign, `${late('x1')}\n${late('x2').slice(0, 30)}`);
			writeSync(foreign, `${late('x2').slice(30)}\n`);
			// Its owner looks from time to time.
			while (!(await manager.refresh()) || !manager.tree.has('x2'))
				await new Promise((resolve) => setTimeout(resolve, 50));
		} finally {
			closeSync(foreign);
		}
		assert.equal(manager.isPruned('r1'), true);
		const { tree, warnings } = await openOwn();
		assert.deepEqual([tree.has('x1'), tree.has('x2'), warnings.length], [true, true, 0]);
		await manager.appendMessage({ role: 'user', content: 'on', timestamp: 0 });
	});

	it('is seen by another window, which goes on with what stands there', async () => {
		await write(3, 2_000);
		const [one, other] = [await openOwn(), await openOwn()];
		assert.equal(messageOf(other, 'r1').role, 'toolResult');
		await prune(one, 'r1');
		assert.equal(await other.refresh(), true);
		assert.equal(other.isPruned('r1'), true);
		assert.equal(other.leafId, 'r3');
		const added = await other.appendMessage({ role: 'user', content: 'on', timestamp: 0 });
		assert.equal(await one.refresh(), true);
		assert.equal(one.leafId, added.id);
		await prune(other, 'r2');
		await one.refresh();
		await unpruneSession(one);
		assert.equal(one.isPruned('r1') || one.isPruned('r2'), false);
	});

	it('is taken along by copies, forks and the archive', async () => {
		await write(4, 2_000);
		const before = await readFile(path);
		const manager = await openOwn();
		await prune(manager, 'r1', 'r2', 'r3');
		await held(manager, () => manager.unprune(['r2']));
		await appendFile(
			path,
			'{"type":"label","id":"l","parentId":"r4","timestamp":"","targetId":"r1","label":"x"}\n',
		);
		await manager.refresh();

		const copied = join(folder, 'copy.jsonl');
		await copySession(manager, copied, () => Promise.resolve());
		const copy = await openOwn(copied);
		await unpruneSession(copy);
		assert.deepEqual((await readFile(copied)).subarray(0, before.length), before);

		const forked = join(folder, 'fork.jsonl');
		await forkSession(manager, 'r2', forked, 'fork');
		assert.deepEqual([...new OriginalsFile(forked).ids()], ['r1']);
		const fork = await openOwn(forked);
		assert.equal(fork.isPruned('r1'), true);
		assert.deepEqual(await unpruneSession(fork), { restored: ['r1'], missing: [] });
		assert.equal(entryText(fork.tree.get('r1') as never), entryText(copy.tree.get('r1') as never));

		const archived = await archiveSession(path);
		const moved = await openOwn(archived);
		assert.notEqual(moved.originalOf('r3'), undefined);
		await unpruneSession(moved);
		assert.deepEqual((await readFile(archived)).subarray(0, before.length), before);
		assert.deepEqual((await readdir(folder)).sort(), [
			...['archived', 'copy.jsonl', 'copy.originals', 'fork.jsonl', 'fork.originals'],
		]);
	});

	it('gives a fork whose entries hang elsewhere its content back, and leaves the rest', async () => {
		const session = sessionWithOutputs(1, 2_000);
		session.add({ type: 'label', id: 'l', targetId: 'r1', label: 'x' });
		session.message(toolResult('c2', textOfTokens(2_000), 'bash'), 'r2');
		await writeFile(path, `${session.lines().join('\n')}\n`);
		const manager = await openOwn();
		await prune(manager, 'r2');
		const forked = join(folder, 'fork.jsonl');
		await forkSession(manager, 'r2', forked, 'fork');
		const fork = await openOwn(forked);
		assert.equal(fork.tree.get('r2')?.parentId, 'r1');
		await unpruneSession(fork);
		assert.equal(fork.tree.get('r2')?.parentId, 'r1');
		assert.equal(fork.isPruned('r2'), false);
		assert.equal(JSON.stringify(messageOf(fork, 'r2')).includes('word'), true);
	});

	it('leaves no originals behind of a copy that could not be made', async () => {
		await write(2, 2_000);
		const manager = await openOwn();
		await prune(manager, 'r1');
		const copied = join(folder, 'copy.jsonl');
		await assert.rejects(copySession(manager, copied, () => Promise.reject(new Error('no'))));
		assert.deepEqual((await readdir(folder)).sort(), ['session.jsonl', 'session.originals']);
	});

	it('are not the files of a session whose name begins like theirs', async () => {
		for (const name of ['one.jsonl', 'one.originals', 'one.v3.jsonl', 'one.v3.originals'])
			await writeFile(join(folder, name), '');
		const names = async (name: string) =>
			(await filesOfSession(join(folder, name))).map((file) => file.slice(folder.length + 1));
		assert.deepEqual(await names('one.jsonl'), ['one.jsonl', 'one.originals']);
		assert.deepEqual(await names('one.v3.jsonl'), ['one.v3.jsonl', 'one.v3.originals']);
	});

	it('stay readable while they are rewritten', async () => {
		await write(30, 20_000);
		const manager = await openOwn();
		const pruning = pruneSession(manager);
		let isDone = false;
		void pruning.then(() => (isDone = true));
		while (!isDone) {
			for (const id of ['u1', 'r1', 'r15', 'r30'])
				assert.equal(manager.tree.get(id)?.type, 'message', id);
			await new Promise((resolve) => setImmediate(resolve));
		}
		await pruning;
		const file = await open(path);
		await file.close();
		assert.equal(manager.isPruned('r1'), true);
	});
});
