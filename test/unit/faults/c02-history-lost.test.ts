/** C02: history lost or altered by compaction. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import type { Model } from '../../../src/agent/model.ts';
import { compact, prepareCompaction } from '../../../src/session/compaction/compaction.ts';
import { serializeConversation } from '../../../src/session/compaction/serialize.ts';
import { buildSessionContext } from '../../../src/session/context.ts';
import type { SessionEntry } from '../../../src/session/entries.ts';
import { explainContext } from '../../../src/session/explain-context.ts';
import { buildRequest } from '../../../src/session/request-builder.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { UserError } from '../../../src/util/errors.ts';
import { EchoSummarizer } from '../../support/echo-summarizer.ts';
import { startScriptedServer, steps, type ScriptedServer } from '../../support/scripted-server.ts';
import {
	assistant,
	SessionBuilder,
	textOfTokens,
	toolCall,
	toolResult,
} from '../../support/session-builder.ts';
import { openBuilt, type AtWork } from '../../support/session-at-work.ts';
import { wireText } from '../../support/wire.ts';

/** What a person does in a session, one act after the other. */
const act = fc.record({
	kind: fc.constantFrom(
		...(['prompt', 'prompt', 'prompt', 'compact', 'compact', 'boundary', 'failing'] as const),
		...(['leave', 'summarize', 'undo', 'label'] as const),
	),
	tokens: fc.integer({ min: 1, max: 150 }),
	place: fc.nat(),
});
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** Answers every prompt with a text of its own, some at length. */
function chattyModel(): Model {
	let answers = 0;
	return {
		provider: 'test',
		id: 'chatty',
		contextWindow: 1_000_000,
		async *stream() {
			const text = `<a${++answers}>${textOfTokens((answers * 37) % 120)}`;
			yield await Promise.resolve({ type: 'done' as const, message: assistant(text) });
		},
	};
}

class FailingEcho extends EchoSummarizer {
	fails = false;

	override summarize(request: Parameters<EchoSummarizer['summarize']>[0]) {
		if (this.fails) return Promise.reject(new UserError('down', 'The network is down.'));
		return super.summarize(request);
	}
}

/** Carries an act out; refusals that change nothing are part of life. */
async function carryOut({ kind, tokens, place }: Act, { session, manager }: AtWork, mark: string) {
	const ids = manager.tree.idsTo(manager.leafId);
	const somewhere = ids[place % Math.max(1, ids.length)];
	const offline = { summarizer: 'offline' } as const;
	try {
		switch (kind) {
			case 'prompt':
				await session.prompt(`<${mark}>${textOfTokens(tokens)}`);
				break;
			case 'compact':
			case 'failing':
				await session.compact(offline);
				break;
			case 'boundary':
				if (somewhere) await session.compact({ ...offline, boundaryId: somewhere });
				break;
			case 'leave':
			case 'summarize':
				if (somewhere)
					await session.navigateTree(somewhere, { ...offline, summarize: kind === 'summarize' });
				break;
			case 'undo':
				session.undoCompaction();
				break;
			case 'label':
				if (somewhere) await manager.appendLabel(somewhere, mark);
		}
	} catch (error) {
		if (!(error instanceof UserError)) throw error;
	}
	await session.whenIdle();
}

/** The same history under every sort of trouble. */
function history(): SessionBuilder {
	const builder = new SessionBuilder();
	for (let turn = 1; turn <= 4; turn++) {
		builder.user(`Request ${turn}: ${textOfTokens(200)}`, `u${turn}`);
		builder.assistant(`Answer ${turn}: ${textOfTokens(200)}`, `a${turn}`);
	}
	return builder;
}

describe('C02 history lost or altered: each entry of the path is summarized or kept, lines stay, and rebuilt context equals live context', () => {
	let server: ScriptedServer;
	before(async () => {
		server = await startScriptedServer();
	});
	after(() => server.close());
	beforeEach(() => server.reset());

	it('in any session at work: lines are only added, a reload gives the same context, nothing goes missing', () =>
		fc.assert(
			fc.asyncProperty(
				fc.array(act, { minLength: 4, maxLength: 25 }),
				fc.integer({ min: 1, max: 400 }),
				async (acts, keepRecentTokens) => {
					const offline = new FailingEcho();
					const model = chattyModel();
					const made = { offline, model: () => Promise.resolve(model) };
					const work = await openBuilt(new SessionBuilder(), {
						keepRecentTokens,
						contextWindow: 1_000_000,
						session: made,
					});
					const { manager, storage } = work;
					for (const [place, each] of acts.entries()) {
						const linesBefore = [...storage.lines];
						const contextBefore = manager.context();
						offline.fails = each.kind === 'failing';
						await carryOut(each, work, `p${place}`);
						assert.deepEqual(storage.lines.slice(0, linesBefore.length), linesBefore);
						if (each.kind === 'failing') {
							assert.deepEqual(storage.lines, linesBefore);
							assert.deepEqual(manager.context(), contextBefore);
						}
						const reloaded = await SessionManager.open(storage, manager.savedLeaf);
						assert.deepEqual(reloaded.context(), manager.context());
						const path = manager.getBranch();
						assert.deepEqual(buildSessionContext(path).messages, manager.context().messages);
						const lost = explainContext(path).filter(({ status }) => status === 'missing');
						assert.deepEqual(lost, []);
						const summaries = manager
							.context()
							.messages.flatMap(({ role }, at) => (role === 'compactionSummary' ? [at] : []));
						assert(summaries.length <= 1 && (summaries[0] ?? 0) === 0, 'one summary, and first');
					}
					// Every text of the path was told to a summarizer, or is in the context as it is.
					const told = [
						serializeConversation(buildRequest(manager.context().messages).messages),
						...offline.requests.map(({ messages }) =>
							serializeConversation(buildRequest(messages).messages),
						),
					].join('\n');
					for (const entry of manager.getBranch()) {
						if (entry.type !== 'message') continue;
						const mark = /<[ap]\d+>/.exec(JSON.stringify(entry.message))?.[0];
						assert(mark === undefined || told.includes(mark), `${mark} was told to nobody`);
					}
				},
			),
			{ numRuns: 120 },
		));

	it('what a compaction kept is in the next one’s summary input or kept again, over any chain of them', () =>
		fc.assert(
			fc.asyncProperty(
				fc.array(fc.array(fc.integer({ min: 5, max: 120 }), { maxLength: 5 }), {
					minLength: 2,
					maxLength: 5,
				}),
				fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 5, maxLength: 5 }),
				async (rounds, keeps) => {
					const builder = new SessionBuilder();
					let inSummary = new Set<string>();
					for (const [round, sizes] of rounds.entries()) {
						for (const size of sizes) {
							const id = builder.user(`<m${builder.entries.length}>${textOfTokens(size)}`);
							builder.assistant(`<m${builder.entries.length}>${textOfTokens(size)}`);
							assert(id);
						}
						const plan = prepareCompaction(builder.entries, {
							reserveTokens: 1_000,
							keepRecentTokens: keeps[round] ?? 1,
						});
						if (!plan) continue;
						const result = await compact(plan, new EchoSummarizer()).catch((error: unknown) => {
							assert(error instanceof UserError && error.reason === 'no-gain');
						});
						if (!result) continue;
						const marks = (value: unknown) => JSON.stringify(value).match(/<m\d+>/g) ?? [];
						const told = marks([plan.messagesToSummarize, plan.turnPrefixMessages]);
						const kept = marks(plan.keptMessages);
						const all = marks(builder.entries);
						assert.deepEqual([...inSummary, ...told, ...kept], all, 'neither twice nor never');
						inSummary = new Set([...inSummary, ...told]);
						builder.compaction(result.summary, result.firstKeptEntryId);
						assert.deepEqual(marks(buildSessionContext(builder.entries).messages), kept);
					}
				},
			),
		));

	it('an older summary inside the kept part is skipped after a restart', () => {
		for (const metadata of [0, 1, 3]) {
			const builder = history();
			builder.compaction('FIRST', 'u3');
			for (let i = 0; i < metadata; i++) builder.add({ type: 'label', targetId: 'u1', label: 'x' });
			builder.user('between', 'between');
			builder.compaction('SECOND', 'u4');
			builder.user('afterwards');
			const { messages } = buildSessionContext(
				JSON.parse(JSON.stringify(builder.entries)) as SessionEntry[],
			);
			assert.deepEqual(
				messages.map(({ role }) => role),
				['compactionSummary', 'user', 'assistant', 'user', 'user'],
			);
			assert.doesNotMatch(JSON.stringify(messages), /FIRST/);
		}
	});

	const troubles = [
		['the network', steps.reset()],
		['a stream that breaks off', steps.text('half a summary', { ending: 'cut' })],
		['a socket that dies', steps.text('half a summary', { ending: 'reset' })],
		['a server error', steps.status(503, 'down')],
		['a refused key', steps.status(401, { error: { message: 'bad key' } })],
		['a page of a gateway', steps.html()],
	] as const;
	for (const [name, trouble] of troubles)
		it(`a summary that fails for ${name} leaves file and context as they were, and the next turn sends all of it`, async () => {
			const { session, manager, storage } = await openBuilt(history(), { server });
			const lines = [...storage.lines];
			const context = manager.context();
			server.enqueue(trouble, steps.text('Going on.'));
			await assert.rejects(session.compact(), UserError);
			assert.deepEqual(storage.lines, lines);
			assert.deepEqual(manager.context(), context);
			await session.prompt('Next');
			await session.whenIdle();
			const sent = server.requests.at(-1)?.body.messages.map(wireText).join('\n') ?? '';
			for (let turn = 1; turn <= 4; turn++) assert.match(sent, new RegExp(`Request ${turn}:`));
		});

	it('a storage that cannot be written to loses neither the history nor the leaf', async () => {
		const { session, manager, storage } = await openBuilt(history());
		const context = manager.context();
		const lines = [...storage.lines];
		storage.append = () => Promise.reject(new UserError('disk-full', 'The disk is full.'));
		await assert.rejects(session.compact(), { reason: 'disk-full' });
		assert.deepEqual(manager.context(), context);
		assert.deepEqual(storage.lines, lines);
		assert.equal(session.activity, 'idle');
	});

	it('however small the window, a request begins with system prompt and summary and leaves no message out', async () => {
		for (const contextWindow of [500, 2_000, 8_000, 32_000]) {
			server.reset();
			const builder = history();
			builder.compaction('## Goal\nThe summary.', 'u3');
			builder.message(assistant('', [toolCall('c')]));
			builder.message(toolResult('c', textOfTokens(300)));
			const { session } = await openBuilt(builder, {
				server,
				contextWindow,
				setup: { systemPrompt: 'The system prompt.' },
			});
			server.setDefault(steps.text('Fine.'));
			await session.continue();
			await session.whenIdle();
			const sent = server.requests[0]?.body.messages ?? [];
			assert.equal(sent[0]?.content, 'The system prompt.');
			assert.match(wireText(sent[1] ?? { role: '', content: '' }), /The summary\./);
			assert.deepEqual(
				sent.map(({ role }) => role),
				['system', 'user', 'user', 'assistant', 'user', 'assistant', 'assistant', 'tool'],
			);
		}
	});
});
