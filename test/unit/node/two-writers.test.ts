/** Two programs on one session file: nothing is interleaved, lost, or written unseen. */
import { strict as assert } from 'node:assert';
import {
	appendFile,
	copyFile,
	mkdtemp,
	readFile,
	rename,
	rm,
	symlink,
	writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileSessionStorage } from '../../../src/node/file-session-storage.ts';
import { createOfflineSummarizer } from '../../../src/providers/offline/offline-summarizer.ts';
import { createOpenAIModel } from '../../../src/providers/openai/openai-model.ts';
import { AgentSession } from '../../../src/session/agent-session.ts';
import { createBranchedSession } from '../../../src/session/fork.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { MemorySessionStorage } from '../../../src/session/session-storage.ts';
import { UserError } from '../../../src/util/errors.ts';
import {
	Gate,
	startScriptedServer,
	steps,
	type ScriptedServer,
} from '../../support/scripted-server.ts';
import { SessionBuilder } from '../../support/session-builder.ts';

const message = (content: string) => ({ role: 'user' as const, content, timestamp: 0 });
const failsWith = (reason: string) => (error: unknown) =>
	error instanceof UserError && error.reason === reason;

describe('two writers', () => {
	let folder: string;
	let path: string;
	let server: ScriptedServer;

	before(async () => {
		server = await startScriptedServer();
	});
	after(() => server.close());
	beforeEach(async () => {
		server.reset();
		folder = await mkdtemp(join(tmpdir(), 'espalier-two-'));
		path = join(folder, 'session.jsonl');
		const session = new SessionBuilder();
		session.user('one', 'u1');
		session.assistant('two', 'a1');
		await writeFile(path, `${session.lines().join('\n')}\n`);
	});
	afterEach(() => rm(folder, { recursive: true, force: true }));

	const open = () => SessionManager.open(new FileSessionStorage(path));
	const line = (id: string, parentId: string | null, content = id) =>
		JSON.stringify({ type: 'message', id, parentId, timestamp: '', message: message(content) });
	const ids = (manager: SessionManager) => [...manager.tree.entries()].map(({ id }) => id);

	function openAgent(manager: SessionManager): AgentSession {
		const model = createOpenAIModel({
			baseUrl: server.baseUrl,
			model: 'scripted',
			contextWindow: 32_000,
		});
		return new AgentSession(manager, {
			model: () => Promise.resolve(model),
			offline: createOfflineSummarizer(),
			settings: () => ({
				compaction: { reserveTokens: 16_384, keepRecentTokens: 500 },
				branchSummary: { enabled: false, reserveTokens: 16_384 },
				contextWindow: 32_000,
			}),
		});
	}

	it('refuses a write over what nobody here has seen, shows it, and goes on from there (C11)', async () => {
		const [ours, theirs] = [await open(), await open()];
		const { id } = await theirs.appendMessage(message('theirs'));
		const before = await readFile(path, 'utf8');
		await assert.rejects(ours.appendMessage(message('ours')), failsWith('changed-elsewhere'));
		assert.equal(await readFile(path, 'utf8'), before);
		assert.equal(ours.leafId, id);
		const entry = await ours.appendMessage(message('ours'));
		assert.equal(entry.parentId, id);
		assert.deepEqual(ids(await open()), ['u1', 'a1', id, entry.id]);
	});

	it('picks up live what was appended, and follows it where it goes on from the leaf (C11)', async () => {
		const ours = await open();
		const events: string[] = [];
		ours.events.on(({ type }) => events.push(type));
		assert.equal(await ours.refresh(), false);
		await appendFile(path, `${line('b1', 'a1')}\n`);
		assert.equal(await ours.refresh(), true);
		assert.equal(ours.leafId, 'b1');
		ours.branch('u1');
		await appendFile(path, `${line('b2', 'b1')}\n`);
		await ours.refresh();
		// Whoever has gone back stays there: nothing came behind that place.
		assert.equal(ours.leafId, 'u1');
		ours.branch('a1');
		await appendFile(path, `${line('c1', 'u1')}\n`);
		await ours.refresh();
		assert.equal(ours.leafId, 'a1');
		assert.deepEqual(ids(ours), ['u1', 'a1', 'b1', 'b2', 'c1']);
		assert.equal(events.filter((type) => type === 'changedElsewhere').length, 3);
	});

	it('takes a line that is still being written once it is whole', async () => {
		const ours = await open();
		const whole = line('b1', 'a1', 'häß€😀 }');
		const bytes = Buffer.from(`${whole}\n${line('b2', 'b1')}\n`);
		for (let at = 0; at < bytes.length; at += 7) {
			await appendFile(path, bytes.subarray(at, at + 7));
			await ours.refresh();
		}
		assert.deepEqual(ids(ours), ['u1', 'a1', 'b1', 'b2']);
		assert.deepEqual(ours.warnings, []);
		assert.deepEqual(ours.getBranch(), (await open()).getBranch());
		await ours.appendMessage(message('after'));
		assert.equal((await open()).tree.size, 5);
	});

	it('reads a file anew that was rewritten, and keeps the leaf where it is still there', async () => {
		const ours = await open();
		const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
		await writeFile(`${path}.new`, `${lines.slice(0, 2).join('\n')}\n${line('z', 'u1')}\n`);
		await rename(`${path}.new`, path);
		await assert.rejects(ours.appendMessage(message('ours')), failsWith('changed-elsewhere'));
		assert.deepEqual(ids(ours), ['u1', 'z']);
		assert.equal(ours.leafId, 'z');
		await writeFile(path, `${lines.slice(0, 2).join('\n')}\n${line('y', 'u1')}\n`);
		await assert.rejects(ours.appendMessage(message('ours')), failsWith('changed-elsewhere'));
		assert.deepEqual(ids(ours), ['u1', 'y']);
		const { parentId } = await ours.appendMessage(message('ours'));
		assert.equal(parentId, 'y');
	});

	it('keeps what it read where the file is no session any more', async () => {
		const ours = await open();
		await writeFile(path, 'gone\n');
		await assert.rejects(ours.appendMessage(message('ours')), failsWith('not-a-session'));
		assert.equal(await readFile(path, 'utf8'), 'gone\n');
		assert.deepEqual(ids(ours), ['u1', 'a1']);
	});

	it('writes the answer to a prompt of its own whatever another program does meanwhile (C08, C11)', async () => {
		const manager = await open();
		const session = openAgent(manager);
		const gate = new Gate();
		server.enqueue(steps.text('The answer.', { gate }));
		await session.prompt('ours');
		await server.waitForRequest(1);
		const prompt = manager.leafId;
		await appendFile(path, `${line('t1', 'a1')}\n${line('t2', prompt)}\n`);
		await manager.refresh();
		assert.equal(manager.leafId, prompt);
		await appendFile(path, `${line('t3', 't2')}\n`);
		gate.open();
		await session.whenIdle();
		const again = await open();
		assert.deepEqual(again.warnings, []);
		const answer = again.getBranch().at(-1);
		assert(answer?.type === 'message' && answer.message.role === 'assistant');
		assert.equal(answer.parentId, prompt);
		assert.deepEqual(
			ids(again).filter((id) => id.startsWith('t')),
			['t1', 't2', 't3'],
		);
		assert.deepEqual(ids(manager), ids(again));
	});

	it('keeps a second window out while a turn runs, and lets it in afterwards (C11)', async () => {
		const first = openAgent(await open());
		const second = openAgent(await open());
		const gate = new Gate();
		server.enqueue(steps.text('first', { gate }), steps.text('second'));
		await first.prompt('from the first window');
		await assert.rejects(second.prompt('from the second'), failsWith('locked'));
		await assert.rejects(second.compact(), failsWith('locked'));
		assert.equal(second.activity, 'idle');
		gate.open();
		await first.whenIdle();
		await second.manager.refresh();
		await second.prompt('from the second');
		await second.whenIdle();
		assert.equal((await open()).getBranch().length, 6);
	});

	it('shows what stands in a replaced file, never the bytes of the old one', async () => {
		const ours = await open();
		assert.equal(ours.getBranch().length, 2);
		for (const content of ['one, changed to something longer', 'two']) {
			const lines = [(await readFile(path, 'utf8')).split('\n')[0], line('u1', null, content)];
			await writeFile(`${path}.new`, `${lines.join('\n')}\n`);
			await rename(`${path}.new`, path);
			await ours.refresh();
			assert.deepEqual(ours.context(), (await open()).context());
			assert.match(JSON.stringify(ours.context().messages), new RegExp(content));
		}
	});

	it('writes nothing into a file that is no session any more, or another one', async () => {
		const ours = await open();
		await rename(path, `${path}.kept`);
		await writeFile(path, 'hello\n');
		for (const act of [() => ours.refresh(), () => ours.appendMessage(message('x'))])
			await assert.rejects(act(), failsWith('not-a-session'));
		await assert.rejects(ours.appendMessage(message('x')), failsWith('not-a-session'));
		assert.equal(await readFile(path, 'utf8'), 'hello\n');
		const other = '{"type":"session","version":3,"id":"other","timestamp":"","cwd":"/w"}\n';
		await writeFile(path, other);
		await assert.rejects(ours.appendMessage(message('x')), failsWith('another-session'));
		assert.equal(await readFile(path, 'utf8'), other);
		await assert.rejects(
			createBranchedSession(ours, 'a1', new MemorySessionStorage()),
			failsWith('unreadable'),
		);
		await rename(`${path}.kept`, path);
		await assert.rejects(ours.appendMessage(message('x')), failsWith('changed-elsewhere'));
		await ours.appendMessage(message('x'));
		assert.deepEqual(ids(await open()), ids(ours));
	});

	it('writes no line into a file that only used to have this name', async () => {
		const ours = await open();
		await ours.appendMessage(message('x1'));
		const before = await readFile(path, 'utf8');
		await rename(path, `${path}.moved`);
		await assert.rejects(ours.appendMessage(message('x2')), /ENOENT/);
		await copyFile(`${path}.moved`, path);
		await assert.rejects(ours.appendMessage(message('x2')), failsWith('changed-elsewhere'));
		await ours.appendMessage(message('x2'));
		assert.equal(await readFile(`${path}.moved`, 'utf8'), before);
		assert.deepEqual(ids(await open()), ids(ours));
	});

	it('asks again for entries that could not be read, and sends and forks nothing without them', async () => {
		const ours = await open();
		const session = openAgent(ours);
		await rename(path, `${path}.away`);
		await assert.rejects(ours.readContext(), failsWith('unreadable'));
		await assert.rejects(
			createBranchedSession(ours, 'a1', new MemorySessionStorage()),
			failsWith('unreadable'),
		);
		await assert.rejects(session.prompt('go'), failsWith('not-written'));
		assert.equal(server.requests.length, 0);
		await rename(`${path}.away`, path);
		assert.equal((await ours.readContext()).messages.length, 2);
		assert.deepEqual(ours.warnings, []);
	});

	it('knows a parent that comes after its child (C11)', async () => {
		const ours = await open();
		await appendFile(path, `${line('c', 'p')}\n`);
		await ours.refresh();
		assert.equal(ours.warnings.length, 1);
		await appendFile(path, `${line('p', 'u1')}\n{"type":"hologram","id":"h","parentId":"c"}\n`);
		await ours.refresh();
		const again = await open();
		assert.equal(ours.tree.parentOf('c'), 'p');
		assert.deepEqual(ours.warnings, again.warnings);
	});

	it('keeps an answer that could not be saved, and saves it when asked again', async () => {
		const manager = await open();
		const session = openAgent(manager);
		const failures: string[] = [];
		session.events.on((event) => {
			if (event.type === 'turnFailed') failures.push(event.error.fullText);
		});
		server.enqueue(async () => {
			await rename(path, `${path}.away`);
			return steps.text('The answer.');
		});
		await session.prompt('ours');
		await session.whenIdle();
		assert.match(failures[0] ?? '', /could not be saved.*Try again/);
		await rename(`${path}.away`, path);
		await session.continue();
		await session.whenIdle();
		assert.equal(server.requests.length, 1);
		assert.match(JSON.stringify((await open()).getBranch().at(-1)), /The answer\./);
	});

	it('takes nothing for damage that only stands elsewhere by now', async () => {
		const ours = await open();
		const text = await readFile(path, 'utf8');
		const [header = '', ...rest] = text.split('\n');
		// In place, so that the file stays the same one: every line has moved.
		await writeFile(path, [header, line('new', null), ...rest].join('\n'));
		await assert.rejects(ours.readContext(), failsWith('unreadable'));
		await assert.rejects(
			createBranchedSession(ours, 'a1', new MemorySessionStorage()),
			failsWith('unreadable'),
		);
		assert.deepEqual(ours.warnings, []);
		await ours.refresh();
		assert.deepEqual(ids(ours), ['new', 'u1', 'a1']);
		assert.equal((await ours.readContext()).messages.length, 2);
	});

	it('writes nothing below what is no longer in the file', async () => {
		const ours = await open();
		const text = await readFile(path, 'utf8');
		const release = await ours.hold();
		await ours.appendMessage(message('prompt'));
		await writeFile(path, text);
		await ours.refresh();
		await assert.rejects(ours.appendMessage(message('answer')), failsWith('changed-elsewhere'));
		const events: string[] = [];
		ours.events.on(({ type }) => events.push(type));
		await release();
		assert.equal(ours.leafId, 'a1');
		assert.deepEqual(events, ['leafChanged']);
		assert.equal(await readFile(path, 'utf8'), text);
	});

	it('keeps an unsaved answer through a name, a label and a move', async () => {
		const manager = await open();
		const session = openAgent(manager);
		server.enqueue(async () => {
			await rename(path, `${path}.away`);
			return steps.text('The answer.');
		});
		await session.prompt('ours');
		await session.whenIdle();
		await rename(`${path}.away`, path);
		const prompt = manager.leafId;
		manager.branch('u1');
		await session.continue().catch(() => undefined);
		await session.whenIdle();
		manager.branch(prompt);
		await manager.appendName('named');
		await session.continue();
		await session.whenIdle();
		const saved = JSON.stringify((await open()).getBranch());
		assert.equal(saved.split('The answer.').length, 2);
	});

	it('locks a session under all its names', async () => {
		const link = join(folder, 'link.jsonl');
		await symlink(path, link);
		const release = await new FileSessionStorage(link).lock();
		await assert.rejects(new FileSessionStorage(path).lock(), failsWith('locked'));
		await release();
	});
});
