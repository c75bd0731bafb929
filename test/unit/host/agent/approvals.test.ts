/** Who is asked before a tool acts, what an answer covers, and what is asked each time. */
import assert from 'node:assert/strict';
import type { ApprovalRequest, ToolAct } from '../../../../src/agent/tool.ts';
import { Approvals, type ApprovalDecision } from '../../../../src/host/agent/approvals.ts';
import { grantText, isSensitivePath, noticeOf } from '../../../../src/host/agent/approval-rules.ts';
import { silentLogger } from '../../../../src/util/logger.ts';

const FOLDER = '/workspace';

function run(command: string, folder = FOLDER): ApprovalRequest {
	const act: ToolAct = { kind: 'run', command, folder, timeoutMs: 1_000 };
	return { toolCallId: 'c1', toolName: 'bash', access: 'run', act };
}

function change(kind: 'write' | 'edit', path: string): ApprovalRequest {
	const act: ToolAct = { kind, path, before: 'a', after: 'b' };
	return { toolCallId: 'c1', toolName: kind, access: 'write', act };
}

class Memory {
	readonly stored = new Map<string, unknown>();
	get(key: string) {
		return this.stored.get(key);
	}
	update(key: string, value: unknown) {
		this.stored.set(key, structuredClone(value));
		return Promise.resolve();
	}
}

function setUp(memory = new Memory()) {
	const window = { trusted: true };
	const approvals = new Approvals({
		memory,
		isTrusted: () => window.trusted,
		log: silentLogger,
	});
	let changes = 0;
	approvals.onDidChange.on(() => changes++);
	const controller = new AbortController();
	/** Asks, and answers what waits then. */
	const ask = async (
		request: ApprovalRequest,
		decision?: ApprovalDecision,
		{ session = 's1', folder = FOLDER } = {},
	) => {
		const answer = approvals.forSession(session, folder).ask(request, controller.signal);
		const [question] = approvals.pending(session);
		if (!question) return { asked: false, answer: await answer };
		assert.ok(decision, `asked about ${JSON.stringify(request.act)}`);
		assert.ok(approvals.answer(question.requestId, decision));
		return { asked: true, answer: await answer };
	};
	return { approvals, ask, controller, memory, window, changes: () => changes };
}

const ONCE: ApprovalDecision = { allow: 'once' };
const NO: ApprovalDecision = { refuse: '' };

describe('approvals', () => {
	it('ask for each call, and allow that one', async () => {
		const { ask, approvals, changes } = setUp();
		assert.deepEqual(await ask(run('ls'), ONCE), { asked: true, answer: 'allow' });
		assert.equal(changes(), 2, 'told when it came and when it went');
		assert.equal((await ask(run('ls'), ONCE)).asked, true);
		assert.deepEqual(approvals.grants(), []);
	});

	it('tell the model that, and why, the person refused', async () => {
		const { ask } = setUp();
		assert.deepEqual((await ask(run('ls'), NO)).answer, { refused: 'the person refused.' });
		const { answer } = await ask(run('ls'), { refuse: ' use rg \n' });
		assert.deepEqual(answer, { refused: 'the person refused, and says: use rg' });
		const long = (await ask(run('ls'), { refuse: 'x'.repeat(100_000) })).answer;
		assert.ok(JSON.stringify(long).length < 5_000);
	});

	it('cover one command, to the letter, in one folder', async () => {
		const { ask } = setUp();
		await ask(run('npm test'), { allow: 'session' });
		assert.equal((await ask(run('npm test'))).answer, 'allow');
		for (const other of ['npm test ', 'npm test; rm -rf ~', 'npm  test', 'NPM TEST', 'npm'])
			assert.equal((await ask(run(other), NO)).asked, true, other);
		assert.equal((await ask(run('npm test', '/elsewhere'), NO)).asked, true);
		assert.equal((await ask(change('write', 'a.ts'), NO)).asked, true);
	});

	it('cover a tool that changes files in one workspace folder', async () => {
		const { ask } = setUp();
		await ask(change('edit', 'src/a.ts'), { allow: 'session' });
		assert.equal((await ask(change('edit', 'other/b.ts'))).answer, 'allow');
		assert.equal((await ask(change('write', 'src/a.ts'), NO)).asked, true, 'another tool');
		const elsewhere = { folder: '/second' };
		assert.equal((await ask(change('edit', 'src/a.ts'), NO, elsewhere)).asked, true);
		assert.equal((await ask(run('ls'), NO)).asked, true);
	});

	it('end with the session, or stay with the workspace', async () => {
		const { ask, memory } = setUp();
		await ask(run('one'), { allow: 'session' });
		await ask(run('two'), { allow: 'workspace' });
		assert.equal((await ask(run('one'), NO, { session: 's2' })).asked, true);
		assert.equal((await ask(run('two'), undefined, { session: 's2' })).answer, 'allow');
		const next = setUp(memory);
		assert.equal((await next.ask(run('one'), NO)).asked, true);
		assert.equal((await next.ask(run('two'))).answer, 'allow');
	});

	it('are taken back', async () => {
		const { approvals, ask, memory } = setUp();
		await ask(run('one'), { allow: 'session' });
		await ask(run('two'), { allow: 'workspace' });
		await ask(change('edit', 'a'), { allow: 'workspace' });
		const all = approvals.grants();
		assert.deepEqual(
			all.map(({ grant, scope }) => [grantText(grant), scope]),
			[
				['one', 'session'],
				['two', 'workspace'],
				['edit: any file', 'workspace'],
			],
		);
		approvals.revoke(all.slice(0, 2));
		assert.equal((await ask(run('one'), NO)).asked, true);
		assert.equal((await ask(run('two'), NO)).asked, true);
		assert.equal((await ask(change('edit', 'b'))).answer, 'allow');
		assert.equal((await setUp(memory).ask(run('two'), NO)).asked, true);
	});

	it('always ask about what runs by itself or holds secrets', async () => {
		const { approvals, ask } = setUp();
		await ask(change('write', 'a.ts'), { allow: 'workspace' });
		const answer = approvals
			.forSession('s1', FOLDER)
			.ask(change('write', '.vscode/tasks.json'), new AbortController().signal);
		const [question] = approvals.pending();
		assert.ok(question);
		assert.equal(approvals.answer(question.requestId, { allow: 'workspace' }), false);
		assert.equal(approvals.answer(question.requestId, { allow: 'session' }), false);
		assert.equal(approvals.pending().length, 1, 'still asked');
		approvals.answer(question.requestId, ONCE);
		assert.equal(await answer, 'allow');
		assert.equal(approvals.grants().length, 1);
		assert.equal((await ask(change('write', '.vscode/tasks.json'), NO)).asked, true);
	});

	it('refuse everything in a workspace that is not trusted', async () => {
		const { ask, memory } = setUp();
		await ask(run('ls'), { allow: 'workspace' });
		const next = setUp(memory);
		next.window.trusted = false;
		assert.deepEqual(await next.ask(run('ls')), {
			asked: false,
			answer: { refused: 'the workspace is not trusted.' },
		});
	});

	it('withdraw a question when the turn is stopped', async () => {
		const { approvals, controller } = setUp();
		const port = approvals.forSession('s1', FOLDER);
		const answer = port.ask(run('ls'), controller.signal);
		const [question] = approvals.pending('s1');
		controller.abort();
		assert.notEqual(await answer, 'allow');
		assert.deepEqual(approvals.pending(), []);
		assert.equal(approvals.answer(question?.requestId ?? '', ONCE), false);
		assert.notEqual(await port.ask(run('ls'), controller.signal), 'allow');
		assert.deepEqual(approvals.pending(), []);
	});

	it('keep the questions of two sessions apart, whichever is answered first', async () => {
		const { approvals, controller } = setUp();
		const first = approvals.forSession('s1', FOLDER).ask(run('one'), controller.signal);
		const second = approvals.forSession('s2', FOLDER).ask(run('two'), controller.signal);
		assert.equal(approvals.pending().length, 2);
		approvals.answer(approvals.pending('s2')[0]?.requestId ?? '', NO);
		assert.deepEqual(await second, { refused: 'the person refused.' });
		const [question] = approvals.pending();
		assert.deepEqual(question?.request, run('one'));
		approvals.answer(question?.requestId ?? '', ONCE);
		assert.equal(await first, 'allow');
	});

	it('do nothing for an answer to no question, or to one that was answered', async () => {
		const { approvals, ask, changes } = setUp();
		assert.equal(approvals.answer('forged', { allow: 'workspace' }), false);
		const answer = approvals.forSession('s1', FOLDER).ask(run('x'), new AbortController().signal);
		const id = approvals.pending()[0]?.requestId ?? '';
		approvals.answer(id, NO);
		const before = changes();
		assert.equal(approvals.answer(id, { allow: 'workspace' }), false);
		assert.equal(changes(), before);
		assert.notEqual(await answer, 'allow');
		assert.deepEqual(approvals.grants(), []);
		assert.equal((await ask(run('x'), NO)).asked, true);
	});

	it('take nothing from a stored value that is none of theirs', async () => {
		const memory = new Memory();
		memory.stored.set('allowedTools', [
			...[null, 7, 'ls', {}, { kind: 'command', command: 'ls' }, { kind: 'all', folder: FOLDER }],
			{ kind: 'files', folder: FOLDER },
			{ kind: 'command', command: 'ls', folder: FOLDER, extra: true },
		]);
		const { approvals, ask } = setUp(memory);
		assert.equal(approvals.grants().length, 1);
		assert.equal((await ask(run('ls'))).answer, 'allow');
		assert.equal((await ask(change('write', 'a'), NO)).asked, true);
	});
});

describe('approval rules', () => {
	it('know what runs by itself or holds secrets, however it is spelled', () => {
		const sensitive = [
			...['.git/hooks/pre-commit', 'sub/.git', '.GIT/config', '.vscode/settings.json', '.ENV'],
			...['.env', '.env.local', 'app/.envrc', 'certs/server.pem', 'id_rsa', 'keys/a.KEY', '.npmrc'],
			...['.husky/pre-push', '.github/workflows/ci.yml', 'a/.github/workflows', '.yarnrc.yml'],
			...['.g\u200cit/config', '\uff0eenv', 'sub\\.vscode\\tasks.json', 'x.code-workspace'],
			...['.gitattributes', '.pnpmfile.cjs', '.devcontainer/devcontainer.json'],
			...['.devcontainer.json', '.lefthook.yml', '.github/actions/a/action.yml', 'prod.env'],
			...['.hg/hgrc', '.pi/extensions/x.ts', '.mcp.json', '.claude/settings.json', 'AGENTS.md'],
			...['.cargo/config.toml', 'Jenkinsfile', '.travis.yml', '.zed/tasks.json', 'mise.toml'],
		];
		for (const path of sensitive) assert.ok(isSensitivePath(path), path);
		const usual = [
			...['src/a.ts', 'environment.ts', 'docs/env', 'workflows/a.yml', '.github/README.md'],
			...['keyboard.ts', 'pem.ts', 'gitignore', '.gitignore', 'src/vscode/x.ts', 'package.json'],
		];
		for (const path of usual) assert.ok(!isSensitivePath(path), path);
	});

	it('offer to allow in a notification only what it says whole and as it is', () => {
		assert.deepEqual(noticeOf(run('npm test')), {
			text: 'Espalier wants to run “npm test”',
			isWhole: true,
		});
		assert.deepEqual(noticeOf(change('edit', 'src/a.ts')), {
			text: 'Espalier wants to edit “src/a.ts”',
			isWhole: false,
		});
		for (const command of [
			...['x'.repeat(300), 'ls\nrm -rf ~', 'ls \u202e', '[ls](command:workbench.action.quit)'],
			'echo a; [x](https://example.org)',
		]) {
			const { text, isWhole } = noticeOf(run(command));
			assert.equal(isWhole, false, command);
			assert.ok(text.length < 250 && !text.includes('](') && !text.includes('\n'));
		}
	});
});
