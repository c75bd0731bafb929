/** C03: orphan tool call or tool result. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { toChatMessages } from '../../../src/providers/openai/to-chat-messages.ts';
import { generateBranchSummary } from '../../../src/session/compaction/branch-summarization.ts';
import { compact, prepareCompaction } from '../../../src/session/compaction/compaction.ts';
import { findCutPoint } from '../../../src/session/compaction/cut-point.ts';
import { serializeConversation } from '../../../src/session/compaction/serialize.ts';
import { buildPathContext } from '../../../src/session/context.ts';
import type { SessionEntry } from '../../../src/session/entries.ts';
import type { AgentMessage } from '../../../src/session/messages.ts';
import { buildRequest } from '../../../src/session/request-builder.ts';
import { UserError } from '../../../src/util/errors.ts';
import { EchoSummarizer } from '../../support/echo-summarizer.ts';
import {
	Gate,
	startScriptedServer,
	steps,
	type RecordedMessage,
	type ScriptedServer,
} from '../../support/scripted-server.ts';
import {
	assistant,
	SessionBuilder,
	textOfTokens,
	toolCall,
	toolResult,
} from '../../support/session-builder.ts';
import { openBuilt } from '../../support/session-at-work.ts';
import { assertPaired, wireText } from '../../support/wire.ts';

/** What a session file can hold about calls, in any order: whole, cut, doubled, swapped, taken back. */
const step = fc.record({
	kind: fc.constantFrom(
		...(['user', 'answer', 'call', 'call', 'calls', 'result', 'result', 'result'] as const),
		...(['failed', 'aborted', 'image', 'compaction', 'edit', 'meta', 'note', 'leave'] as const),
	),
	/** Few ids, so that they meet, come twice and miss each other. */
	id: fc.constantFrom('a', 'b', 'c', 'd'),
	tokens: fc.integer({ min: 1, max: 60 }),
	place: fc.nat(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function add(builder: SessionBuilder, { kind, id, tokens, place }: Step): void {
	const text = textOfTokens(tokens);
	const somewhere = builder.entries[place % Math.max(1, builder.entries.length)]?.id ?? 'none';
	switch (kind) {
		case 'user':
			return void builder.user(text);
		case 'answer':
			return void builder.assistant(text);
		case 'call':
			return void builder.message(assistant(tokens % 2 ? text : '', [toolCall(id)]));
		case 'calls':
			return void builder.message(assistant('', [toolCall(id), toolCall(`${id}2`)]));
		case 'result':
			return void builder.message(toolResult(tokens % 5 ? id : `${id}2`, tokens % 7 ? text : ''));
		case 'failed':
		case 'aborted': {
			const stopReason = kind === 'failed' ? 'error' : 'aborted';
			return void builder.message(assistant(text, [toolCall(id)], { stopReason }));
		}
		case 'image': {
			const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' };
			return void builder.message({ ...toolResult(id, text), content: [image] });
		}
		case 'compaction':
			return void builder.compaction('A summary.', somewhere);
		case 'edit':
			return void builder.add({ type: 'context_edit', targetId: somewhere, replacement: null });
		case 'meta':
			return void builder.add({ type: 'label', targetId: somewhere, label: 'x' });
		case 'note':
			return void builder.add({
				...{ type: 'custom_message', customType: 'note', content: text, display: true },
			});
		case 'leave':
			return void builder.add({ type: 'branch_summary', fromId: somewhere, summary: text });
	}
}

const histories = fc.array(step, { minLength: 1, maxLength: 30 }).map((all) => {
	const builder = new SessionBuilder();
	for (const each of all) add(builder, each);
	return builder;
});

/** Checks the messages as the provider would put them on the wire. */
function assertSendable(messages: readonly AgentMessage[], room?: number): void {
	const { messages: built } = buildRequest(messages, { room });
	assertPaired(toChatMessages('system', built) as unknown as RecordedMessage[]);
}

/** Places of the calls that a later result on the path answers, with those results. */
function pairs(entries: readonly SessionEntry[]): [number, number][] {
	const found: [number, number][] = [];
	const open = new Map<string, number>();
	for (const [place, entry] of entries.entries()) {
		if (entry.type !== 'message') continue;
		const { message } = entry;
		if (message.role === 'assistant')
			for (const part of message.content) if (part.type === 'toolCall') open.set(part.id, place);
		if (message.role !== 'toolResult') continue;
		const call = open.get(message.toolCallId);
		if (call !== undefined) found.push([call, place]);
		open.delete(message.toolCallId);
	}
	return found;
}

describe('C03 orphan tool call or result: every request pairs each result with a call before it and answers each call', () => {
	let server: ScriptedServer;
	before(async () => {
		server = await startScriptedServer();
	});
	after(() => server.close());
	beforeEach(() => server.reset());

	it('at any leaf of any file, in any window', () =>
		fc.assert(
			fc.property(
				histories,
				fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
				({ entries }, room) => {
					for (let end = 1; end <= entries.length; end++)
						assertSendable(buildPathContext(entries.slice(0, end)).messages, room);
				},
			),
			{ numRuns: 150 },
		));

	it('in every summary request and after every compaction, whatever is cut', () =>
		fc.assert(
			fc.asyncProperty(
				histories,
				fc.integer({ min: 1, max: 300 }),
				fc.option(fc.nat(), { nil: undefined }),
				async (builder, keepRecentTokens, boundary) => {
					const { entries } = builder;
					const boundaryId =
						boundary === undefined ? undefined : entries[boundary % entries.length]?.id;
					const settings = { reserveTokens: 1_000, keepRecentTokens };
					const plan = prepareCompaction(entries, settings, undefined, { boundaryId });
					if (!plan) return;
					assertSendable(plan.messagesToSummarize);
					assertSendable(plan.turnPrefixMessages);
					const echo = new EchoSummarizer();
					try {
						await compact(plan, echo);
					} catch (error) {
						assert(error instanceof UserError && error.reason === 'no-gain');
					}
					for (const { messages } of echo.requests) assertSendable(messages);
					builder.compaction('Short.', plan.firstKeptEntryId);
					assertSendable(buildPathContext(entries).messages);
				},
			),
			{ numRuns: 200 },
		));

	it('no cut of ours lies between a call and its result, whatever lies between them', () =>
		fc.assert(
			fc.property(histories, fc.integer({ min: 1, max: 300 }), ({ entries }, keep) => {
				const plain = entries.filter(
					({ type }) => type !== 'compaction' && type !== 'context_edit',
				);
				const { firstKeptEntryIndex: cut } = findCutPoint(plain, 0, plain.length, keep);
				const first = plain[cut];
				assert(cut === 0 || first?.type !== 'message' || first.message.role !== 'toolResult');
				for (const [call, result] of pairs(plain))
					assert(result < cut || call >= cut, `the cut ${cut} parts ${call} from ${result}`);
			}),
			{ numRuns: 200 },
		));

	it('in the summary of any branch that is left', () =>
		fc.assert(
			fc.asyncProperty(
				histories,
				fc.nat(),
				fc.integer({ min: 50, max: 2_000 }),
				async ({ entries }, from, tokenBudget) => {
					const echo = new EchoSummarizer();
					const signal = new AbortController().signal;
					const left = entries.slice(from % entries.length);
					await generateBranchSummary(left, echo, { signal, summaryTokens: 500, tokenBudget });
					for (const { messages } of echo.requests) {
						assertSendable(messages);
						assert(serializeConversation(buildRequest(messages).messages) !== '');
					}
				},
			),
			{ numRuns: 100 },
		));

	describe('through a server', () => {
		const early = (builder: SessionBuilder) => {
			builder.user(`Start ${textOfTokens(300)}`);
			builder.assistant(textOfTokens(300));
		};
		const late = (builder: SessionBuilder) => {
			builder.user(`Later ${textOfTokens(100)}`, 'later');
			builder.assistant(textOfTokens(100), 'end');
		};
		/** What stands where, as a file of any tool could hold it. */
		const files: [string, (builder: SessionBuilder) => void][] = [
			[
				'a result after an inner compaction, kept without its call',
				(builder) => {
					builder.message(assistant('', [toolCall('A')]));
					builder.compaction('C1', 'e1');
					const kept = builder.user('kept from here');
					builder.message(toolResult('A', 'LATE RESULT'));
					builder.compaction('C2', kept);
				},
			],
			[
				'a stand-in for an aborted call, compacted past the call',
				(builder) => {
					builder.message(assistant('', [toolCall('A')], { stopReason: 'aborted' }));
					builder.message({ ...toolResult('A', 'stopped'), isError: true });
				},
			],
			[
				'a call that nothing answers',
				(builder) => void builder.message(assistant('', [toolCall('A'), toolCall('B')])),
			],
			[
				'results in another order, one missing, one twice',
				(builder) => {
					builder.message(
						assistant(
							'',
							['A', 'B', 'C'].map((id) => toolCall(id)),
						),
					);
					builder.message(toolResult('C', 'c'));
					builder.message(toolResult('A', 'a'));
					builder.message(toolResult('A', 'again'));
				},
			],
			[
				'a result before its call',
				(builder) => {
					builder.message(toolResult('A', 'early'));
					builder.message(assistant('', [toolCall('A')]));
				},
			],
			[
				'a call that was edited away, its result not',
				(builder) => {
					const call = builder.message(assistant('', [toolCall('A')]));
					builder.message(toolResult('A', 'left behind'));
					builder.add({ type: 'context_edit', targetId: call, replacement: null });
				},
			],
			[
				'the same ids in every turn',
				(builder) => {
					for (let turn = 0; turn < 3; turn++) {
						builder.message(assistant('', [toolCall('call_0')]));
						builder.message(toolResult('call_0', `result ${turn}`));
					}
				},
			],
			[
				'a prompt typed between call and result',
				(builder) => {
					builder.message(assistant('', [toolCall('A')]));
					builder.user('typed meanwhile');
					builder.message(toolResult('A', 'done'));
				},
			],
			[
				'a branch summary between call and result',
				(builder) => {
					builder.message(assistant('', [toolCall('A')]));
					builder.add({ type: 'branch_summary', fromId: 'e1', summary: 'elsewhere' });
					builder.message(toolResult('A', 'done'));
				},
			],
			[
				'calls whose parts are damaged',
				(builder) => {
					const broken = { type: 'toolCall', id: 'A', name: 7, arguments: 'none' };
					const message = { ...assistant('x'), content: [broken, null, { type: 'toolCall' }] };
					builder.message(message as unknown as AgentMessage);
					builder.message({
						...toolResult('A', 'r'),
						toolName: undefined,
					} as unknown as AgentMessage);
				},
			],
		];
		for (const [name, write] of files)
			for (const cut of ['none', 'late', 'here'] as const)
				it(`${name} (compacted: ${cut})`, async () => {
					const builder = new SessionBuilder();
					early(builder);
					write(builder);
					const [boundaryId] = [builder.leaf ?? ''];
					if (cut !== 'here') late(builder);
					const { session } = await openBuilt(builder, { server, keepRecentTokens: 150 });
					server.setDefault(steps.text('Short.'));
					if (cut === 'late') await session.compact();
					if (cut === 'here')
						await session.compact({ boundaryId }).catch((error: unknown) => {
							// A file that ends in a compaction has nothing to compact.
							assert(error instanceof UserError);
						});
					await session.prompt('Go on');
					await session.whenIdle();
					assert(server.requests.length > 0);
					for (const request of server.requests) {
						assertPaired(request.body.messages);
						assert.equal(request.body['tools'], undefined);
					}
				});

		it('whatever entry the leaf is moved to, and whichever entry becomes the first one kept', async () => {
			const builder = new SessionBuilder();
			early(builder);
			for (const [, write] of files.slice(1)) write(builder);
			late(builder);
			server.setDefault(steps.text('Short.'));
			for (const { id } of builder.entries) {
				const { session } = await openBuilt(builder, { server });
				await session.navigateTree(id, { summarize: false });
				await session.prompt('From here');
				await session.whenIdle();
				const other = await openBuilt(builder, { server });
				await other.session.compact({ boundaryId: id }).catch((error: unknown) => {
					assert(error instanceof UserError, String(error));
				});
				await other.session.prompt('And so');
				await other.session.whenIdle();
			}
			for (const request of server.requests) assertPaired(request.body.messages);
		});

		it('a turn stopped in its call, then compacted, goes on with a sound request', async () => {
			const builder = new SessionBuilder();
			early(builder);
			late(builder);
			const { session } = await openBuilt(builder, { server, keepRecentTokens: 150 });
			const gate = new Gate();
			const call = { id: 'X', name: 'read', arguments: '{"path":"a.ts"}' };
			server.enqueue(steps.toolCalls([call, { ...call, id: 'Y' }], { gate }));
			server.setDefault(steps.text('Short.'));
			await session.prompt('Read it');
			await server.waitForRequest(1);
			gate.release();
			await session.abort();
			await session.compact();
			await session.prompt('Go on');
			await session.whenIdle();
			for (const request of server.requests) assertPaired(request.body.messages);
			const sent = server.requests.at(-1)?.body.messages.map(wireText).join('\n') ?? '';
			assert.match(sent, /Go on/);
		});
	});
});
