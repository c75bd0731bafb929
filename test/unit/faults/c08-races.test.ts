/** C08: race, lost input or broken cancel. Automatic runs and drafts are tested where they live. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import {
	ModelError,
	type Model,
	type ModelRequest,
	type ModelStreamEvent,
} from '../../../src/agent/model.ts';
import { AgentSession } from '../../../src/session/agent-session.ts';
import type { SessionEntry } from '../../../src/session/entries.ts';
import { explainContext } from '../../../src/session/explain-context.ts';
import { contentText } from '../../../src/session/navigation.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { MemorySessionStorage } from '../../../src/session/session-storage.ts';
import { abortError, isAbort, UserError } from '../../../src/util/errors.ts';
import { EchoSummarizer } from '../../support/echo-summarizer.ts';
import {
	Gate,
	startScriptedServer,
	steps,
	type ScriptedServer,
} from '../../support/scripted-server.ts';
import { assistant, SessionBuilder, textOfTokens } from '../../support/session-builder.ts';
import { openAtWork, openBuilt } from '../../support/session-at-work.ts';
import { wireText } from '../../support/wire.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A storage that takes some turns of the event loop for each append, so that others get between. */
class SlowStorage extends MemorySessionStorage {
	turns = 0;
	/** Makes the next append fail. */
	isFull = false;

	override async append(lines: readonly string[]) {
		for (let i = 0; i < this.turns; i++) await turn();
		if (this.isFull) {
			this.isFull = false;
			throw new UserError('disk-full', 'The disk is full.');
		}
		return super.append(lines);
	}
}

type Outcome = 'answer' | 'fail' | 'empty' | 'overflow';

/** A model whose every answer is held until it is released. */
class HeldModel implements Model {
	readonly provider = 'test';
	readonly id = 'held';
	readonly contextWindow = 1_000_000;
	readonly held: ((outcome: Outcome) => void)[] = [];
	asked = 0;
	/** A deaf model does not notice that it was stopped. */
	deaf = false;

	async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelStreamEvent> {
		this.asked++;
		signal.throwIfAborted();
		const outcome = await new Promise<Outcome>((resolve, reject) => {
			this.held.push(resolve);
			if (!this.deaf) signal.addEventListener('abort', () => reject(abortError('It')));
		});
		if (outcome === 'overflow') throw new ModelError('overflow', 'The prompt is too long.');
		if (outcome === 'fail') throw new ModelError('server', 'The server is down.');
		const newest = request.messages.findLast(({ role }) => role === 'user');
		const told = JSON.stringify(newest?.content);
		const isSummary = request.systemPrompt !== 'TURN';
		// A turn's answer says which prompt it answers.
		const text = isSummary ? '## Goal\nSummary.' : `answers ${/<p\d+>/.exec(told)?.[0] ?? 'none'}`;
		yield { type: 'text', delta: text.slice(0, 3) };
		yield { type: 'done', message: assistant(outcome === 'empty' ? '' : text) };
	}

	release(outcome: Outcome): void {
		this.held.shift()?.(outcome);
	}
}

const command = fc.record({
	kind: fc.constantFrom(
		...(['prompt', 'prompt', 'prompt', 'compact', 'compact', 'boundary', 'navigate'] as const),
		...(['navigate', 'summarize', 'summarize', 'abort', 'abortCompaction', 'undo'] as const),
		...([
			'continue',
			'answer',
			'answer',
			'answer',
			'fail',
			'empty',
			'overflow',
			'steer',
			'wait',
			'full',
			'plug',
		] as const),
	),
	place: fc.nat(),
	/** Turns of the event loop that pass before the next command; none means in the same tick. */
	turns: fc.nat({ max: 6 }),
});
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

interface Sent {
	mark: string;
	state: 'pending' | 'accepted' | 'rejected';
}

/** Carries commands out without waiting for them, and keeps what was promised to whom. */
class Race {
	readonly model = new HeldModel();
	readonly sent: Sent[] = [];
	readonly running: Promise<void>[] = [];
	readonly problems: string[] = [];
	isConnected = true;
	readonly storage: SlowStorage;
	manager!: SessionManager;
	session!: AgentSession;

	constructor(turns: number, deaf: boolean) {
		const builder = new SessionBuilder();
		for (let i = 1; i <= 4; i++) {
			builder.user(`Old request ${i}: ${textOfTokens(100)}`);
			builder.assistant(`Old answer ${i}: ${textOfTokens(100)}`);
		}
		this.storage = new SlowStorage(builder.lines());
		this.storage.turns = turns;
		this.model.deaf = deaf;
	}

	/** @param auto in a window that is soon full, compacting and asking again by itself */
	async open(keepRecentTokens: number, auto: boolean): Promise<void> {
		this.manager = await SessionManager.open(this.storage);
		this.session = new AgentSession(this.manager, {
			model: () => Promise.resolve(this.isConnected ? this.model : undefined),
			offline: new EchoSummarizer(),
			setup: () => Promise.resolve({ systemPrompt: 'TURN' }),
			settings: () => ({
				compaction: {
					...{ reserveTokens: auto ? 200 : 16_384, keepRecentTokens },
					mode: auto ? 'auto' : 'off',
				},
				branchSummary: { enabled: false, reserveTokens: 16_384 },
				contextWindow: auto ? 900 : 1_000_000,
			}),
			retry: () => ({ maxRetries: auto ? 2 : 0, baseDelayMs: 0, maxDelayMs: 0 }),
		});
	}

	do({ kind, place }: Command): void {
		const { session, manager, model } = this;
		const ids = [...manager.tree.idsTo(manager.leafId)];
		const somewhere = ids[place % Math.max(1, ids.length)];
		switch (kind) {
			case 'steer':
			case 'prompt': {
				const sent: Sent = { mark: `<p${this.sent.length}>`, state: 'pending' };
				this.sent.push(sent);
				return this.track(
					session.prompt(sent.mark, kind === 'steer' ? 'steer' : 'followUp').then(
						() => void (sent.state = 'accepted'),
						(error: unknown) => {
							sent.state = 'rejected';
							throw error;
						},
					),
				);
			}
			case 'compact':
				return this.track(session.compact(place % 3 === 0 ? { summarizer: 'offline' } : {}));
			case 'boundary':
				return this.track(session.compact(somewhere ? { boundaryId: somewhere } : {}));
			case 'navigate':
			case 'summarize': {
				const all = [...manager.tree.idsTo(manager.lastEntryId)];
				const target = all[place % Math.max(1, all.length)];
				if (target) this.navigate(target, kind === 'summarize');
				return;
			}
			case 'abort':
				return this.track(session.abort());
			case 'abortCompaction':
				return session.abortCompaction();
			case 'undo':
				return this.track(Promise.resolve().then(() => session.undoCompaction()));
			case 'continue':
				return this.track(session.continue());
			case 'answer':
			case 'fail':
			case 'empty':
			case 'overflow':
				return model.release(kind);
			case 'full':
				this.storage.isFull = true;
				return;
			case 'plug':
				this.isConnected = !this.isConnected;
				return;
			case 'wait':
		}
	}

	private navigate(target: string, summarize: boolean): void {
		const { session, manager } = this;
		const leafBefore = manager.leafId;
		const entry = manager.tree.get(target);
		const isPrompt = entry?.type === 'message' && entry.message.role === 'user';
		const promised = {
			leafBefore,
			leafWanted: isPrompt && target !== leafBefore ? manager.tree.parentOf(target) : target,
		};
		let moves = 0;
		const off = manager.events.on((event) => {
			if (event.type === 'leafChanged' && session.activity === 'navigating') moves++;
		});
		const moving = session
			.navigateTree(target, { summarize })
			.then(({ cancelled, summaryEntry }) => {
				if (cancelled && moves > 0) this.problems.push('a cancelled navigation moved the leaf');
				if (summaryEntry && summaryEntry.parentId !== promised.leafWanted)
					this.problems.push('a branch summary landed elsewhere');
				if (summaryEntry && summaryEntry.fromId !== promised.leafBefore)
					this.problems.push('a branch summary tells of another branch');
			});
		this.track(moving.finally(() => off()));
	}

	/** Refusals and cancellations are answers, too; anything else is a problem. */
	private track(promise: Promise<unknown>): void {
		this.running.push(
			promise.then(
				() => undefined,
				(error: unknown) => {
					if (!(error instanceof UserError) && !isAbort(error)) this.problems.push(String(error));
				},
			),
		);
	}

	/** Lets everything come to its end: whatever is asked is answered. */
	async drain(): Promise<void> {
		let settled = false;
		this.storage.isFull = false;
		this.isConnected = true;
		const all = () => Promise.all(this.running).then(() => this.session.whenIdle());
		for (let quiet = 0, round = 0; quiet < 20 || !settled; round++) {
			assert(round < 20_000, `${this.session.activity} for ever`);
			if (round === 0) void all().then(() => (settled = true));
			const busy = this.model.held.length > 0 || this.session.activity !== 'idle';
			quiet = busy ? 0 : quiet + 1;
			this.model.release('answer');
			await turn();
		}
	}
}

function userTexts(entries: readonly SessionEntry[]): string[] {
	return entries.flatMap((entry) =>
		entry.type === 'message' && entry.message.role === 'user'
			? [contentText(entry.message.content)]
			: [],
	);
}

describe('C08 race, lost input or broken cancel: in any interleaving no accepted input is lost or doubled, and nothing lands on another branch', () => {
	it('compactions, navigations, prompts and stops in any order and at any moment', () =>
		fc.assert(
			fc.asyncProperty(
				fc.array(command, { minLength: 3, maxLength: 25 }),
				fc.nat({ max: 3 }),
				fc.boolean(),
				fc.constantFrom(1, 150, 500),
				fc.boolean(),
				async (commands, turns, deaf, keep, auto) => {
					const race = new Race(turns, deaf);
					await race.open(keep, auto);
					const { manager, session, storage } = race;
					const before = [...storage.lines];
					for (const each of commands) {
						race.do(each);
						for (let i = 0; i < each.turns; i++) await turn();
					}
					await race.drain();

					assert.deepEqual(race.problems, []);
					assert.equal(session.activity, 'idle');
					assert.deepEqual(storage.lines.slice(0, before.length), before, 'lines are only added');
					const all = storage.lines.slice(1).map((line) => JSON.parse(line) as SessionEntry);
					const byId = new Map(all.map((entry) => [entry.id, entry]));

					// Each prompt is in the file or in the queue once, or it was refused and is nowhere.
					const inFile = userTexts(all);
					for (const { mark, state } of race.sent) {
						assert.notEqual(state, 'pending', `${mark} was never answered for`);
						const times = [...inFile, ...queuedTexts(session)].filter(
							(text) => text === mark,
						).length;
						assert.equal(times, state === 'accepted' ? 1 : 0, `${mark} was ${state}`);
					}
					// A steering prompt overtakes those that wait for the turn's end.
					const steers = commands.some(({ kind }) => kind === 'steer');
					const order = [...inFile, ...queuedTexts(session)].filter((text) =>
						text.startsWith('<p'),
					);
					const sorted = order.toSorted((a, b) => Number(a.slice(2, -1)) - Number(b.slice(2, -1)));
					if (!steers) assert.deepEqual(order, sorted, 'in the order in which they were sent');

					for (const entry of all) {
						const path = manager.tree.pathTo(entry.id);
						const parents = path.slice(0, -1);
						if (entry.type === 'compaction') {
							assert(
								parents.some(({ id }) => id === entry.firstKeptEntryId),
								'a compaction keeps what is on its own branch',
							);
							const missing = explainContext(path).filter(({ status }) => status === 'missing');
							assert.deepEqual(missing, []);
						}
						if (entry.type === 'branch_summary') assert(byId.has(entry.fromId));
						if (entry.type !== 'message' || entry.message.role !== 'assistant') continue;
						const said = JSON.stringify(entry.message.content);
						const answered = /answers (<p\d+>)/.exec(said)?.[1];
						if (answered)
							assert.equal(
								userTexts(parents).at(-1),
								answered,
								'an answer stands below its prompt',
							);
					}
					const reloaded = await SessionManager.open(storage, manager.savedLeaf);
					assert.deepEqual(reloaded.context(), manager.context());
					// It still works: the session is held by nobody, and a prompt goes through.
					race.do({ kind: 'prompt', place: 0, turns: 0 });
					await race.drain();
					assert.deepEqual(session.queued, []);
					assert.equal(race.sent.at(-1)?.state, 'accepted');
				},
			),
			{ numRuns: 2_000 },
		)).timeout(300_000);

	describe('through a server', () => {
		let server: ScriptedServer;
		before(async () => {
			server = await startScriptedServer();
		});
		after(() => server.close());
		beforeEach(() => server.reset());

		function history(): SessionBuilder {
			const builder = new SessionBuilder();
			for (let i = 1; i <= 5; i++) {
				builder.user(`Request ${i}: ${textOfTokens(180)}`, `u${i}`);
				builder.assistant(`Answer ${i}: ${textOfTokens(180)}`, `a${i}`);
			}
			return builder;
		}

		it('while a summary is held, every move and second summary is refused with its reason; nothing moves', async () => {
			for (const holds of ['compact', 'navigate'] as const) {
				server.reset();
				const { session, manager } = await openBuilt(history(), { server });
				const gate = new Gate();
				server.enqueue(steps.text('The summary.', { gate }));
				const running: Promise<unknown> =
					holds === 'compact' ? session.compact() : session.navigateTree('a3', { summarize: true });
				await server.waitForRequest(1);
				const attempts: (() => unknown)[] = [
					() => session.navigateTree('a2'),
					() => session.navigateTree('u3', { summarize: true }),
					() => session.navigateTree('a5', { summarize: true }),
					() => session.compact(),
					() => session.compact({ summarizer: 'offline' }),
					() => session.continue(),
					() => session.undoCompaction(),
				];
				for (const attempt of attempts)
					await assert.rejects(async () => attempt(), { reason: 'busy' });
				assert.equal(manager.leafId, 'a5');
				gate.open();
				await running;
				// A compaction's summary, and a line for lists from it.
				assert.equal(server.requests.length, holds === 'compact' ? 2 : 1);
				const summary = manager.getBranch().at(-1);
				assert.equal(summary?.parentId, holds === 'compact' ? 'a5' : 'a3');
			}
		});

		it('a prompt sent while a branch summary is held follows it, once, at the new place', async () => {
			const { session, manager } = await openBuilt(history(), { server });
			const gate = new Gate();
			server.enqueue(steps.text('The summary.', { gate }));
			server.setDefault(steps.text('Fine.'));
			const moving = session.navigateTree('a2', { summarize: true });
			await server.waitForRequest(1);
			await session.prompt('next');
			gate.open();
			const { summaryEntry } = await moving;
			await server.waitForRequest(2);
			await session.whenIdle();
			const path = manager.getBranch().map(({ id }) => id);
			assert(path.includes(summaryEntry?.id ?? ''));
			assert.deepEqual(userTexts(manager.getBranch()).slice(2), ['next']);
		});

		it('queued prompts survive compactions that work, fail or are cancelled, in their order', async () => {
			for (const how of ['works', 'fails', 'cancelled'] as const) {
				server.reset();
				const { session, manager } = await openBuilt(history(), { server });
				const gate = new Gate();
				const summary = how === 'fails' ? steps.text('', { gate }) : steps.text('Short.', { gate });
				server.enqueue(summary);
				server.setDefault(steps.text('Fine.'));
				const compacting = session.compact().then(
					() => 'works',
					(error: unknown) => (isAbort(error) ? 'cancelled' : 'fails'),
				);
				await server.waitForRequest(1);
				for (const text of ['one', 'two', 'three']) await session.prompt(text);
				assert.deepEqual(queuedTexts(session), ['one', 'two', 'three']);
				if (how === 'cancelled') session.abortCompaction();
				else gate.open();
				assert.equal(await compacting, how);
				await server.waitForRequest(4);
				await session.whenIdle();
				assert.deepEqual(userTexts(manager.getBranch()).slice(5), ['one', 'two', 'three']);
				assert.deepEqual(session.queued, []);
			}
		});

		it('a stop in the tick of a failure asks no model again, with prompts waiting or not', async () => {
			for (const waiting of [0, 2]) {
				server.reset();
				const { session } = await openBuilt(history(), { server });
				server.setDefault(steps.status(500, 'down'));
				const stopped = new Promise<void>((resolve) =>
					session.events.on((event) => {
						if (event.type === 'turnFailed') void session.abort().then(resolve);
					}),
				);
				await session.prompt('first');
				for (let i = 0; i < waiting; i++) await session.prompt(`waits ${i}`);
				await stopped;
				await session.whenIdle();
				assert.equal(server.requests.length, 1);
				assert.equal(session.queued.length, waiting);
			}
		});

		it('every cancel closes the connection, however early it comes, and the session works on', async () => {
			for (const what of ['prompt', 'compact', 'navigate'] as const)
				for (const early of [true, false]) {
					server.reset();
					const { session, manager } = await openBuilt(history(), { server });
					server.enqueue(steps.hang());
					const controller = new AbortController();
					const { signal } = controller;
					const running: Promise<unknown> =
						what === 'prompt'
							? session.prompt('stopped')
							: what === 'compact'
								? session.compact({ signal })
								: session.navigateTree('a2', { summarize: true, signal });
					const ended = running.catch((error: unknown) => assert(isAbort(error), String(error)));
					if (!early) await server.waitForRequest(1);
					if (what === 'prompt') await session.abort();
					else controller.abort();
					await ended;
					await session.whenIdle();
					if (!early) assert.equal(await server.requests[0]?.closed, 'early');
					if (what !== 'prompt') assert.equal(manager.leafId, 'a5');
					server.reset();
					server.setDefault(steps.text('Fine.'));
					await session.prompt('next');
					await session.whenIdle();
					const newest = server.requests.at(-1)?.body.messages.at(-1);
					assert.match(wireText(newest ?? { role: '', content: '' }), /next/);
				}
		});

		it('a cancel that comes too late leaves a whole compaction, not half of one', async () => {
			const { session, manager, storage } = await openBuilt(history(), { server });
			server.enqueue(steps.text('The summary.'));
			manager.events.on((event) => {
				if (event.type === 'entryAppended') session.abortCompaction();
			});
			const { entry } = await session.compact();
			assert.equal(manager.leafId, entry.id);
			const reloaded = await openAtWork(storage);
			assert.deepEqual(reloaded.manager.context(), manager.context());
		});

		it('a listener that starts something at the end of an operation is not run over by the queue', async () => {
			const { session, manager } = await openBuilt(history(), { server });
			const gate = new Gate();
			server.enqueue(steps.text('Short.', { gate }));
			server.setDefault(steps.text('Fine.'));
			let first = true;
			session.events.on((event) => {
				if (event.type !== 'activityChanged' || event.activity !== 'idle' || !first) return;
				first = false;
				void session.prompt('from the listener');
			});
			const compacting = session.compact();
			await server.waitForRequest(1);
			await session.prompt('queued');
			gate.open();
			await compacting;
			await server.waitForRequest(3);
			await session.whenIdle();
			const prompts = userTexts(manager.getBranch()).slice(5).toSorted();
			assert.deepEqual(prompts, ['from the listener', 'queued']);
			assert.deepEqual(session.queued, []);
		});
	});
});

function queuedTexts({ queued }: AgentSession): string[] {
	return queued.map(({ text }) => text);
}
