/**
 * C17: one adapter for answers and summaries; what servers get wrong ends in a clear error or a repair. All
 * of it through the real SDK against a real server.
 */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import type { AssistantMessage, LlmMessage } from '../../../src/agent/messages.ts';
import { ModelError, type Model } from '../../../src/agent/model.ts';
import { cutPromptWarning } from '../../../src/providers/openai/cut-prompt.ts';
import {
	createOpenAIModel,
	type OpenAIModelConfig,
} from '../../../src/providers/openai/openai-model.ts';
import { createModelSummarizer } from '../../../src/session/compaction/model-summarizer.ts';
import { UserError } from '../../../src/util/errors.ts';
import { silentLogger } from '../../../src/util/logger.ts';
import { collect, userMessage } from '../../support/collect-stream.ts';
import {
	startScriptedServer,
	steps,
	type ScriptedServer,
	type Step,
} from '../../support/scripted-server.ts';
import { SessionBuilder } from '../../support/session-builder.ts';
import { openBuilt } from '../../support/session-at-work.ts';

interface Fragment {
	index?: number;
	id?: string;
	function: { name?: string; arguments: string };
}

/** What each of several calls is made of. */
interface Call {
	name: string;
	arguments: Record<string, string>;
}

const callOf = (position: number, { name, arguments: args }: Call) => ({
	type: 'toolCall',
	id: `call-${position}`,
	name,
	arguments: args,
});

/** The argument text of a call, cut at the given shares of its length. */
function pieces(text: string, shares: readonly number[]): string[] {
	const cuts = [...new Set(shares.map((share) => Math.floor(share * text.length)))].sort(
		(a, b) => a - b,
	);
	return [0, ...cuts].map((start, i) => text.slice(start, cuts[i] ?? text.length));
}

/** How servers number the fragments of a call. */
const numberings = {
	index: (position: number, first: boolean) => ({
		index: position,
		...(first ? { id: `call-${position}` } : {}),
	}),
	'same index': (position: number, first: boolean) => ({
		index: 0,
		...(first ? { id: `call-${position}` } : {}),
	}),
	'index that begins at 1': (position: number, first: boolean) => ({
		index: position + 1,
		...(first ? { id: `call-${position}` } : {}),
	}),
	'no index, ids on each': (position: number) => ({ id: `call-${position}` }),
	'no index, ids at first': (position: number, first: boolean) =>
		first ? { id: `call-${position}` } : {},
};

const calls = fc.array(
	fc.record({
		name: fc.constantFrom('read', 'ls', 'edit'),
		arguments: fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { noNullPrototype: true }),
	}),
	{ minLength: 1, maxLength: 4 },
);
const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), {
	maxLength: 6,
});

describe('C17: quirks of endpoints', () => {
	let server: ScriptedServer;
	before(async () => {
		server = await startScriptedServer();
	});
	after(() => server.close());
	beforeEach(() => server.reset());

	const model = (extra: Partial<OpenAIModelConfig> = {}) =>
		createOpenAIModel({ baseUrl: server.baseUrl, model: 'm', contextWindow: 32_000, ...extra });
	const summarize = (from: Model = model()) =>
		createModelSummarizer(from).summarize(
			{ kind: 'history', messages: [userMessage('Fix the parser in a.ts')], maxTokens: 1000 },
			new AbortController().signal,
		);

	describe('tool calls', () => {
		for (const [name, numbering] of Object.entries(numberings))
			it(`${name}: fragments cut anywhere give the same calls (223)`, () =>
				fc.assert(
					fc.asyncProperty(calls, shares, async (wanted, cuts) => {
						const fragments = wanted.flatMap((call, position) =>
							pieces(JSON.stringify(call.arguments), cuts).map((piece, i): Fragment => ({
								...numbering(position, i === 0),
								function: { ...(i === 0 ? { name: call.name } : {}), arguments: piece },
							})),
						);
						server.enqueue(
							steps.deltas(
								fragments.map((fragment) => ({ tool_calls: [fragment] })),
								{ finishReason: 'tool_calls' },
							),
						);
						const { message } = await collect(model());
						assert.deepEqual(
							message.content,
							wanted.map((call, position) => callOf(position, call)),
						);
						assert.equal(message.stopReason, 'toolUse');
					}),
					{ numRuns: 25 },
				));

		it('several fragments in one chunk, and calls that take turns', () =>
			fc.assert(
				fc.asyncProperty(
					calls,
					shares,
					fc.integer({ min: 1, max: 5 }),
					async (wanted, cuts, size) => {
						const queues = wanted.map((call, position) =>
							pieces(JSON.stringify(call.arguments), cuts).map((piece, i) => ({
								...numberings.index(position, i === 0),
								function: { ...(i === 0 ? { name: call.name } : {}), arguments: piece },
							})),
						);
						const fragments: Fragment[] = [];
						const longest = Math.max(...queues.map(({ length }) => length));
						for (let i = 0; i < longest; i++)
							for (const queue of queues) if (queue[i]) fragments.push(queue[i]!);
						const chunks: object[] = [];
						for (let i = 0; i < fragments.length; i += size)
							chunks.push({ tool_calls: fragments.slice(i, i + size) });
						server.enqueue(steps.deltas(chunks as Record<string, unknown>[]));
						const { message } = await collect(model());
						assert.deepEqual(
							message.content,
							wanted.map((call, position) => callOf(position, call)),
						);
					},
				),
				{ numRuns: 25 },
			));

		it('text in any script comes through as it was sent', () =>
			fc.assert(
				fc.asyncProperty(
					fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }),
					async (texts) => {
						const events = texts.map((content) => ({
							choices: [{ index: 0, delta: { content } }],
						}));
						const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
						server.enqueue(steps.events([...events, end, '[DONE]']));
						const { message } = await collect(model());
						const text = texts.join('');
						assert.deepEqual(message.content, text ? [{ type: 'text', text }] : []);
					},
				),
				{ numRuns: 25 },
			));

		it('two objects in one argument string stay visible, and the session valid (225)', async () => {
			const args = '{"path":"a"}{"path":"b"}';
			server.setDefault(steps.text('Go on.'));
			server.enqueue(steps.toolCalls([{ id: 'a', name: 'read', arguments: args }]));
			const builder = new SessionBuilder();
			builder.user('Hello');
			const { session, manager } = await openBuilt(builder, { server });
			for (const text of ['Read both', 'And now?']) {
				await session.prompt(text);
				await session.whenIdle();
			}
			const { messages } = await manager.readContext();
			const stored = messages.find(
				(message) => message.role === 'assistant' && message.stopReason === 'toolUse',
			) as AssistantMessage | undefined;
			assert.deepEqual(stored?.content, [
				{ type: 'toolCall', id: 'a', name: 'read', arguments: { _raw: args } },
			]);
			// The next request is one that any server takes: arguments that are JSON, a result for the call.
			const sent = server.requests[1]!.body.messages;
			const call = sent.find(({ tool_calls: made }) => Array.isArray(made));
			const [made] = call?.['tool_calls'] as { id: string; function: { arguments: string } }[];
			assert.deepEqual(JSON.parse(made!.function.arguments), { _raw: args });
			assert(sent.some(({ role, tool_call_id: id }) => role === 'tool' && id === 'a'));
		});
	});

	describe('answers that are none', () => {
		const text = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });
		const broken: [string, Step, string, RegExp][] = [
			['no events (217)', steps.zeroEvents(), 'server', /no events/],
			['a page (219)', steps.html(), 'badAnswer', /200 with text\/html.*"Gateway Please log in\."/],
			['an empty body', steps.emptyBody(), 'badAnswer', /body is empty/],
			[
				'a JSON error with 200',
				steps.body('{"error":"no"}', 'application/json'),
				'badAnswer',
				/no/,
			],
			['an error in the stream', steps.errorEvent({ message: 'Boom' }, 'Hel'), 'badAnswer', /Boom/],
			[
				'an overloaded server in the stream',
				steps.errorEvent({ message: 'overloaded', code: 503 }),
				'server',
				/overloaded/,
			],
			[
				'a stream without an end',
				steps.text('Hel', { ending: 'cut', finishReason: null }),
				'connection',
				/broke off/,
			],
			['a dead socket', steps.text('Hel', { ending: 'reset' }), 'connection', /closed|failed/],
			['no JSON', steps.events([text('a'), '{"choices": [']), 'badAnswer', /not JSON/],
			[
				'a finish of "error"',
				steps.text('a', { finishReason: 'error' }),
				'server',
				/ended its answer/,
			],
			[
				'events without choices',
				steps.events([{ id: 'x' }, { choices: null }]),
				'connection',
				/broke off/,
			],
		];
		for (const [name, step, reason, wording] of broken) {
			it(`${name}: a clear error for an answer`, async () => {
				server.enqueue(step);
				await assert.rejects(collect(model()), (error) => {
					assert(error instanceof ModelError, String(error));
					assert.equal(error.reason, reason, error.message);
					assert.match(error.message, wording);
					return true;
				});
			});

			it(`${name}: a clear error for a summary`, async () => {
				server.enqueue(step);
				await assert.rejects(summarize(), (error) => {
					assert(error instanceof UserError, String(error));
					assert.match(error.message, wording);
					assert.equal(error.kept, 'The session is unchanged.');
					return true;
				});
				assert.equal(server.requests.length, 1);
			});
		}

		it('whatever an event holds, the answer is one, or a ModelError', () =>
			fc.assert(
				fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 4 }), async (events) => {
					const end = { choices: [{ index: 0, delta: { content: 'x' }, finish_reason: 'stop' }] };
					server.enqueue(steps.events([...events.map((event) => JSON.stringify(event)), end]));
					try {
						assert.equal((await collect(model())).message.role, 'assistant');
					} catch (error) {
						assert(error instanceof ModelError, String(error));
						assert.notEqual(error.reason, 'connection', error.message);
					}
				}),
				{ numRuns: 40, examples: [[[null]], [[{ choices: 5 }]], [[{ choices: [null] }]]] },
			));
	});

	describe('fields', () => {
		const refused: [string, number, string, string][] = [
			['stream_options', 400, 'Unknown field: stream_options', 'stream_options'],
			['stream_options', 422, 'stream_options: Extra inputs are not permitted', 'stream_options'],
			['max_tokens', 400, "Unsupported parameter: 'max_tokens' is not supported", 'max_tokens'],
		];
		for (const [field, status, message, omitted] of refused)
			it(`a summary is made without ${field} where it is refused with ${status} (227)`, async () => {
				server.enqueue(steps.status(status, { error: { message } }), steps.text('The summary.'));
				assert.equal((await summarize()).text, 'The summary.');
				const sent = server.requests.map(({ body }) => omitted in body);
				assert.deepEqual(sent, [true, false]);
			});

		it('a refusal of another setting is told with its reason (227)', async () => {
			const message = "Unknown value for 'effort': xhigh";
			server.enqueue(steps.status(400, { error: { message } }));
			await assert.rejects(summarize(), /effort/);
			assert.equal(server.requests.length, 1);
		});

		it('usage that comes in a last chunk without choices counts, for summaries too', async () => {
			const usage = { prompt_tokens: 321, completion_tokens: 7 };
			server.setDefault(steps.text('ok', { usage, usageIn: 'ownChunk' }));
			const { message } = await collect(model());
			assert.equal(message.usage.input, 321);
			assert.equal((await summarize()).usage?.input, 321);
		});

		it('answers and summaries are sent alike: same path, same optional fields', async () => {
			server.setDefault(steps.text('ok'));
			await collect(model(), { systemPrompt: 'x', maxOutputTokens: 10 });
			await summarize();
			const [answer, summary] = server.requests;
			assert.deepEqual(Object.keys(summary!.body).sort(), Object.keys(answer!.body).sort());
			assert.equal(summary!.path, answer!.path);
		});
	});

	describe('thinking', () => {
		const turn = (content: AssistantMessage['content']): LlmMessage => ({
			...{ role: 'assistant', content, api: 'a', provider: 'p', model: 'm', timestamp: 0 },
			usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 } as never,
			stopReason: 'toolUse',
		});
		const messages: LlmMessage[] = [
			userMessage('Read a.ts'),
			turn([
				{ type: 'thinking', thinking: 'I should read it.' },
				{ type: 'toolCall', id: 'a', name: 'read', arguments: {} },
			]),
			{
				...{ role: 'toolResult', toolCallId: 'a', toolName: 'read', timestamp: 0 },
				...{ content: [{ type: 'text', text: 'x' }], isError: false },
			},
		];
		const wanted = steps.status(400, {
			error: { message: 'Missing `reasoning_content` field in the assistant message at index 1' },
		});

		it('goes along with kept turns once a server asks for it (221)', async () => {
			server.setDefault(steps.text('ok'));
			server.enqueue(wanted);
			const one = model();
			await collect(one, { messages });
			await collect(one, { messages });
			const sent = server.requests.map(({ body }) => body.messages[1]?.['reasoning_content']);
			assert.deepEqual(sent, [undefined, 'I should read it.', 'I should read it.']);
		});

		it('is asked for once: a server that refuses it all the same is told of (221)', async () => {
			server.setDefault(wanted);
			await assert.rejects(collect(model(), { messages }), /reasoning_content/);
			assert.equal(server.requests.length, 2);
		});
	});

	describe('a prompt that is cut without a word (229)', () => {
		const long = 'The quick brown fox jumps over the lazy dog. '.repeat(800);
		const cases: [string, number, boolean][] = [
			['half of it', 4500, true],
			['all of it', 8100, false],
			['more than the estimate', 20_000, false],
			['nothing reported', 0, false],
		];
		for (const [name, read, warned] of cases)
			it(`${name}: ${warned ? 'a warning with both numbers' : 'no warning'}`, async () => {
				const warnings: string[] = [];
				const log = { ...silentLogger, warn: (line: string) => warnings.push(line) };
				server.enqueue(steps.text('ok', { usage: { prompt_tokens: read, completion_tokens: 2 } }));
				await collect(model({ log }), { messages: [userMessage(long)] });
				assert.equal(warnings.length, warned ? 1 : 0);
				if (warned) assert.match(warnings[0] ?? '', /read 4500 tokens .* about 9\d\d\d/);
			});

		it('says nothing of short prompts, where the estimate is rough', () => {
			assert.equal(cutPromptWarning('m', 100, 1999), undefined);
			assert.notEqual(cutPromptWarning('m', 100, 2000), undefined);
		});
	});

	it('ids, names and texts that are no texts become ones, or nothing', async () => {
		const chunk = (delta: object, finish_reason: string | null = null) => ({
			choices: [{ index: 0, delta, finish_reason }],
		});
		server.enqueue(
			steps.events([
				chunk({ content: 5, reasoning_content: { deep: true } }),
				chunk({ content: { not: 'text' } }),
				chunk({ tool_calls: [{ index: 0, id: 123, function: { name: 'ls', arguments: '{}' } }] }),
				chunk({}, 'constructor'),
				'[DONE] ',
			]),
		);
		const { message, text, thinking } = await collect(model());
		assert.deepEqual(message.content, [
			{ type: 'text', text: '5' },
			{ type: 'toolCall', id: '123', name: 'ls', arguments: {} },
		]);
		assert.equal(message.stopReason, 'toolUse');
		assert.deepEqual([text, thinking], [['5'], []]);
	});

	it('arguments too deep to be written are kept as their text, and the session goes on', async () => {
		const deep = `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
		server.enqueue(steps.toolCalls([{ id: 'c1', name: 'ls', arguments: deep }]));
		server.enqueue(steps.text('Fine.'));
		const { session, manager } = await openBuilt(new SessionBuilder(), { server });
		await session.prompt('One');
		await session.whenIdle();
		await session.prompt('Two');
		await session.whenIdle();
		const answers = manager
			.getBranch()
			.flatMap((entry) =>
				entry.type === 'message' && entry.message.role === 'assistant' ? [entry.message] : [],
			);
		assert.equal(answers.length, 2);
		assert.deepEqual(answers[0]?.content.at(-1), {
			...{ type: 'toolCall', id: 'c1', name: 'ls' },
			arguments: { _raw: deep },
		});
	});

	it('an answer that has ended is whole, whatever becomes of the connection behind it', async () => {
		const end = { choices: [{ index: 0, delta: { content: 'All.' }, finish_reason: 'stop' }] };
		const body = `data: ${JSON.stringify(end)}\n\n`;
		const promised = { 'content-length': String(body.length + 100), connection: 'close' };
		for (const more of [{}, promised]) {
			const headers = { 'content-type': 'text/event-stream', ...more };
			server.enqueue({ type: 'raw', status: 200, headers, body });
			const { message } = await collect(model());
			assert.deepEqual(message.content, [{ type: 'text', text: 'All.' }]);
			assert.equal(message.stopReason, 'stop');
		}
	});

	it('empty events are passed over, and the words of an error event count, JSON or not', async () => {
		const begin = { choices: [{ index: 0, delta: { content: 'Well' } }] };
		const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
		server.enqueue(steps.events([begin, '', end, '[DONE]']));
		const { message } = await collect(model());
		assert.deepEqual(message.content, [{ type: 'text', text: 'Well' }]);
		server.enqueue({
			...{ type: 'raw', status: 200, headers: { 'content-type': 'text/event-stream' } },
			body: 'event: error\ndata: the kiln is cold\n\n',
		});
		await assert.rejects(
			collect(model()),
			(error: unknown) => error instanceof ModelError && /the kiln is cold/.test(error.message),
		);
	});
});
