/** C09: wrong continuation after compaction. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { EchoSummarizer } from '../../support/echo-summarizer.ts';
import {
	Gate,
	startScriptedServer,
	steps,
	type RecordedMessage,
	type ScriptedServer,
	type Step,
} from '../../support/scripted-server.ts';
import {
	assistant,
	SessionBuilder,
	textOfTokens,
	toolCall,
	toolResult,
} from '../../support/session-builder.ts';
import { openAtWork, openBuilt, type AtWorkOptions } from '../../support/session-at-work.ts';
import { assertPaired, wireText } from '../../support/wire.ts';

const systemPrompt =
	'You are the planner.\n\n<rules>\n  Keep  blanks,\ttabs and ünïcode.\n</rules>\n';

/** Turns of about 400 tokens each. */
function turns(count: number): SessionBuilder {
	const builder = new SessionBuilder();
	for (let turn = 1; turn <= count; turn++) {
		builder.user(`Request ${turn}: ${textOfTokens(180)}`);
		builder.assistant(`Answer ${turn}: ${textOfTokens(180)}`);
	}
	return builder;
}

describe('C09 wrong continuation: system part, mode, model and pending work are the same after a compaction; idle stays idle, interrupted work resumes once', () => {
	let server: ScriptedServer;
	before(async () => {
		server = await startScriptedServer();
	});
	after(() => server.close());
	beforeEach(() => server.reset());

	const open = (builder: SessionBuilder, options: AtWorkOptions = {}) =>
		openBuilt(builder, { server, ...options, setup: { systemPrompt, ...options.setup } });
	const last = (): RecordedMessage[] => server.requests.at(-1)?.body.messages ?? [];
	const roles = (messages: RecordedMessage[]) => messages.map(({ role }) => role);

	it('the system part is the same, byte for byte, before and after any number of compactions and a reload', async () => {
		server.setDefault(steps.text('Short.'));
		const { session, storage } = await open(turns(5));
		const systems: unknown[] = [];
		const ask = async (from: typeof session) => {
			await from.prompt(`More: ${textOfTokens(600)}`);
			await from.whenIdle();
			const [system, ...rest] = last();
			assert.equal(system?.role, 'system');
			assert(rest.every(({ role }) => role !== 'system'));
			systems.push(system.content);
		};
		await ask(session);
		for (let round = 0; round < 3; round++) {
			await session.compact();
			await ask(session);
		}
		const reloaded = await openAtWork(storage, { server, setup: { systemPrompt } });
		await ask(reloaded.session);
		assert.deepEqual(
			systems,
			Array.from({ length: 5 }, () => systemPrompt),
		);
	});

	it('model, thinking level and a mode that an extension stored are the same after any compaction', () =>
		fc.assert(
			fc.asyncProperty(
				fc.array(fc.constantFrom('turn', 'turn', 'model', 'thinking', 'mode', 'label'), {
					minLength: 3,
					maxLength: 14,
				}),
				fc.integer({ min: 1, max: 900 }),
				async (acts, keepRecentTokens) => {
					const builder = turns(3);
					for (const [place, each] of acts.entries()) {
						if (each === 'turn') {
							builder.user(textOfTokens(150));
							builder.assistant(textOfTokens(150));
						}
						if (each === 'model')
							builder.add({ type: 'model_change', provider: 'p', modelId: `m${place}` });
						if (each === 'thinking')
							builder.add({
								...{ type: 'thinking_level_change' },
								thinkingLevel: place % 2 ? 'high' : 'low',
							});
						if (each === 'mode')
							builder.add({ type: 'custom', customType: 'mode', data: { mode: `plan${place}` } });
						if (each === 'label') builder.add({ type: 'label', targetId: 'e1', label: 'x' });
					}
					builder.user('And now?');
					const { session, manager, storage } = await openBuilt(builder, {
						keepRecentTokens,
						session: { offline: new EchoSummarizer() },
					});
					const before = manager.context();
					const modes = manager.getBranch().filter(({ type }) => type === 'custom');
					await session.compact();
					const after = manager.context();
					assert.deepEqual(
						[after.model, after.thinkingLevel],
						[before.model, before.thinkingLevel],
					);
					assert.deepEqual(
						manager.getBranch().filter(({ type }) => type === 'custom'),
						modes,
					);
					const reloaded = (await openAtWork(storage)).manager.context();
					assert.deepEqual(
						[reloaded.model, reloaded.thinkingLevel],
						[before.model, before.thinkingLevel],
					);
				},
			),
			{ numRuns: 50 },
		));

	it('pi’s system message is restated once, whichever of its changes the summary took in', async () => {
		const builder = new SessionBuilder();
		const system = (fields: object) =>
			builder.add({
				type: 'message',
				message: { role: 'system', content: '', timestamp: 0, ...fields },
			});
		system({ content: 'Base.', toolsAdded: [{ name: 'read' }], sections: { a: 'A' } });
		builder.user(textOfTokens(400));
		builder.assistant(textOfTokens(400));
		system({ toolsAdded: [{ name: 'edit' }], sections: { a: null, b: 'B' } });
		builder.user(textOfTokens(300));
		builder.assistant(textOfTokens(300));
		const { session, manager } = await openBuilt(builder);
		const sections = () =>
			manager
				.context()
				.messages.flatMap((message) => (message.role === 'system' ? [message.sections] : []));
		await session.compact();
		assert.deepEqual(sections(), [{ b: 'B' }]);
		await manager.appendMessage({ role: 'user', content: textOfTokens(700), timestamp: 0 });
		await manager.appendMessage({ role: 'user', content: 'x', timestamp: 0 });
		await session.compact();
		assert.deepEqual(sections(), [{ b: 'B' }]);
	});

	it('an idle session stays idle after a compaction, made, failed, cancelled or taken back', async () => {
		const { session, manager, events } = await open(turns(5));
		const ends: [Step | 'cancel', boolean][] = [
			[steps.status(500, 'down'), false],
			['cancel', false],
			[steps.text('Short.'), true],
		];
		for (const [step, works] of ends) {
			server.reset();
			server.setDefault(step === 'cancel' ? steps.hang() : step);
			const leaf = manager.leafId;
			const compacting = session.compact();
			const done = compacting.then(
				() => true,
				() => false,
			);
			if (step === 'cancel') {
				await server.waitForRequest(1);
				session.abortCompaction();
			}
			assert.equal(await done, works);
			await session.whenIdle();
			assert.equal(session.activity, 'idle');
			assert.equal(manager.leafId === leaf, !works);
		}
		const asked = server.requests.length;
		session.undoCompaction();
		await session.whenIdle();
		assert.equal(server.requests.length, asked);
		assert(events.every(({ type }) => type !== 'turnFailed'));
	});

	const interruptions: [string, boolean, boolean][] = [
		['before its first word', false, true],
		['in the middle of its answer', true, true],
		['in the middle of its answer, and the compaction fails', true, false],
	];
	for (const [name, started, works] of interruptions)
		it(`a turn interrupted ${name} resumes once, with its prompt as the newest`, async () => {
			const { session, manager, events } = await open(turns(5));
			const gate = new Gate();
			server.enqueue(
				steps.text('Half an answer', { gate }),
				...(works
					? [steps.text('Short.'), steps.text('A line for lists.')]
					: [steps.status(500, 'down')]),
				steps.text('The whole answer.'),
			);
			const began = new Promise<void>((resolve) =>
				session.events.on((event) => event.type === 'textDelta' && resolve()),
			);
			await session.prompt('The pending request');
			await server.waitForRequest(1);
			if (started) {
				gate.release();
				await began;
			}
			await session.compact().then(
				() => assert(works),
				() => assert(!works),
			);
			const requests = works ? 4 : 3;
			await server.waitForRequest(requests);
			await session.whenIdle();
			assert.equal(server.requests.length, requests);
			assert.equal(last().at(-1)?.role, 'user');
			assert.match(wireText(last().at(-1)!), /The pending request/);
			assert.equal(last()[0]?.content, systemPrompt);
			const prompts = manager
				.getBranch()
				.filter((entry) => JSON.stringify(entry).includes('"The pending request"'));
			assert.equal(prompts.length, 1);
			assert(events.every(({ type }) => type !== 'turnFailed'));
		});

	it('a turn that a person stopped, or that failed, is not taken up by a compaction', async () => {
		for (const how of ['stopped', 'failed'] as const) {
			server.reset();
			const { session } = await open(turns(5));
			const gate = new Gate();
			server.enqueue(how === 'stopped' ? steps.text('Half', { gate }) : steps.status(500, 'down'));
			server.setDefault(steps.text('Short.'));
			await session.prompt('The request');
			await server.waitForRequest(1);
			await session.abort();
			await session.whenIdle();
			await session.compact();
			await session.whenIdle();
			// The turn, the summary, the line for lists.
			assert.equal(server.requests.length, 3, how);
		}
	});

	it('a turn interrupted by a compaction that is then cancelled is resumed once all the same', async () => {
		const { session } = await open(turns(5));
		server.enqueue(steps.hang(), steps.hang(), steps.text('The whole answer.'));
		await session.prompt('The request');
		await server.waitForRequest(1);
		const compacting = session.compact();
		await server.waitForRequest(2);
		session.abortCompaction();
		await assert.rejects(compacting);
		await server.waitForRequest(3);
		await session.whenIdle();
		assert.equal(server.requests.length, 3);
	});

	/** What a context can end in, and what the request to go on may end in. */
	const ends: [string, (builder: SessionBuilder) => void, 'user' | 'tool', RegExp][] = [
		['a prompt', (builder) => void builder.user('Do it'), 'user', /Do it/],
		[
			'a failed answer',
			(builder) => {
				builder.user('Do it');
				builder.message(assistant('half', [], { stopReason: 'error' }));
			},
			'user',
			/Do it/,
		],
		[
			'a stopped answer with a call',
			(builder) => {
				builder.user('Do it');
				builder.message(assistant('half', [toolCall('c')], { stopReason: 'aborted' }));
			},
			'user',
			/Do it/,
		],
		[
			'several failures',
			(builder) => {
				builder.user('Do it');
				for (const stopReason of ['error', 'aborted', 'error'] as const)
					builder.message(assistant('half', [], { stopReason }));
			},
			'user',
			/Do it/,
		],
		[
			'an empty answer',
			(builder) => {
				builder.user('Do it');
				builder.message(assistant(''));
			},
			'user',
			/Do it/,
		],
		[
			'a tool result',
			(builder) => {
				builder.user('Do it');
				builder.message(assistant('', [toolCall('c')]));
				builder.message(toolResult('c', 'The result'));
			},
			'tool',
			/The result/,
		],
		[
			'an interrupted call',
			(builder) => {
				builder.user('Do it');
				builder.message(assistant('', [toolCall('c')]));
			},
			'tool',
			/interrupted/,
		],
	];
	for (const [name, end, role, newest] of ends)
		for (const keepRecentTokens of [undefined, 500, 1])
			it(`a session that ends in ${name} goes on from there${keepRecentTokens ? `, compacted to ${keepRecentTokens} tokens` : ''}`, async () => {
				const builder = turns(4);
				end(builder);
				const { session } = await open(builder, keepRecentTokens ? { keepRecentTokens } : {});
				server.setDefault(steps.text('Short.'));
				if (keepRecentTokens) await session.compact();
				const asked = server.requests.length;
				await session.continue();
				await session.whenIdle();
				assert.equal(server.requests.length, asked + 1);
				assertPaired(last());
				assert.equal(last().at(-1)?.role, role);
				assert.match(wireText(last().at(-1)!), newest);
			});

	it('the first prompt does not come back as the newest one: what was done is told as past, before the rest', async () => {
		const builder = new SessionBuilder();
		builder.user('Do steps 1 to 5');
		for (let step = 1; step <= 3; step++)
			builder.assistant(`Step ${step} done. ${textOfTokens(400)}`);
		for (const keepRecentTokens of [1, 300, 700]) {
			server.reset();
			const { session } = await open(builder, { keepRecentTokens });
			server.setDefault(
				steps.text('## Progress\n### Done\n- steps 1 and 2\n### In Progress\n- step 3'),
			);
			await session.compact();
			await session.prompt('Go on');
			await session.whenIdle();
			const messages = last().slice(1);
			assert.equal(roles(messages)[0], 'user');
			assert.match(wireText(messages[0]!), /<summary>[\s\S]*In Progress[\s\S]*<\/summary>/);
			assert.notEqual(wireText(messages[0]!).trim(), 'Do steps 1 to 5');
			const bare = messages.filter((message) => wireText(message).trim() === 'Do steps 1 to 5');
			assert.equal(bare.length, 0);
			assert.equal(wireText(messages.at(-1)!).trim(), 'Go on');
		}
	});

	it('queued prompts follow the resumed turn, in their order', async () => {
		const { session } = await open(turns(5));
		const gate = new Gate();
		server.enqueue(steps.hang(), steps.text('Short.', { gate }));
		server.setDefault(steps.text('Done.'));
		await session.prompt('The pending request');
		await server.waitForRequest(1);
		const compacting = session.compact();
		await session.prompt('second');
		await server.waitForRequest(2);
		await session.prompt('third');
		gate.open();
		await compacting;
		await server.waitForRequest(6);
		await session.whenIdle();
		const newest = server.requests
			.slice(3)
			.map(({ body }) => wireText(body.messages.at(-1)!).trim());
		assert.deepEqual(newest, ['The pending request', 'second', 'third']);
	});
});
