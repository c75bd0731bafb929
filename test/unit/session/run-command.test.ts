import { strict as assert } from 'node:assert';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ProcessCommandRunner } from '../../../src/node/command-runner.ts';
import { UserError } from '../../../src/util/errors.ts';
import { startScriptedServer, steps, type ScriptedServer } from '../../support/scripted-server.ts';
import { openBuilt, type AtWork } from '../../support/session-at-work.ts';
import { SessionBuilder } from '../../support/session-builder.ts';
import { tempWorkspace, type TempWorkspace } from '../../support/temp-workspace.ts';
import { fileAppears, processEnds } from '../../support/waiting.ts';

const failsWith = (reason: string) => (error: unknown) =>
	error instanceof UserError && error.reason === reason;

describe("a person's command", () => {
	let server: ScriptedServer;
	let workspace: TempWorkspace;

	before(async () => {
		server = await startScriptedServer();
	});
	after(() => server.close());
	beforeEach(async () => {
		server.reset();
		workspace = await tempWorkspace();
	});
	afterEach(() => workspace.remove());

	const open = () =>
		openBuilt(new SessionBuilder(), {
			server,
			setup: {
				commands: { runner: new ProcessCommandRunner(workspace.outputs), folder: workspace.root },
			},
		});
	const last = ({ manager }: AtWork) => {
		const entry = manager.getBranch().at(-1);
		assert(entry?.type === 'message' && entry.message.role === 'bashExecution');
		return entry.message;
	};

	it('is stored with what it printed, told on the way, and sent with the next prompt', async () => {
		const work = await open();
		let told = '';
		work.session.toolEvents.on((event) => {
			if (event.type === 'commandOutput') told += event.delta;
		});
		await work.session.runCommand('echo hello; exit 2');
		const { timestamp, ...message } = last(work);
		assert(timestamp > 0);
		assert.deepEqual(message, {
			role: 'bashExecution',
			command: 'echo hello; exit 2',
			output: 'hello\n',
			exitCode: 2,
			cancelled: false,
			truncated: false,
		});
		assert.equal(told, 'hello\n');
		server.enqueue(steps.text('ok'));
		await work.session.prompt('And?');
		await work.session.whenIdle();
		assert.match(JSON.stringify(server.requests[0]?.body.messages), /hello/);
	});

	it('with !! is never sent', async () => {
		const work = await open();
		await work.session.runCommand('echo hello', { excludeFromContext: true });
		assert.equal(last(work).excludeFromContext, true);
		server.enqueue(steps.text('ok'));
		await work.session.prompt('And?');
		await work.session.whenIdle();
		assert.doesNotMatch(JSON.stringify(server.requests[0]?.body.messages), /hello/);
	});

	it('is ended by abort alone; prompts wait for it, compaction is refused', async () => {
		const work = await open();
		const running = work.session.runCommand('echo begun; echo $$ > pid; sleep 600');
		const pid = Number(await fileAppears(path.join(workspace.root, 'pid')));
		await assert.rejects(work.session.compact(), failsWith('busy'));
		await assert.rejects(work.session.runCommand('true'), /a command is running/);
		await work.session.prompt('Next');
		assert.deepEqual(
			work.session.queued.map(({ text }) => text),
			['Next'],
		);
		server.enqueue(steps.text('ok'));
		await work.session.abort();
		await running;
		await processEnds(pid);
		await work.session.whenIdle();
		const roles = work.manager
			.getBranch()
			.map((entry) => (entry.type === 'message' ? entry.message.role : entry.type));
		assert.deepEqual(roles, ['bashExecution', 'user', 'assistant']);
		const [first] = work.manager.getBranch();
		assert(first?.type === 'message' && first.message.role === 'bashExecution');
		assert.deepEqual([first.message.cancelled, first.message.output], [true, 'begun\n']);
	});

	it('has run once where its output cannot be saved; that is told, and asking again saves it', async () => {
		const work = await open();
		const failures: string[] = [];
		work.session.events.on((event) => {
			if (event.type === 'turnFailed') failures.push(event.error.reason);
		});
		const append = work.storage.append.bind(work.storage);
		work.storage.append = () => Promise.reject(new UserError('disk-full', 'The disk is full.'));
		await work.session.runCommand('echo ran >> count; echo hello');
		assert.deepEqual(failures, ['disk-full']);
		assert.equal(work.manager.getBranch().length, 0);
		work.storage.append = append;
		await work.session.continue();
		assert.equal(last(work).output, 'hello\n');
		assert.equal(readFileSync(path.join(workspace.root, 'count'), 'utf8'), 'ran\n');
		assert.equal(server.requests.length, 0);
	});

	it('is refused where commands cannot run, and while an answer comes in', async () => {
		const without = await openBuilt(new SessionBuilder(), { server });
		await assert.rejects(without.session.runCommand('touch x'), failsWith('no-commands'));
		const work = await open();
		server.enqueue(steps.hang());
		await work.session.prompt('Hi');
		await assert.rejects(work.session.runCommand('touch x'), failsWith('busy'));
		await work.session.abort();
		assert(!existsSync(path.join(workspace.root, 'x')));
	});
});
