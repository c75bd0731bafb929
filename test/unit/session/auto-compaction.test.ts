import { strict as assert } from 'node:assert';
import type { Tool } from '../../../src/agent/tool.ts';
import { textOutcome } from '../../../src/agent/tool.ts';
import type { AgentSessionEvent } from '../../../src/session/agent-events.ts';
import type { GuardState, GuardStore } from '../../../src/session/auto-guard.ts';
import {
	Gate,
	startScriptedServer,
	steps,
	type RecordedRequest,
	type ScriptedServer,
	type Step,
} from '../../support/scripted-server.ts';
import { estimateTextTokens } from '../../../src/util/tokens.ts';
import { SessionBuilder, textOfTokens } from '../../support/session-builder.ts';
import { openAtWork, openBuilt, type AtWorkOptions } from '../../support/session-at-work.ts';
import { wireText, wireTokens } from '../../support/wire.ts';

const WINDOW = 8_000;
const overflow = steps.status(400, {
	error: { code: 'context_length_exceeded', message: 'The prompt is too long for this model.' },
});
const CONTINUE = 'Continue if you have next steps.';

/** Turns of about 600 tokens each. */
function turns(count: number): SessionBuilder {
	const builder = new SessionBuilder();
	for (let turn = 1; turn <= count; turn++) {
		builder.user(`Request ${turn}: ${textOfTokens(280)}`);
		builder.assistant(`Answer ${turn}: ${textOfTokens(280)}`);
	}
	return builder;
}

function tool(name: string, text: () => string): Tool {
	return {
		name,
		description: name,
		parameters: {
			type: 'object',
			properties: { path: { type: 'string' } },
			additionalProperties: false,
		},
		access: 'read',
		run: () => Promise.resolve(textOutcome(text())),
	};
}

const isSummary = ({ body }: RecordedRequest) =>
	!body.messages.some(({ role }) => role === 'tool') &&
	JSON.stringify(body.messages).includes('<conversation>');
const call = (id: string, name = 'read') =>
	steps.toolCalls([{ id, name, arguments: JSON.stringify({ path: `${id}.ts` }) }]);

function storeOf(kept: { state?: GuardState }): GuardStore {
	return { load: () => kept.state, save: (state) => (kept.state = state) };
}

describe('automatic compaction', () => {
	let server: ScriptedServer;
	before(async () => (server = await startScriptedServer()));
	after(() => server.close());
	beforeEach(() => server.reset());

	const open = (builder: SessionBuilder, options: AtWorkOptions = {}) =>
		openBuilt(builder, {
			...{
				server,
				contextWindow: WINDOW,
				reserveTokens: 1_500,
				keepRecentTokens: 600,
				mode: 'auto',
			},
			...options,
		});
	const ended = (events: readonly AgentSessionEvent[]) =>
		events.filter((event) => event.type === 'compactionEnded');
	/** Answers summary requests with a short summary, and others from a list, with what they really took. */
	function answering(answers: readonly Step[], last: Step = steps.text('Fine.')) {
		const left = [...answers];
		server.setDefault((request) => {
			if (isSummary(request)) return steps.text('## Goal\nGo on.');
			const next = left.shift() ?? last;
			if (next.type !== 'stream' || next.finishReason === 'length') return next;
			const completion_tokens = estimateTextTokens(JSON.stringify(next.deltas));
			return { ...next, usage: { prompt_tokens: wireTokens(request), completion_tokens } };
		});
	}
	const asked = () => server.requests.filter((request) => !isSummary(request));
	const lastSent = () => (asked().at(-1)?.body.messages ?? []).map(wireText).join('\n');

	it('compacts before the request that would pass the threshold, and tells beginning and end', async () => {
		answering([]);
		const { session, manager, events } = await open(turns(12));
		await session.prompt('The newest prompt');
		await session.whenIdle();
		assert.equal(manager.tree.countOf('compaction'), 1);
		assert.equal(asked().length, 1);
		assert.match(lastSent(), /Go on\..*The newest prompt/s);
		assert.doesNotMatch(lastSent(), /Request 1:/);
		const told = events.filter(({ type }) => type.startsWith('compaction'));
		assert.deepEqual(
			told.map((event) => [event.type, 'reason' in event && event.reason]),
			[
				['compactionStarted', 'threshold'],
				['compactionEnded', 'threshold'],
			],
		);
		assert(!events.some((event) => event.type === 'turnFailed'));
	});

	it('compacts after a turn that filled the context, and tells the model to go on once, behind the queue', async () => {
		const gate = new Gate();
		const long = steps.text([`Long: ${textOfTokens(3_600)}`], { gate });
		answering([long]);
		const { session, manager } = await open(turns(6));
		await session.prompt('Write much');
		await session.prompt('Queued');
		gate.open();
		await session.whenIdle();
		const path = manager.getBranch();
		const texts = path.map((entry) =>
			entry.type === 'custom_message'
				? entry.content
				: entry.type === 'message' && entry.message.role === 'user'
					? entry.message.content
					: entry.type,
		);
		const tail = texts.slice(texts.indexOf('Write much'));
		assert.deepEqual(
			tail.filter((text) => text !== 'message'),
			['Write much', 'compaction', 'Queued', CONTINUE],
		);
		assert.equal(asked().length, 3);
		assert.equal(session.activity, 'idle');
	});

	it('does not tell the model to go on where the setting says so', async () => {
		answering([steps.text([`Long: ${textOfTokens(3_600)}`])]);
		const { session, manager } = await open(turns(6), {
			session: {
				settings: () => ({
					compaction: {
						...{ reserveTokens: 1_500, keepRecentTokens: 600 },
						...{ mode: 'auto', autoContinue: false },
					},
					branchSummary: { enabled: false, reserveTokens: 1_500 },
					contextWindow: WINDOW,
				}),
			},
		});
		await session.prompt('Write much');
		await session.whenIdle();
		assert.equal(manager.getBranch().at(-1)?.type, 'compaction');
		assert.equal(asked().length, 1);
	});

	it('compacts between a tool result and the next request of a long turn, which goes on (C07.91)', async () => {
		answering(Array.from({ length: 6 }, (_, index) => call(`c${index}`)));
		const { session, manager, events } = await open(turns(2), {
			setup: { tools: [tool('read', () => textOfTokens(1_500))] },
		});
		await session.prompt('Read them all');
		await session.whenIdle();
		assert(manager.tree.countOf('compaction') >= 1);
		assert.equal(asked().length, 7, 'the loop went on to its end');
		assert(!manager.getBranch().some(({ type }) => type === 'custom_message'));
		assert(!events.some((event) => event.type === 'turnFailed'));
		const last = manager.getBranch().at(-1);
		assert(last?.type === 'message' && last.message.role === 'assistant');
		assert.equal(last.message.stopReason, 'stop');
	});

	it('recovers from an overflow: the failed answer stays in the file and out of the request, asked again once', async () => {
		answering([overflow]);
		const { session, manager, events } = await open(turns(5), { contextWindow: 32_000 });
		await session.prompt('The newest prompt');
		await session.whenIdle();
		assert.equal(asked().length, 2);
		assert.match(lastSent(), /The newest prompt$/);
		assert.equal(manager.tree.countOf('compaction'), 1);
		const types = manager.getBranch().slice(-4);
		assert.deepEqual(
			types.map((entry) => (entry.type === 'message' ? entry.message.role : entry.type)),
			['user', 'assistant', 'compaction', 'assistant'],
		);
		assert.deepEqual(
			ended(events).map(({ reason, willRetry }) => [reason, willRetry]),
			[['overflow', true]],
		);
		assert(!events.some((event) => event.type === 'turnFailed'));
	});

	it('takes an answer cut off before its first word in a full window for an overflow (C07.75)', async () => {
		const silent = steps.lengthStop('', {
			usage: { prompt_tokens: 31_900, completion_tokens: 0 },
		});
		answering([silent]);
		const { session, manager } = await open(turns(5), { contextWindow: 32_000 });
		await session.prompt('The newest prompt');
		await session.whenIdle();
		assert.equal(manager.tree.countOf('compaction'), 1);
		assert.equal(asked().length, 2);
	});

	it('tries one recovery, shows the refusal, and begins none by being opened again (C01.1)', async () => {
		answering([], overflow);
		const kept: { state?: GuardState } = {};
		const options = { contextWindow: 32_000, session: { guard: storeOf(kept) } };
		const { session, manager, storage, events } = await open(turns(5), options);
		await session.prompt('The newest prompt');
		await session.whenIdle();
		assert.equal(asked().length, 2);
		assert.equal(manager.tree.countOf('compaction'), 1);
		const failure = events.find((event) => event.type === 'turnFailed');
		assert.equal(failure?.error.reason, 'overflow');
		const lines = storage.lines.length;
		const again = await openAtWork(storage, { server, ...options, mode: 'auto' });
		await again.session.contextUsage();
		await again.session.whenIdle();
		assert.equal(storage.lines.length, lines);
		assert.equal(kept.state?.recovered, true);
	});

	it('falls back to the offline summary in a recovery, so that the session goes on', async () => {
		server.setDefault((request) =>
			isSummary(request)
				? steps.status(500, { error: { message: 'broken' } })
				: steps.text('Fine.'),
		);
		server.enqueue(overflow);
		const { session, manager } = await open(turns(5), { contextWindow: 32_000 });
		await session.prompt('The newest prompt');
		await session.whenIdle();
		const compaction = manager.getBranch().find(({ type }) => type === 'compaction');
		assert.match(JSON.stringify(compaction), /"offline"/);
		assert.match(lastSent(), /The newest prompt$/);
	});

	it('says why a recovery failed, and what the server had said', async () => {
		answering([overflow]);
		const { session, manager, events } = await open(new SessionBuilder(), {
			contextWindow: 32_000,
		});
		await session.prompt('Short');
		await session.whenIdle();
		assert.equal(manager.tree.countOf('compaction'), 0);
		const failure = events.find((event) => event.type === 'turnFailed');
		assert.match(failure?.error.message ?? '', /^Context overflow recovery failed: /);
		assert.match(failure?.error.kept ?? '', /too long/);
	});

	for (const mode of ['ask', 'off'] as const)
		it(`leaves it to the person in the mode "${mode}", at the threshold and after an overflow (C06.70)`, async () => {
			answering([overflow]);
			const { session, manager, events } = await open(turns(12), { mode });
			await session.prompt('One');
			await session.whenIdle();
			assert.equal(manager.tree.countOf('compaction'), 0);
			assert.equal(asked().length, 1);
			assert.equal(
				events.filter((event) => event.type === 'compactionDue').length,
				mode === 'ask' ? 1 : 0,
			);
			assert.equal(events.find((event) => event.type === 'turnFailed')?.error.reason, 'overflow');
			await session.compact();
			assert.equal(manager.tree.countOf('compaction'), 1);
		});

	it('stops after three runs without a word or an edit, says what fills the context, and goes on after a prompt (C01.3)', async () => {
		const kept: { state?: GuardState } = {};
		answering(Array.from({ length: 40 }, (_, index) => call(`c${index}`)));
		const { session, manager, events } = await open(turns(1), {
			setup: { tools: [tool('read', () => textOfTokens(2_500))] },
			session: { guard: storeOf(kept) },
		});
		await session.prompt('Read them again and again');
		await session.whenIdle();
		assert.equal(manager.tree.countOf('compaction'), 3);
		const [stopped] = events.filter((event) => event.type === 'autoCompactionStopped');
		assert.match(stopped?.error.message ?? '', /Automatic compaction has stopped.*tokens/);
		assert(asked().length < 40, 'the loop came to an end');
		assert(kept.state?.stopped);
		server.reset();
		answering([]);
		await session.prompt('Enough');
		await session.whenIdle();
		assert.equal(manager.tree.countOf('compaction'), 4);
		assert.match(lastSent(), /Enough$/);
	});

	it('counts an edit as progress', async () => {
		answering(
			Array.from({ length: 24 }, (_, index) =>
				call(`c${index}`, index % 4 === 3 ? 'edit' : 'read'),
			),
		);
		const { session, manager, events } = await open(turns(1), {
			setup: {
				tools: [tool('read', () => textOfTokens(1_500)), tool('edit', () => 'Edited.')],
			},
		});
		await session.prompt('Read and edit');
		await session.whenIdle();
		assert(manager.tree.countOf('compaction') > 3);
		assert(!events.some((event) => event.type === 'autoCompactionStopped'));
		assert.equal(asked().length, 25);
	});

	it('does not try a failed run again before the person acts, and the turn goes on without it', async () => {
		server.setDefault((request) =>
			isSummary(request) ? steps.status(400, { error: { message: 'no' } }) : steps.text('Fine.'),
		);
		const { session, manager, events } = await open(turns(12));
		await session.prompt('One');
		await session.whenIdle();
		const summaries = server.requests.filter(isSummary).length;
		assert.equal(ended(events).length, 1);
		assert.match(ended(events)[0]?.error?.message ?? '', /^Auto-compaction failed: /);
		assert.equal(manager.tree.countOf('compaction'), 0);
		assert.equal(asked().length, 1);
		assert(summaries > 0);
	});

	it('waits for the next turn to end after a compaction was taken back', async () => {
		answering([]);
		const { session, manager } = await open(turns(12));
		await session.compact();
		session.undoCompaction();
		await session.prompt('On with the history as it was');
		await session.whenIdle();
		assert.equal(manager.tree.countOf('compaction'), 1);
		await session.prompt('And again');
		await session.whenIdle();
		assert.equal(manager.tree.countOf('compaction'), 2);
	});

	it('can be cancelled alone: the turn goes on', async () => {
		const gate = new Gate();
		server.setDefault((request) =>
			isSummary(request) ? steps.text('Late', { gate }) : steps.text('Fine.'),
		);
		const { session, manager, events } = await open(turns(12));
		const begun = new Promise<void>((resolve) =>
			session.events.on((event) => event.type === 'compactionStarted' && resolve()),
		);
		await session.prompt('One');
		await begun;
		session.abortCompaction();
		await session.whenIdle();
		gate.open();
		assert.equal(manager.tree.countOf('compaction'), 0);
		assert.deepEqual(
			ended(events).map(({ error, outcome }) => [error, outcome]),
			[[undefined, undefined]],
		);
		assert.equal(asked().length, 1);
	});

	it('takes a steering prompt along with the next request of the turn, and a follow-up after it', async () => {
		const gate = new Gate();
		answering([steps.toolCalls([{ id: 'c1', name: 'read', arguments: '{}' }], { gate })]);
		const { session, manager } = await open(new SessionBuilder(), {
			setup: { tools: [tool('read', () => 'text')] },
		});
		await session.prompt('Begin');
		await session.prompt('Afterwards');
		await session.prompt('Rather this', 'steer');
		await session.prompt('Never mind');
		const [, , taken] = session.queued;
		assert.equal(session.removeQueued(taken?.id ?? '')?.text, 'Never mind');
		gate.open();
		await session.whenIdle();
		assert.deepEqual(
			manager.getBranch().map((entry) => {
				if (entry.type !== 'message') return entry.type;
				const { message } = entry;
				return message.role === 'user' ? message.content : message.role;
			}),
			['Begin', 'assistant', 'toolResult', 'Rather this', 'assistant', 'Afterwards', 'assistant'],
		);
	});

	describe('retries', () => {
		const busy = steps.status(503, { error: { message: 'busy' } });
		const retry = (maxRetries: number, baseDelayMs: number) => ({
			retry: () => ({ maxRetries, baseDelayMs, maxDelayMs: 1e6 }),
		});

		it('asks again after a passing failure, tells each wait, and leaves no trace of an empty answer', async () => {
			server.enqueue(busy);
			server.enqueue(busy);
			server.setDefault(steps.text('Fine.'));
			const { session, manager, events } = await open(turns(1), { session: retry(3, 1) });
			await session.prompt('Hello');
			await session.whenIdle();
			assert.deepEqual(
				events.flatMap((event) => (event.type === 'retryScheduled' ? [event.retry.attempt] : [])),
				[1, 2],
			);
			assert.equal(manager.getBranch().length, 4);
			assert(!events.some((event) => event.type === 'turnFailed'));
		});

		it('ends with the failure, recorded, after the last one', async () => {
			server.setDefault(busy);
			const { session, manager, events } = await open(turns(1), { session: retry(2, 1) });
			await session.prompt('Hello');
			await session.whenIdle();
			assert.equal(server.requests.length, 3);
			assert.equal(events.filter((event) => event.type === 'turnFailed').length, 1);
			const leaf = manager.getBranch().at(-1);
			assert(leaf?.type === 'message' && leaf.message.role === 'assistant');
			assert.equal(leaf.message.stopReason, 'error');
		});

		it('is stopped while it waits: no model is asked any more, and the failure is recorded', async () => {
			server.setDefault(busy);
			const { session, manager } = await open(turns(1), { session: retry(3, 1e6) });
			const waiting = new Promise<void>((resolve) =>
				session.events.on((event) => event.type === 'retryScheduled' && resolve()),
			);
			await session.prompt('Hello');
			await waiting;
			assert.equal(session.phase, 'retrying');
			await session.abort();
			assert.equal(session.activity, 'idle');
			assert.equal(server.requests.length, 1);
			assert.match(JSON.stringify(manager.getBranch().at(-1)), /"stopReason":"error"/);
			server.setDefault(steps.text('Fine.'));
			await session.continue();
			await session.whenIdle();
			assert.match(JSON.stringify(manager.getBranch().at(-1)), /Fine\./);
		});
	});
});
