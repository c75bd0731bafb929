import { strict as assert } from 'node:assert';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ToolResultMessage } from '../../../src/agent/messages.ts';
import type { ApprovalPort, ApprovalRequest, Tool } from '../../../src/agent/tool.ts';
import type { ToolEvent } from '../../../src/session/agent-events.ts';
import { buildRequest } from '../../../src/session/request-builder.ts';
import { MemorySessionStorage } from '../../../src/session/session-storage.ts';
import {
	startScriptedServer,
	steps,
	type RecordedRequest,
	type ScriptedServer,
} from '../../support/scripted-server.ts';
import { openAtWork, openBuilt, type AtWork } from '../../support/session-at-work.ts';
import { SessionBuilder, textOfTokens } from '../../support/session-builder.ts';
import { tempWorkspace, textOf, type TempWorkspace } from '../../support/temp-workspace.ts';
import { fileAppears, processEnds } from '../../support/waiting.ts';

let callNumber = 0;
const call = (name: string, args: object | string) => ({
	id: `call-${++callNumber}`,
	name,
	arguments: typeof args === 'string' ? args : JSON.stringify(args),
});

describe('a turn with tools', () => {
	let server: ScriptedServer;
	let workspace: TempWorkspace;
	let asked: ApprovalRequest[];
	const allow: ApprovalPort = {
		ask: async (request) => {
			asked.push(request);
			return 'allow';
		},
	};

	before(async () => {
		server = await startScriptedServer();
	});
	after(() => server.close());
	beforeEach(async () => {
		server.reset();
		asked = [];
		workspace = await tempWorkspace();
	});
	afterEach(() => workspace.remove());

	async function open(parts: { approval?: ApprovalPort; tools?: Tool[] } = {}) {
		const setup = { tools: workspace.tools, approval: allow, ...parts };
		const work = await openBuilt(new SessionBuilder(), { server, setup });
		const toolEvents: ToolEvent[] = [];
		work.session.toolEvents.on((event) => toolEvents.push(event));
		return { ...work, toolEvents };
	}
	const ask = async ({ session }: AtWork, text = 'Do it') => {
		await session.prompt(text);
		await session.whenIdle();
	};
	const messages = ({ manager }: AtWork) =>
		manager.getBranch().flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));
	const results = (work: AtWork) =>
		messages(work).filter((message): message is ToolResultMessage => message.role === 'toolResult');
	const failure = async (work: AtWork) => {
		await ask(work);
		const [result] = results(work);
		assert(result?.isError);
		return textOf(result);
	};

	it('runs the calls in their order on real files and gives the model what they say', async () => {
		const work = await open();
		await writeFile(path.join(workspace.root, 'a.txt'), 'one\n');
		server.enqueue(
			steps.toolCalls([
				call('edit', { path: 'a.txt', oldText: 'one', newText: 'two' }),
				call('bash', { command: 'cat a.txt && echo more >> a.txt' }),
				call('read', { path: 'a.txt' }),
			]),
			steps.text('Done.'),
		);
		await ask(work);
		assert.deepEqual(
			results(work).map((result) => [result.toolName, result.isError, textOf(result)]),
			[
				['edit', false, 'Edited a.txt: 1 place replaced.'],
				['bash', false, 'two\n'],
				['read', false, 'two\nmore'],
			],
		);
		const roles = messages(work).map(({ role }) => role);
		const tools = ['toolResult', 'toolResult', 'toolResult'];
		assert.deepEqual(roles, ['user', 'assistant', ...tools, 'assistant']);
		const sent = server.requests[1]?.body.messages.map(({ role }) => role);
		assert.deepEqual(sent, ['user', 'assistant', 'tool', 'tool', 'tool']);
		assert.deepEqual(
			asked.map(({ act }) => act),
			[
				{ kind: 'edit', path: 'a.txt', before: 'one\n', after: 'two\n' },
				{
					kind: 'run',
					command: 'cat a.txt && echo more >> a.txt',
					folder: workspace.root,
					timeoutMs: 120_000,
				},
			],
		);
		assert.deepEqual(
			work.toolEvents.map((event) => event.type),
			[
				...['toolStarted', 'toolEnded', 'toolStarted', 'toolOutput', 'toolEnded'],
				...['toolStarted', 'toolEnded'],
			],
		);
		assert.deepEqual(
			messages(work).flatMap((message) =>
				message.role === 'assistant' ? [message.usage.totalTokens > 0] : [],
			),
			[true, true],
		);
	});

	it('has each message on disk before what follows from it', async () => {
		const lines: number[] = [];
		const storage = new MemorySessionStorage(new SessionBuilder().lines());
		const probe: Tool = {
			name: 'probe',
			description: '',
			parameters: { type: 'object', properties: {}, additionalProperties: false },
			access: 'read',
			run: async () => {
				lines.push(storage.lines.length);
				return { content: [{ type: 'text', text: 'ok' }], isError: false };
			},
		};
		const work = await openAtWork(storage, { server, setup: { tools: [probe] } });
		server.enqueue(steps.toolCalls([call('probe', {}), call('probe', '')]), () => {
			lines.push(storage.lines.length);
			return steps.text('ok');
		});
		await ask(work);
		// Header, prompt, answer; then one result after the other.
		assert.deepEqual(lines, [3, 4, 5]);
	});

	it('tells the model of calls that cannot be run, and runs nothing', async () => {
		const cases: [ReturnType<typeof call>, RegExp][] = [
			[call('fly', {}), /no tool "fly".*read, write, edit, bash, grep, find, ls/],
			[call('write', { path: 'x' }), /do not fit write: content is missing/],
			// C17.225: two objects back to back.
			[
				call('write', '{"path":"x","content":"1"}{"path":"y"}'),
				/not one JSON object.*They begin: \{"path/,
			],
			[call('bash', { command: 'true', timeout: 601 }), /timeout must be at most 600/],
			[call('read', { path: '../outside/x' }), /outside of the workspace/],
			[call('write', { path: '../x', content: '' }), /outside of the workspace/],
		];
		for (const [one, expected] of cases) {
			server.reset();
			server.enqueue(steps.toolCalls([one]), steps.text('I see.'));
			const work = await open();
			assert.match(await failure(work), expected);
			assert.equal(messages(work).at(-1)?.role, 'assistant');
			assert.equal(server.requests.length, 2);
		}
		assert.deepEqual(asked, []);
		assert(!existsSync(path.join(workspace.root, 'x')));
	});

	it('writes and runs nothing that was refused, or that nobody can allow', async () => {
		const refusing = { ask: () => Promise.resolve({ refused: 'Not that file.' }) };
		for (const approval of [refusing, undefined])
			for (const one of [
				call('write', { path: 'x', content: '' }),
				call('bash', { command: 'touch x' }),
			]) {
				server.reset();
				server.enqueue(steps.toolCalls([one]), steps.text('I see.'));
				const work = await openBuilt(new SessionBuilder(), {
					server,
					setup: { tools: workspace.tools, ...(approval ? { approval } : {}) },
				});
				assert.match(await failure(work), /^Not allowed: (Not that file\.|nobody)/);
				assert(!existsSync(path.join(workspace.root, 'x')));
			}
	});

	it('goes on after a tool that throws, or that takes too long and is deaf', async () => {
		const tool = (name: string, run: Tool['run']): Tool => ({
			name,
			description: '',
			parameters: { type: 'object', properties: {}, additionalProperties: false },
			access: 'read',
			timeoutMs: 20,
			run,
		});
		const tools = [
			tool('throws', () => Promise.reject(new Error('The disk is gone.'))),
			tool(
				'slow',
				(_, { signal }) =>
					new Promise((_resolve, reject) => {
						signal.addEventListener('abort', () => reject(new Error('ended')));
					}),
			),
		];
		const work = await open({ tools });
		server.enqueue(steps.toolCalls([call('throws', {}), call('slow', {})]), steps.text('ok'));
		await ask(work);
		assert.deepEqual(results(work).map(textOf), [
			'The disk is gone.',
			'slow was stopped: it took longer than 0.02 s.',
		]);
	});

	it('runs no call of an answer that was cut off at its limit', async () => {
		const work = await open();
		const cut = [call('write', { path: 'x', content: 'half' })];
		server.enqueue(steps.toolCalls(cut, { finishReason: 'length' }), steps.text('ok'));
		assert.match(await failure(work), /output limit/);
		assert(!existsSync(path.join(workspace.root, 'x')));
	});

	it('caps what a tool gives before it is stored (C12.156)', async () => {
		const text = 'x'.repeat(20_000_000);
		const huge: Tool = {
			name: 'huge',
			description: '',
			parameters: { type: 'object', properties: {}, additionalProperties: false },
			access: 'read',
			run: async () => ({ content: [{ type: 'text', text }], isError: false }),
		};
		const work = await open({ tools: [huge] });
		server.enqueue(steps.toolCalls([call('huge', {})]), steps.text('ok'));
		await ask(work);
		assert(work.storage.lines.every((line) => line.length < 300_000));
		assert.match(results(work).map(textOf).join(''), /characters cut/);
	});

	it('stopped in the middle of a command ends all of it, and answers every call (C03)', async () => {
		const work = await open();
		const { root } = workspace;
		server.enqueue(
			steps.toolCalls([
				call('bash', {
					command:
						'echo begun; (echo $BASHPID > pid; while [ ! -e go ]; do sleep 0.02; done; echo x > late) & wait',
				}),
				call('write', { path: 'second', content: '' }),
			]),
			steps.text('ok'),
		);
		await work.session.prompt('Do it');
		const pid = Number(await fileAppears(path.join(root, 'pid')));
		await work.session.abort();
		await processEnds(pid);
		await writeFile(path.join(root, 'go'), '');
		assert(!existsSync(path.join(root, 'late')) && !existsSync(path.join(root, 'second')));
		assert.equal(work.session.activity, 'idle');
		const [first, second] = results(work);
		assert(first?.isError && second?.isError);
		assert.match(textOf(first), /^begun\n.*Stopped/s);
		assert.match(textOf(second), /Not run/);
		const { repairs } = buildRequest(messages(work));
		assert.deepEqual(repairs, []);
		await ask(work, 'Again');
		const sent = server.requests[1]?.body.messages.map(({ role }) => role);
		assert.deepEqual(sent, ['user', 'assistant', 'tool', 'tool', 'user']);
	});

	it('stopped while a person is asked runs nothing, and takes the question back', async () => {
		let takenBack = false;
		const asking = new Promise<void>((resolve) => {
			void open({
				approval: {
					ask: (_, signal) => {
						signal.addEventListener('abort', () => (takenBack = true));
						resolve();
						return new Promise(() => {});
					},
				},
			}).then(async (work) => {
				opened = work;
				server.enqueue(steps.toolCalls([call('bash', { command: 'touch x' })]));
				await work.session.prompt('Do it');
			});
		});
		let opened: AtWork | undefined;
		await asking;
		assert(opened);
		await opened.session.abort();
		assert(takenBack);
		assert(results(opened)[0]?.isError);
		assert(!existsSync(path.join(workspace.root, 'x')));
	});

	it('interrupted by a compaction in a tool is taken up once afterwards (C09)', async () => {
		const builder = new SessionBuilder();
		for (let turn = 1; turn <= 5; turn++) {
			builder.user(`Request ${turn}: ${textOfTokens(300)}`);
			builder.assistant(`Answer ${turn}: ${textOfTokens(300)}`);
		}
		const work = await openBuilt(builder, {
			server,
			setup: { tools: workspace.tools, approval: allow },
		});
		server.enqueue(steps.toolCalls([call('bash', { command: 'echo $$ > pid; sleep 600' })]));
		const isTurn = ({ body }: RecordedRequest) => body.messages.some(({ role }) => role === 'tool');
		server.setDefault((request) =>
			steps.text(isTurn(request) ? 'Went on.' : '## Goal\nThe summary.'),
		);
		await work.session.prompt('Do it');
		await fileAppears(path.join(workspace.root, 'pid'));
		await work.session.compact();
		await work.session.whenIdle();
		const turns = server.requests.slice(1).filter(isTurn);
		assert.equal(turns.length, 1);
		const roles = turns[0]?.body.messages.map(({ role }) => role);
		assert.deepEqual(roles?.slice(-3), ['user', 'assistant', 'tool']);
		assert.match(JSON.stringify(messages(work).at(-1)), /Went on/);
	});

	it('keeps a result that could not be saved, and goes on from it when asked again', async () => {
		const storage = new MemorySessionStorage(new SessionBuilder().lines());
		const append = storage.append.bind(storage);
		let full = false;
		storage.append = (lines) =>
			full ? Promise.reject(new Error('The disk is full.')) : append(lines);
		const tools = workspace.tools.map((tool) => ({
			...tool,
			run: async (...given: Parameters<Tool['run']>) => {
				full = true;
				return tool.run(...given);
			},
		}));
		const work = await openAtWork(storage, { server, setup: { tools } });
		server.enqueue(steps.toolCalls([call('ls', {})]), steps.text('Done.'));
		await ask(work);
		const failed = work.events.find((event) => event.type === 'turnFailed');
		assert.match(failed?.error.fullText ?? '', /tool's result could not be saved.*kept/);
		full = false;
		await work.session.continue();
		await work.session.whenIdle();
		assert.deepEqual(results(work).map(textOf), ['(. is empty.)']);
		assert.equal(messages(work).at(-1)?.role, 'assistant');
	});

	it('without tools is one answer, whatever that calls', async () => {
		const work = await openBuilt(new SessionBuilder(), { server });
		server.enqueue(steps.toolCalls([call('bash', { command: 'true' })]));
		await ask(work);
		assert.equal(server.requests.length, 1);
		assert.deepEqual(results(work), []);
	});

	it('names outputs that were cut so that the model can read them', async () => {
		const work = await open();
		await mkdir(path.join(workspace.root, 'd'));
		server.enqueue(
			steps.toolCalls([call('bash', { command: 'seq 1 50000' })]),
			(request) => {
				const text = JSON.stringify(request.body.messages.at(-1));
				const file = /All of the output is in ([^\]]+)\]/.exec(text)?.[1] ?? '';
				return steps.toolCalls([call('read', { path: file, offset: 30_000, limit: 1 })]);
			},
			steps.text('ok'),
		);
		await ask(work);
		assert.match(textOf(results(work)[1] ?? { content: [] }), /^30000\n/);
		const { details } = results(work)[0] ?? {};
		const kept = details as { fullOutputPath: string };
		assert.match(await readFile(kept.fullOutputPath, 'utf8'), /^1\n2\n/);
	});
});
