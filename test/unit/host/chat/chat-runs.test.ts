/** The host's side of what is at work: calls, their output and questions, and a person's commands. */
import assert from 'node:assert/strict';
import type { ApprovalRequest } from '../../../../src/agent/tool.ts';
import type { LiveRun } from '../../../../src/protocol/live-run.ts';
import type { HostMessage } from '../../../../src/protocol/panel.ts';
import { UserError } from '../../../../src/util/errors.ts';
import { FakeSession, frame, setUpChat, type ChatContext } from './chat-support.ts';

const bash: ApprovalRequest = {
	toolCallId: 'c1',
	toolName: 'bash',
	access: 'run',
	act: { kind: 'run', command: 'npm test', folder: '/w', timeoutMs: 1_000 },
};

describe('chat controller: what is at work', () => {
	let context: ChatContext;
	beforeEach(async () => {
		context = setUpChat();
		context.receive({ type: 'ready' });
		await frame();
		context.posted.length = 0;
	});
	afterEach(() => context.controller.dispose());

	const of = <T extends HostMessage['type']>(type: T) =>
		context.posted.filter((message) => message.type === type) as Extract<
			HostMessage,
			{ type: T }
		>[];
	const runs = () => of('runs').at(-1)?.runs ?? [];
	const start = (toolCallId = 'c1') =>
		context.session.toolEvents.emit({
			type: 'toolStarted',
			toolCallId,
			toolName: 'bash',
			arguments: {},
		});
	const print = (delta: string, toolCallId = 'c1') =>
		context.session.toolEvents.emit({ type: 'toolOutput', toolCallId, delta });
	const ask = (signal = new AbortController().signal, session = context.session.manager.id) =>
		context.approvals.forSession(session, '/w').ask(bash, signal);

	it('tells of a call when it starts and when it has ended', async () => {
		context.session.become('streaming');
		start();
		await frame();
		assert.partialDeepStrictEqual(runs(), [{ kind: 'tool', callId: 'c1', question: null }]);
		context.session.toolEvents.emit({ type: 'toolEnded', toolCallId: 'c1', isError: false });
		await frame();
		assert.deepEqual(runs(), []);
	});

	it('sends ten thousand pieces of output as a few messages of a bounded size', async () => {
		context.session.become('streaming');
		start();
		await frame();
		context.posted.length = 0;
		for (let index = 0; index < 10_000; index++) print(`line ${index}\n`);
		await frame();
		const outputs = of('output');
		assert.ok(outputs.length >= 1 && outputs.length < 20, `${outputs.length} messages`);
		assert.ok(JSON.stringify(outputs).length < 200_000);
		const last = outputs.at(-1)?.outputs[0]?.output;
		assert.ok(last?.text.endsWith('line 9999\n'));
		const told = outputs.reduce((sum, { outputs: [one] }) => {
			return sum + (one?.output.cut ?? 0) + (one?.output.text.length ?? 0);
		}, 0);
		assert.equal(told, 98_890, 'what is left out is counted');
	});

	it('has all of it in a snapshot, and sends nothing of that again', async () => {
		context.session.become('streaming');
		start();
		print('so far');
		const answer = ask();
		context.receive({ type: 'ready' });
		const [snapshot] = of('snapshot');
		assert.partialDeepStrictEqual(snapshot?.runs, [
			{
				callId: 'c1',
				output: { text: 'so far' },
				question: { tool: 'bash', kind: 'run', text: 'npm test', folder: '/w', lasting: true },
			},
		]);
		await frame();
		assert.deepEqual(of('output'), []);
		print(' and more');
		await frame();
		assert.deepEqual(of('output').at(-1)?.outputs[0]?.output, { text: ' and more', cut: 0 });
		context.approvals.answer(context.approvals.pending()[0]?.requestId ?? '', { allow: 'once' });
		assert.equal(await answer, 'allow');
	});

	it('tells a page that was hidden, or loaded anew, of the question that waits', async () => {
		context.session.become('streaming');
		context.controller.setVisible(false);
		start();
		void ask();
		await frame();
		assert.deepEqual(context.posted, []);
		context.controller.setVisible(true);
		assert.partialDeepStrictEqual(of('snapshot')[0]?.runs, [{ question: { text: 'npm test' } }]);
		// A view that was moved gets a counterpart that has heard of no call.
		const moved = setUpChat({ session: context.session, approvals: context.approvals });
		moved.receive({ type: 'ready' });
		assert.partialDeepStrictEqual(moved.lastSnapshot(), {
			runs: [{ callId: 'c1', question: { text: 'npm test' } }],
		});
		moved.controller.dispose();
	});

	const questionId = (run: LiveRun | undefined) =>
		(run?.kind === 'tool' && run.question?.requestId) || '';

	it('passes an answer on, once, and never one that is old, forged or for another session', async () => {
		const { approvals, receive } = context;
		start();
		const answer = ask();
		const elsewhere = ask(undefined, 'another');
		await frame();
		const requestId = questionId(runs()[0]);
		const other = approvals.pending('another')[0]?.requestId ?? '';
		const say = (id: string) =>
			receive({ type: 'approval', requestId: id, decision: 'workspace', reason: '' });
		say('forged');
		say(other);
		assert.equal(approvals.pending().length, 2);
		receive({ type: 'approval', requestId, decision: 'refuse', reason: 'too slow' });
		assert.deepEqual(await answer, { refused: 'the person refused, and says: too slow' });
		say(requestId);
		await frame();
		assert.partialDeepStrictEqual(runs(), [{ question: null }]);
		assert.deepEqual(approvals.grants(), []);
		assert.deepEqual(approvals.pending(), approvals.pending('another'));
		approvals.answer(other, { allow: 'once' });
		assert.equal(await elsewhere, 'allow');
		receive({ type: 'showChange', requestId });
		assert.deepEqual(context.acted, [`change:${requestId}`]);
	});

	it('withdraws the question of a turn that is stopped', async () => {
		const controller = new AbortController();
		context.session.become('streaming');
		start();
		void ask(controller.signal);
		await frame();
		assert.notEqual(questionId(runs()[0]), '');
		controller.abort();
		context.session.become('idle');
		await frame();
		assert.deepEqual(runs(), []);
	});

	describe('commands', () => {
		const send = (text: string) => {
			const sessionId = context.session.manager.id;
			context.receive({ type: 'draft', sessionId, text, revision: 1 });
			context.receive({ type: 'prompt', requestId: 'r', sessionId, text });
		};
		const rejection = () => of('promptRejected').at(-1)?.message;

		it('run, with or without the model being told, and show what they print', async () => {
			const { drafts, session } = context;
			context.host.model = undefined;
			send('!!ls -l');
			assert.partialDeepStrictEqual(session.commands, [
				{ command: 'ls -l', options: { excludeFromContext: true } },
			]);
			assert.equal(of('promptAccepted').length, 1);
			assert.equal(drafts.get(session.manager.id), '');
			session.toolEvents.emit({ type: 'commandOutput', delta: 'total 0' });
			await frame();
			assert.partialDeepStrictEqual(runs(), [
				{ kind: 'command', command: 'ls -l', inContext: false, output: { text: '' } },
			]);
			assert.partialDeepStrictEqual(of('output').at(-1)?.outputs, [
				{ output: { text: 'total 0' } },
			]);
			await session.manager.appendMessage({
				role: 'bashExecution',
				command: 'ls -l',
				output: 'total 0',
				exitCode: 0,
				cancelled: false,
				truncated: false,
				timestamp: 1,
			});
			session.commands[0]?.end();
			await frame();
			assert.deepEqual(runs(), []);
			assert.partialDeepStrictEqual(of('appended').at(-1)?.items, [{ kind: 'bash' }]);
			send('! ls');
			assert.partialDeepStrictEqual(session.commands[1], {
				command: 'ls',
				options: { excludeFromContext: false },
			});
			session.commands[1]?.end();
		});

		it('come back into the composer where they cannot be run, with the reason', async () => {
			const { drafts, session } = context;
			session.failWith = new UserError('no-commands', 'Commands cannot be run here.', {
				hint: 'Open a trusted folder.',
			});
			send('!ls');
			await frame();
			assert.equal(rejection(), 'Commands cannot be run here. Open a trusted folder.');
			assert.equal(drafts.get(session.manager.id), '!ls');
			assert.deepEqual(
				of('setEditor').map(({ text }) => text),
				['!ls'],
			);
			assert.deepEqual(runs(), []);
			assert.equal(session.manager.getBranch().length, 0);
		});

		it('come back as prose where something was typed meanwhile, which would become part of them', async () => {
			const { drafts, session } = context;
			send('!ls');
			drafts.set(session.manager.id, 'Please remove nothing');
			session.commands[0]?.end(new UserError('x', 'No.'));
			await frame();
			assert.equal(drafts.get(session.manager.id), ' !ls\n\nPlease remove nothing');
		});

		it('go on, in sight, where another one is refused meanwhile', async () => {
			const { session } = context;
			send('!sleep 1');
			await frame();
			session.failWith = new UserError('busy', 'Cannot run a command now.');
			send('!pwd');
			await frame();
			assert.partialDeepStrictEqual(runs(), [{ kind: 'command', command: 'sleep 1' }]);
			session.commands[0]?.end();
		});

		it('are not taken while something else is done', async () => {
			const { drafts, session } = context;
			session.activity = 'streaming';
			session.failWith = new UserError('busy', 'Cannot run a command now.');
			send('!ls');
			await frame();
			assert.deepEqual(of('promptAccepted'), []);
			assert.equal(rejection(), 'Cannot run a command now.');
			assert.equal(drafts.get(session.manager.id), '!ls');
		});

		it('need a command, and a space before the mark sends a text as it is', async () => {
			const { session } = context;
			send('!! ');
			assert.match(rejection() ?? '', /Write a command after "!"/);
			send(' !important');
			await frame();
			assert.deepEqual(session.commands, []);
			assert.partialDeepStrictEqual(of('appended').at(-1)?.items, [
				{ kind: 'user', text: { text: ' !important' } },
			]);
		});

		it('stay with their session where another one is on show when they fail', async () => {
			const { changes, drafts, host, session } = context;
			send('!ls');
			host.session = new FakeSession();
			changes.emit();
			session.commands[0]?.end(new UserError('x', 'No.'));
			await frame();
			assert.deepEqual(of('promptRejected'), []);
			assert.equal(drafts.get(session.manager.id), '!ls');
		});
	});
});
