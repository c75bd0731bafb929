import { strict as assert } from 'node:assert';
import type { Model } from '../../../src/agent/model.ts';
import { createOfflineSummarizer } from '../../../src/providers/offline/offline-summarizer.ts';
import { createOpenAIModel } from '../../../src/providers/openai/openai-model.ts';
import { AgentSession } from '../../../src/session/agent-session.ts';
import type { AgentSessionEvent } from '../../../src/session/agent-events.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { MemorySessionStorage } from '../../../src/session/session-storage.ts';
import { UserError } from '../../../src/util/errors.ts';
import {
	Gate,
	startScriptedServer,
	steps,
	type ScriptedServer,
} from '../../support/scripted-server.ts';
import { SessionBuilder, textOfTokens } from '../../support/session-builder.ts';

const failsWith = (reason: string) => (error: unknown) =>
	error instanceof UserError && error.reason === reason;

/** Five turns of about 400 tokens each: with 500 kept there is history to compact. */
function longSession(): SessionBuilder {
	const builder = new SessionBuilder();
	for (let turn = 1; turn <= 5; turn++) {
		builder.user(`Request ${turn}: ${textOfTokens(180)}`, `u${turn}`);
		builder.assistant(`Answer ${turn}: ${textOfTokens(180)}`, `a${turn}`);
	}
	return builder;
}

describe('agent session', () => {
	let server: ScriptedServer;
	let storage: MemorySessionStorage;
	let session: AgentSession;
	let events: AgentSessionEvent[];

	before(async () => {
		server = await startScriptedServer();
	});
	after(() => server.close());
	beforeEach(() => server.reset());

	async function open(builder = new SessionBuilder(), connected: boolean | Model = true) {
		storage = new MemorySessionStorage(builder.lines());
		const manager = await SessionManager.open(storage);
		const model = createOpenAIModel({
			baseUrl: server.baseUrl,
			model: 'scripted',
			contextWindow: 32_000,
		});
		session = new AgentSession(manager, {
			model: () => Promise.resolve(connected === true ? model : connected || undefined),
			offline: createOfflineSummarizer(),
			settings: () => ({
				compaction: { reserveTokens: 16_384, keepRecentTokens: 500 },
				branchSummary: { enabled: false, reserveTokens: 16_384 },
				contextWindow: 32_000,
			}),
		});
		events = [];
		session.events.on((event) => events.push(event));
	}
	const leafMessage = () => {
		const entry = session.manager.getBranch().at(-1);
		assert(entry?.type === 'message');
		return entry.message;
	};

	it('has the prompt on disk before the model is asked, and streams the answer into the file', async () => {
		await open();
		let linesWhenAsked = 0;
		server.enqueue(() => {
			linesWhenAsked = storage.lines.length;
			return steps.text('Hello there.');
		});
		await session.prompt('Hi');
		await session.whenIdle();
		assert.equal(linesWhenAsked, 2);
		const message = leafMessage();
		assert(message.role === 'assistant');
		assert.deepEqual(message.content, [{ type: 'text', text: 'Hello there.' }]);
		const streamed = events
			.map((event) => (event.type === 'textDelta' ? event.delta : ''))
			.join('');
		assert.equal(streamed, 'Hello there.');
	});

	it('refuses a prompt without a model and changes nothing', async () => {
		await open(new SessionBuilder(), false);
		await assert.rejects(session.prompt('Hi'), failsWith('no-model'));
		assert.equal(storage.lines.length, 1);
		assert.equal(session.activity, 'idle');
	});

	it('records a failed turn, says why, and asks again without a second prompt entry (C11)', async () => {
		await open();
		server.enqueue(steps.status(500, { error: { message: 'down' } }), steps.text('Here I am.'));
		await session.prompt('Hi');
		await session.whenIdle();
		const failure = events.find((event) => event.type === 'turnFailed');
		assert.match(failure?.error.fullText ?? '', /saved in the session/);
		await session.continue();
		await session.whenIdle();
		const sent = server.requests[1]?.body.messages ?? [];
		assert.deepEqual(
			sent.map(({ role }) => role),
			['user'],
		);
		const users = session.manager
			.getBranch()
			.filter((entry) => entry.type === 'message' && entry.message.role === 'user');
		assert.equal(users.length, 1);
	});

	it('records what had come when the user stops, and leaves it out of the next request', async () => {
		await open();
		const gate = new Gate();
		server.enqueue(steps.text('One two three four', { gate }), steps.text('ok'));
		const first = new Promise<void>((resolve) =>
			session.events.on((event) => event.type === 'textDelta' && resolve()),
		);
		await session.prompt('Count');
		gate.release(1);
		await first;
		await session.abort();
		const message = leafMessage();
		assert(message.role === 'assistant' && message.stopReason === 'aborted');
		await session.prompt('Again');
		await session.whenIdle();
		const sent = server.requests[1]?.body.messages ?? [];
		assert(sent.every(({ role }) => role === 'user'));
	});

	it('compacts: the next request carries the summary and the kept messages, nothing older', async () => {
		await open(longSession());
		server.enqueue(steps.text('## Goal\nThe summary.'), steps.text('Going on.'));
		const outcome = await session.compact();
		assert.equal(outcome.entry.firstKeptEntryId, 'u5');
		assert(outcome.tokensAfter < outcome.tokensBefore);
		await session.prompt('Next');
		await session.whenIdle();
		const sent = JSON.stringify(server.requests.at(-1)?.body.messages);
		assert.match(sent, /The summary\./);
		assert.match(sent, /Request 5/);
		assert.doesNotMatch(sent, /Request [1-4]/);
	});

	it('leaves the session as it was where no usable summary comes back (C02, C05)', async () => {
		const refusals = [
			steps.status(401, { error: { message: 'bad key' } }),
			steps.text(''),
			steps.text('   \n'),
			steps.text('cut', { finishReason: 'length' }),
		];
		for (const refusal of refusals) {
			await open(longSession());
			const before = [...storage.lines];
			server.enqueue(refusal);
			await assert.rejects(session.compact(), UserError);
			assert.deepEqual(storage.lines, before);
			assert.equal(session.activity, 'idle');
		}
		const outcome = await session.compact({ summarizer: 'offline' });
		assert.equal(outcome.summarizer, 'offline');
	});

	it('uses the offline summarizer where no model is connected', async () => {
		await open(longSession(), false);
		const outcome = await session.compact({ instructions: 'request 2' });
		assert.equal(outcome.summarizer, 'offline');
		assert.equal(server.requests.length, 0);
	});

	it('cancels a compaction and closes the connection', async () => {
		await open(longSession());
		const before = [...storage.lines];
		server.enqueue(steps.hang());
		const compacting = session.compact();
		const request = await server.waitForRequest(1);
		session.abortCompaction();
		await assert.rejects(compacting, (error: Error) => error.name === 'AbortError');
		assert.equal(await request.closed, 'early');
		assert.deepEqual(storage.lines, before);
	});

	it('queues prompts during a compaction and sends them afterwards, in order (C08)', async () => {
		await open(longSession());
		const gate = new Gate();
		server.enqueue(steps.text('The summary.', { gate }), steps.text('one'), steps.text('two'));
		const compacting = session.compact();
		await server.waitForRequest(1);
		await session.prompt('first');
		await session.prompt('second');
		assert.deepEqual(
			session.queued.map(({ text }) => text),
			['first', 'second'],
		);
		gate.open();
		await compacting;
		await server.waitForRequest(3);
		await session.whenIdle();
		const prompts = session.manager
			.getBranch()
			.slice(11)
			.flatMap((entry) =>
				entry.type === 'message' && entry.message.role === 'user' ? [entry.message.content] : [],
			);
		assert.deepEqual(prompts, ['first', 'second']);
		assert.deepEqual(session.queued, []);
	});

	it('refuses navigation and a second compaction while one runs (C08)', async () => {
		await open(longSession());
		const gate = new Gate();
		server.enqueue(steps.text('The summary.', { gate }));
		const compacting = session.compact();
		await server.waitForRequest(1);
		await assert.rejects(session.navigateTree('a2'), failsWith('busy'));
		await assert.rejects(session.compact(), failsWith('busy'));
		gate.open();
		const { entry } = await compacting;
		assert.equal(entry.parentId, 'a5');
	});

	it('aborts a running turn to compact, and resumes it once', async () => {
		await open(longSession());
		const gate = new Gate();
		server.enqueue(
			steps.text('half an answer', { gate }),
			steps.text('The summary.'),
			steps.text('A line for lists.'),
			steps.text('The whole answer.'),
		);
		await session.prompt('Last question');
		await server.waitForRequest(1);
		const { entry } = await session.compact();
		assert.equal(entry.shortSummary, 'A line for lists.');
		await server.waitForRequest(4);
		await session.whenIdle();
		assert.equal(server.requests.length, 4);
		const message = leafMessage();
		assert(message.role === 'assistant');
		assert.deepEqual(message.content, [{ type: 'text', text: 'The whole answer.' }]);
		const last = server.requests[3]?.body.messages.at(-1);
		assert.match(JSON.stringify(last), /Last question/);
	});

	it('moves between branches, and attaches a summary at the new position', async () => {
		await open(longSession());
		assert.deepEqual(await session.navigateTree('a2'), { cancelled: false });
		assert.equal(session.manager.leafId, 'a2');
		server.enqueue(steps.text('What was tried.'));
		await session.navigateTree('a5');
		const edited = await session.navigateTree('u2', { summarize: true });
		assert.match(edited.editorText ?? '', /^Request 2/);
		assert.equal(edited.summaryEntry?.parentId, 'a1');
		assert.equal(edited.summaryEntry.fromId, 'a5');
		assert.equal(session.manager.leafId, edited.summaryEntry.id);
		const first = await session.navigateTree('u1');
		assert.match(first.editorText ?? '', /^Request 1/);
		assert.equal(session.manager.leafId, null);
		assert.deepEqual(session.manager.context().messages, []);
	});

	it('leaves the leaf where it was when the branch summary fails or is cancelled', async () => {
		await open(longSession());
		const before = [...storage.lines];
		server.enqueue(steps.status(503, 'unavailable'), steps.hang());
		await assert.rejects(session.navigateTree('a2', { summarize: true }), UserError);
		const controller = new AbortController();
		const moving = session.navigateTree('a2', { summarize: true, signal: controller.signal });
		await server.waitForRequest(2);
		controller.abort();
		assert.deepEqual(await moving, { cancelled: true, aborted: true });
		assert.equal(session.manager.leafId, 'a5');
		assert.deepEqual(storage.lines, before);
	});

	it('says where there is no entry, and is a no-op at the leaf', async () => {
		await open(longSession());
		await assert.rejects(session.navigateTree('nowhere'), failsWith('no-such-entry'));
		assert.deepEqual(await session.navigateTree('a5'), { cancelled: false });
		assert.deepEqual(events, []);
	});

	it('takes up no turn that had ended before the compaction, and none that failed (C09)', async () => {
		await open(longSession());
		server.enqueue(steps.text('answered'), steps.text('The summary.'), steps.text('A line.'));
		await session.prompt('Question');
		await session.whenIdle();
		await session.compact();
		await session.whenIdle();
		assert.equal(server.requests.length, 3);
	});

	it('holds the queue after a failed turn, and sends all of it with the next prompt (C08)', async () => {
		await open(longSession());
		const gate = new Gate();
		server.enqueue(async () => {
			await gate.pass();
			return steps.status(500, { error: { message: 'down' } });
		});
		await session.prompt('first');
		await server.waitForRequest(1);
		await session.prompt('second');
		gate.open();
		await session.whenIdle();
		assert.deepEqual(
			session.queued.map(({ text }) => text),
			['second'],
		);
		assert.equal(server.requests.length, 1);
		server.enqueue(steps.text('two'), steps.text('three'));
		await session.prompt('third');
		await server.waitForRequest(3);
		await session.whenIdle();
		const prompts = session.manager
			.getBranch()
			.slice(10)
			.flatMap((entry) =>
				entry.type === 'message' && entry.message.role === 'user' ? [entry.message.content] : [],
			);
		assert.deepEqual(prompts, ['first', 'second', 'third']);
	});

	it('stops at once even where the model is deaf to it (C08)', async () => {
		const deaf: Model = {
			provider: 'test',
			id: 'deaf',
			contextWindow: 32_000,
			async *stream() {
				yield { type: 'text', delta: 'half' };
				await new Promise(() => {});
			},
		};
		await open(longSession(), deaf);
		const came = new Promise<void>((resolve) =>
			session.events.on((event) => event.type === 'textDelta' && resolve()),
		);
		await session.prompt('Hi');
		await came;
		await session.abort();
		const message = leafMessage();
		assert(message.role === 'assistant' && message.stopReason === 'aborted');
		const compacting = session.compact();
		session.abortCompaction();
		await assert.rejects(compacting, (error: Error) => error.name === 'AbortError');
		assert.equal(session.activity, 'idle');
	});

	it('neither stores nor moves once it was cancelled (C08)', async () => {
		await open(longSession());
		const before = [...storage.lines];
		const cancelled = AbortSignal.abort();
		assert.deepEqual(await session.navigateTree('a2', { signal: cancelled }), {
			cancelled: true,
			aborted: true,
		});
		assert.equal(session.manager.leafId, 'a5');
		await assert.rejects(
			session.compact({ signal: cancelled, summarizer: 'offline' }),
			(error: Error) => error.name === 'AbortError',
		);
		assert.deepEqual(storage.lines, before);
	});

	it('does nothing more once it was closed', async () => {
		await open(longSession());
		const before = [...storage.lines];
		session.dispose();
		await assert.rejects(session.prompt('late'), failsWith('closed'));
		await assert.rejects(session.compact(), failsWith('closed'));
		await assert.rejects(session.navigateTree('a2'), failsWith('closed'));
		assert.deepEqual(storage.lines, before);
		assert.equal(server.requests.length, 0);
	});
});
