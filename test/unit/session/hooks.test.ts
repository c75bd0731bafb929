/** Hooks in the life of a session, through the public registry. */
import { strict as assert } from 'node:assert';
import { HookRegistry } from '../../../src/extensibility/hooks/registry.ts';
import type { HookCompaction, HookEvents } from '../../../src/extensibility/hooks/types.ts';
import type { SummaryRequest } from '../../../src/session/compaction/summarizer.ts';
import type { AgentSession } from '../../../src/session/agent-session.ts';
import type { CompactionDetails, CompactionEntry } from '../../../src/session/entries.ts';
import type { MemorySessionStorage } from '../../../src/session/session-storage.ts';
import { explainContext } from '../../../src/session/explain-context.ts';
import { UserError } from '../../../src/util/errors.ts';
import { echoSession, fiveTurns } from '../../support/echo-session.ts';
import type { EchoSummarizer } from '../../support/echo-summarizer.ts';
import { assistant, textOfTokens, toolCall, toolResult } from '../../support/session-builder.ts';

const failsWith = (reason: string) => (error: unknown) =>
	error instanceof UserError && error.reason === reason;
const name = 'test hook';

describe('hooks of a session', () => {
	let hooks: HookRegistry;
	let storage: MemorySessionStorage;
	let session: AgentSession;
	let summarizer: EchoSummarizer;

	beforeEach(async () => {
		hooks = new HookRegistry();
		({ session, storage, summarizer } = await echoSession(fiveTurns(), { hooks }));
	});

	const given = (fields: Partial<HookCompaction> = {}): HookCompaction => ({
		summary: 'by the hook',
		firstKeptEntryId: 'u5',
		tokensBefore: 1,
		...fields,
	});

	describe('session_before_compact', () => {
		it('is told the plan, and may refuse', async () => {
			let event: HookEvents['session_before_compact'] | undefined;
			hooks.on(
				'session_before_compact',
				(told) => {
					event = told;
					return { cancel: true };
				},
				{ name },
			);
			const lines = storage.lines.length;
			await assert.rejects(
				session.compact({ instructions: 'the schema' }),
				failsWith('refused-by-hook'),
			);
			assert.equal(storage.lines.length, lines);
			assert.equal(session.activity, 'idle');
			assert.equal(event?.customInstructions, 'the schema');
			assert.equal(event.reason, 'manual');
			assert.equal(event.branchEntries.at(-1)?.id, 'a5');
			assert(event.preparation.messagesToSummarize.length > 0);
		});

		it('may give the whole compaction; no summarizer is asked then', async () => {
			const details = { theirs: true };
			const compaction = given({ details, preserveData: { kept: 1 }, shortSummary: 'short' });
			hooks.on('session_before_compact', () => ({ compaction }), { name });
			hooks.on('session.compacting', () => assert.fail('not asked'), { name });
			const { entry, ...outcome } = await session.compact();
			assert.equal(summarizer.requests.length, 0);
			assert.equal(entry.summary, 'by the hook');
			assert.deepEqual([entry.details, entry.preserveData], [details, { kept: 1 }]);
			assert.deepEqual([entry.fromExtension, entry.fromHook], [true, true]);
			assert.deepEqual([outcome.summarizer, outcome.keptMessages], [name, 2]);
			assert(outcome.tokensAfter < outcome.tokensBefore);
			assert.equal(session.manager.context().messages.length, 3);
		});

		it('is passed over where what it gives cannot be used; that is stored with the summary', async () => {
			const unusable: [Partial<HookCompaction>, RegExp][] = [
				[{ summary: ' ' }, /no summary/],
				[{ summary: 3 as never }, /no summary/],
				[{ firstKeptEntryId: 'nowhere' }, /not in the context/],
				[{ firstKeptEntryId: undefined }, /not in the context/],
				[{ summary: textOfTokens(5000) }, /smaller/],
			];
			for (const [fields, expected] of unusable) {
				const takeBack = hooks.on('session_before_compact', () => ({ compaction: given(fields) }), {
					name,
				});
				const { entry } = await session.compact();
				takeBack();
				const { hookFailures = [] } = entry.details as CompactionDetails;
				assert.match(hookFailures.join(), expected);
				assert.equal(entry.fromExtension, false);
				session.undoCompaction();
			}
		});

		it('says nothing about coverage with what it stores', async () => {
			const covered = { firstEntryId: 'u2', lastEntryId: 'u2', messages: -5 };
			const compaction = given({ details: { covered } });
			hooks.on('session_before_compact', () => ({ compaction }), { name });
			await session.compact();
			const [first] = explainContext(session.manager.getBranch());
			assert.deepEqual([first?.status, first?.assumed], ['summarized', true]);
		});

		it('cannot part a tool call from its result', async () => {
			for (const between of ['note', 'label'])
				for (const [id, usable] of [
					[between, false],
					['call', true],
				] as const) {
					const parted = fiveTurns();
					parted.message(assistant('', [toolCall('c')]), 'call');
					if (between === 'note')
						parted.add({
							type: 'custom_message',
							id: 'note',
							customType: 'x',
							content: 'between',
							display: true,
						});
					else parted.add({ type: 'label', id: 'label', targetId: 'u1', label: 'x' });
					parted.message(toolResult('c', 'found'), 'result');
					parted.message(assistant('done'), 'done');
					hooks = new HookRegistry();
					({ session } = await echoSession(parted, { hooks }));
					const compaction = given({ firstKeptEntryId: id });
					hooks.on('session_before_compact', () => ({ compaction }), { name });
					const { entry } = await session.compact();
					assert.equal(entry.fromExtension, usable, `${between}: ${id}`);
				}
		});

		it('that changes what it is told changes nothing', async () => {
			hooks.on(
				'session_before_compact',
				({ preparation, branchEntries }) => {
					preparation.firstKeptEntryId = 'nowhere';
					preparation.messagesToSummarize.length = 0;
					(branchEntries as unknown[]).length = 0;
				},
				{ name },
			);
			const { entry } = await session.compact();
			assert.equal(entry.firstKeptEntryId, 'u5');
			assert((summarizer.requests[0]?.messages.length ?? 0) > 0);
		});

		it('that fails leaves the compaction as it would have been', async () => {
			hooks.on('session_before_compact', () => Promise.reject(new Error('broken')), { name });
			const { entry } = await session.compact();
			assert.match(entry.summary, /history summary/);
			assert.deepEqual((entry.details as CompactionDetails).hookFailures, [`${name}: broken`]);
		});
	});

	it('session.compacting adds context, replaces the prompt, and keeps data', async () => {
		hooks.on('session.compacting', () => ({ context: ['a', 'b'], preserveData: { x: 1, y: 1 } }), {
			name,
		});
		hooks.on(
			'session.compacting',
			() => ({ context: [3 as never, 'c'], prompt: 'Theirs', preserveData: { y: 2 } }),
			{ name },
		);
		const { entry } = await session.compact();
		const [request] = summarizer.requests as [SummaryRequest];
		assert.deepEqual(request.additionalContext, ['a', 'b', 'c']);
		assert.equal(request.basePrompt, 'Theirs');
		assert.deepEqual(entry.preserveData, { x: 1, y: 2 });
	});

	it('session.compacting is not broken by a prompt or data of another kind', async () => {
		hooks.on('session.compacting', () => ({ prompt: 42, preserveData: 'abc' }) as never, { name });
		const { entry } = await session.compact();
		assert.equal(summarizer.requests[0]?.basePrompt, undefined);
		assert.equal(entry.preserveData, undefined);
	});

	it('session_compact comes after the entry is saved, and cannot take it back', async () => {
		let stored: CompactionEntry | undefined;
		hooks.on(
			'session_compact',
			({ compactionEntry }) => {
				stored = compactionEntry;
				assert.match(storage.lines.at(-1) ?? '', new RegExp(compactionEntry.id));
				throw new Error('too late');
			},
			{ name },
		);
		const { entry } = await session.compact();
		assert.equal(stored?.id, entry.id);
		assert.equal(session.manager.leafId, entry.id);
	});

	describe('session_before_tree', () => {
		it('may refuse a move', async () => {
			let wants: boolean | undefined;
			hooks.on(
				'session_before_tree',
				({ preparation }) => {
					wants = preparation.userWantsSummary;
					assert.deepEqual(
						preparation.entriesToSummarize.map(({ id }) => id),
						['u5', 'a5'],
					);
					return { cancel: true };
				},
				{ name },
			);
			assert.deepEqual(await session.navigateTree('a4', { summarize: true }), { cancelled: true });
			assert.equal(session.manager.leafId, 'a5');
			assert.equal(wants, true);
			assert.equal(session.activity, 'idle');
		});

		it('may give the summary, used only where one was asked for', async () => {
			const summary = { summary: 'by the hook', details: { theirs: true } };
			hooks.on('session_before_tree', () => ({ summary }), { name });
			const plain = await session.navigateTree('a4', { summarize: false });
			assert.equal(plain.summaryEntry, undefined);
			await session.navigateTree('a5', { summarize: false });
			const { summaryEntry } = await session.navigateTree('a4', { summarize: true });
			assert.equal(summaryEntry?.summary, 'by the hook');
			assert.equal(summaryEntry.fromExtension, true);
			assert.deepEqual([summaryEntry.parentId, summaryEntry.fromId], ['a4', 'a5']);
			assert.equal(summarizer.requests.length, 0);
		});

		it('that hangs can be cancelled like the rest', async () => {
			const controller = new AbortController();
			hooks.on(
				'session_before_tree',
				({ signal }) => {
					assert.equal(signal.aborted, false);
					controller.abort();
					return new Promise(() => {});
				},
				{ name },
			);
			const { signal } = controller;
			const result = await session.navigateTree('a4', { summarize: true, signal });
			assert.deepEqual(result, { cancelled: true, aborted: true });
			assert.equal(session.manager.leafId, 'a5');
		});
	});

	it('session_tree tells of the move, with its summary', async () => {
		const events: HookEvents['session_tree'][] = [];
		hooks.on('session_tree', (event) => void events.push(event), { name });
		await session.navigateTree('a4', { summarize: false });
		await session.navigateTree('a3', { summarize: true });
		assert.deepEqual(events[0], { newLeafId: 'a4', oldLeafId: 'a5' });
		assert.equal(events[1]?.oldLeafId, 'a4');
		assert.equal(events[1].newLeafId, events[1].summaryEntry?.id);
		assert.equal(events[1].fromExtension, false);
	});
});
