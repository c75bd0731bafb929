/** The adapter through the real SDK against a real server: streaming, usage, requests, abort. */
import { strict as assert } from 'node:assert';
import { ModelError, type ModelStreamEvent } from '../../../../src/agent/model.ts';
import { createOpenAIModel } from '../../../../src/providers/openai/openai-model.ts';
import { isAbort } from '../../../../src/util/errors.ts';
import { collect, userMessage } from '../../../support/collect-stream.ts';
import {
	Gate,
	startScriptedServer,
	steps,
	type ScriptedServer,
} from '../../../support/scripted-server.ts';

const key = 'sk-test-0123456789abcdef';

describe('createOpenAIModel', () => {
	let server: ScriptedServer;
	before(async () => {
		server = await startScriptedServer();
	});
	after(() => server.close());
	beforeEach(() => server.reset());

	const model = (extra: object = {}) =>
		createOpenAIModel({
			baseUrl: server.baseUrl,
			apiKey: key,
			model: 'scripted-model',
			contextWindow: 32_000,
			...extra,
		});

	it('streams each chunk as it arrives and ends with the whole message', async () => {
		const gate = new Gate();
		server.enqueue(steps.text(['Hel', 'lo ', 'there'], { gate }));
		const iterator = model()
			.stream({ messages: [userMessage('hi')] }, new AbortController().signal)
			[Symbol.asyncIterator]();
		for (const delta of ['Hel', 'lo ', 'there']) {
			gate.release();
			assert.deepEqual((await iterator.next()).value, { type: 'text', delta });
		}
		const last = (await iterator.next()).value as ModelStreamEvent | undefined;
		assert(last?.type === 'done');
		assert.deepEqual(last.message.content, [{ type: 'text', text: 'Hello there' }]);
		assert.equal(last.message.stopReason, 'stop');
		assert.equal(last.message.provider, 'openai-compatible');
		assert.equal(last.message.model, 'scripted-model');
		assert.equal((await iterator.next()).done, true);
		assert.equal(await server.requests[0]?.closed, 'finished');
	});

	it('sends the system prompt, the limit and the key, and nothing from the environment', async () => {
		const env = {
			OPENAI_API_KEY: 'sk-env-1111111111111',
			OPENAI_ORG_ID: 'org-env',
			OPENAI_CUSTOM_HEADERS: 'Authorization: Bearer env\nX-Env: leak',
		};
		Object.assign(process.env, env);
		try {
			server.enqueue(steps.text('ok'));
			await collect(model({ maxOutputTokens: 500 }), {
				systemPrompt: 'Be brief.',
				maxOutputTokens: 900,
			});
		} finally {
			for (const name of Object.keys(env)) delete process.env[name];
		}
		const { body, headers } = server.requests[0]!;
		assert.deepEqual(body.messages, [
			{ role: 'system', content: 'Be brief.' },
			{ role: 'user', content: 'hello' },
		]);
		assert.equal(body['max_tokens'], 500);
		assert.deepEqual(body['stream_options'], { include_usage: true });
		assert.equal('tools' in body, false);
		assert.equal(headers.authorization, `Bearer ${key}`);
		assert.deepEqual(
			Object.keys(headers).filter((name) => /openai|stainless|x-env/.test(name)),
			[],
		);
	});

	it('sends no authorization without a key', async () => {
		server.enqueue(steps.text('ok'));
		await collect(model({ apiKey: ' ' }));
		assert.equal(server.requests[0]?.headers.authorization, undefined);
	});

	it('takes base URLs with a slash or the whole path', async () => {
		server.setDefault(steps.text('ok'));
		await collect(model({ baseUrl: `${server.baseUrl}/` }));
		await collect(model({ baseUrl: `${server.baseUrl}/chat/completions` }));
		assert.equal(server.requests.length, 2);
	});

	it("speaks to Azure's deployments: their path, version and header for the key", async () => {
		server.setDefault(steps.text('ok'));
		const { origin } = new URL(server.baseUrl);
		const baseUrl = `${origin}/openai/deployments/gpt`;
		await collect(model({ baseUrl }));
		await collect(model({ baseUrl: `${baseUrl}/?api-version=2099-01-01` }));
		for (const { path, headers } of server.requests) {
			assert.equal(path, '/openai/deployments/gpt/chat/completions');
			assert.equal(headers['api-key'], key);
			assert.equal(headers.authorization, undefined);
		}
		assert.deepEqual(
			server.requests.map(({ search }) => search),
			['?api-version=2024-10-21', '?api-version=2099-01-01'],
		);
	});

	describe('tools', () => {
		const tool = {
			name: 'read',
			description: 'Reads a file.',
			parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
		};

		it('are offered where there are some', async () => {
			server.setDefault(steps.text('ok'));
			await collect(model(), { tools: [tool] });
			await collect(model(), { tools: [] });
			assert.deepEqual(server.requests[0]?.body['tools'], [{ type: 'function', function: tool }]);
			assert.equal('tools' in server.requests[1]!.body, false);
		});

		it('are told of while they are called', async () => {
			const pieces = (name: string | undefined, index: number, args: string) => ({
				tool_calls: [{ index, id: name, function: { name, arguments: args } }],
			});
			server.enqueue(
				steps.deltas([
					pieces('read', 0, '{"pa'),
					pieces(undefined, 0, 'th":"a"}'),
					pieces('ls', 1, '{}'),
				]),
			);
			const events: ModelStreamEvent[] = [];
			const request = { messages: [userMessage('hi')], tools: [tool] };
			for await (const event of model().stream(request, new AbortController().signal))
				if (event.type === 'toolCall') events.push(event);
			assert.deepEqual(events, [
				{ type: 'toolCall', index: 0, name: 'read', argumentsDelta: '{"pa' },
				{ type: 'toolCall', index: 0, name: 'read', argumentsDelta: 'th":"a"}' },
				{ type: 'toolCall', index: 1, name: 'ls', argumentsDelta: '{}' },
			]);
		});

		const refusals: [string, number, string][] = [
			['Ollama', 400, 'registry.ollama.ai/library/gemma does not support tools'],
			['OpenRouter', 404, 'No endpoints found that support tool use. Try disabling "read".'],
			[
				'vLLM',
				400,
				'"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
			],
			['llama.cpp', 500, 'tools param requires --jinja flag'],
			['a strict server', 422, 'Unknown field: tools'],
		];
		for (const [name, status, message] of refusals)
			it(`${name} takes none: said plainly, and not left out silently`, async () => {
				server.setDefault(steps.status(status, { error: { message } }));
				await assert.rejects(collect(model(), { tools: [tool] }), (error) => {
					assert(error instanceof ModelError);
					assert.equal(error.reason, 'badRequest');
					assert.match(error.message, /^scripted-model at \S+ does not take tools: /);
					assert(error.message.endsWith(message), error.message);
					assert.match(error.hint ?? '', /calls tools/);
					return true;
				});
				assert.equal(server.requests.length, 1);
			});

		it('are not blamed for another refusal', async () => {
			server.setDefault(steps.status(400, { error: { message: 'temperature must be below 2' } }));
			await assert.rejects(collect(model(), { tools: [tool] }), /did not accept the request/);
		});
	});

	it('keeps thinking apart from text, under each of its names', async () => {
		server.enqueue(
			steps.deltas([
				{ reasoning_content: 'one ' },
				{ reasoning: 'two ' },
				{ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'three' }] }] },
				{ content: [{ type: 'text', text: 'An' }] },
				{ content: 'swer' },
			]),
		);
		const { text, thinking, message } = await collect(model());
		assert.deepEqual(thinking, ['one ', 'two ', 'three']);
		assert.deepEqual(text, ['An', 'swer']);
		assert.deepEqual(message.content, [
			{ type: 'thinking', thinking: 'one two three' },
			{ type: 'text', text: 'Answer' },
		]);
	});

	describe('usage (C07)', () => {
		const cases: [string, object, object][] = [
			[
				'cached tokens are part of the prompt',
				{
					prompt_tokens: 38196,
					completion_tokens: 40,
					prompt_tokens_details: { cached_tokens: 38153 },
				},
				{ input: 43, cacheRead: 38153, output: 40, totalTokens: 38236 },
			],
			[
				'DeepSeek names them otherwise',
				{ prompt_tokens: 100, completion_tokens: 5, prompt_cache_hit_tokens: 60 },
				{ input: 40, cacheRead: 60, output: 5, totalTokens: 105 },
			],
			[
				'a cache larger than the prompt is counted apart',
				{
					prompt_tokens: 10,
					completion_tokens: 5,
					prompt_tokens_details: { cached_tokens: 60 },
				},
				{ input: 10, cacheRead: 60, output: 5, totalTokens: 75 },
			],
			[
				'missing and null fields are zero',
				{ prompt_tokens: 7, completion_tokens: null, prompt_tokens_details: null },
				{ input: 7, cacheRead: 0, output: 0, totalTokens: 7 },
			],
		];
		for (const [name, usage, expected] of cases) {
			for (const usageIn of ['ownChunk', 'lastChunk'] as const) {
				it(`${name} (${usageIn})`, async () => {
					server.enqueue(steps.text('ok', { usage: usage as never, usageIn }));
					const { message } = await collect(model());
					const { input, cacheRead, output, totalTokens, cost } = message.usage;
					assert.deepEqual({ input, cacheRead, output, totalTokens }, expected);
					assert.equal(cost.total, 0);
				});
			}
		}

		it('is zero where the server reports none', async () => {
			server.enqueue(steps.text('ok', { usage: undefined }));
			assert.equal((await collect(model())).message.usage.totalTokens, 0);
		});
	});

	describe('finish reasons', () => {
		const cases: [string, string][] = [
			['stop', 'stop'],
			['length', 'length'],
			['max_tokens', 'length'],
			['tool_calls', 'toolUse'],
			['content_filter', 'error'],
			['eos', 'stop'],
		];
		for (const [finishReason, stopReason] of cases) {
			it(`${finishReason} → ${stopReason}`, async () => {
				server.enqueue(steps.text('some text', { finishReason }));
				const { message } = await collect(model());
				assert.equal(message.stopReason, stopReason);
				assert.equal(Boolean(message.errorMessage), stopReason === 'error');
			});
		}

		it('a refusal is an error with the words of the model', async () => {
			server.enqueue(steps.deltas([{ refusal: 'I cannot ' }, { refusal: 'do that.' }]));
			const { message } = await collect(model());
			assert.equal(message.stopReason, 'error');
			assert.match(message.errorMessage ?? '', /I cannot do that\./);
		});
	});

	it('reads a whole answer from a server that ignores stream: true', async () => {
		server.enqueue(
			steps.status(200, {
				object: 'chat.completion',
				choices: [{ index: 0, message: { content: 'All at once' }, finish_reason: 'stop' }],
				usage: { prompt_tokens: 3, completion_tokens: 4 },
			}),
		);
		const { message } = await collect(model());
		assert.deepEqual(message.content, [{ type: 'text', text: 'All at once' }]);
		assert.equal(message.usage.totalTokens, 7);
	});

	it('reads an event stream that is labelled as something else', async () => {
		const event = { choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: 'stop' }] };
		const body = `data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`;
		server.enqueue(steps.body(body, 'text/plain'));
		assert.deepEqual((await collect(model())).text, ['hi']);
	});

	describe('fields that a server does not know (C17)', () => {
		const refused = (message: string) => steps.status(400, { error: { message } });

		it('leaves stream_options out, and remembers it', async () => {
			server.enqueue(refused('Unknown field: stream_options'), steps.text('a'), steps.text('b'));
			const one = model();
			await collect(one);
			await collect(one);
			const sent = server.requests.map(({ body }) => 'stream_options' in body);
			assert.deepEqual(sent, [true, false, false]);
		});

		it('takes the other name for the output limit', async () => {
			server.enqueue(
				refused(
					"Unsupported parameter: 'max_tokens' is not supported with this model. " +
						"Use 'max_completion_tokens' instead.",
				),
				steps.text('ok'),
			);
			await collect(model({ maxOutputTokens: 100 }));
			const { body } = server.requests[1]!;
			assert.equal(body['max_completion_tokens'], 100);
			assert.equal('max_tokens' in body, false);
		});

		it('does not try again for a refused value', async () => {
			server.setDefault(refused('max_tokens is too large: 100000'));
			await assert.rejects(collect(model({ maxOutputTokens: 100_000 })), { reason: 'badRequest' });
			assert.equal(server.requests.length, 1);
		});
	});

	describe('abort', () => {
		it('in the middle of an answer closes the socket and throws an AbortError', async () => {
			const gate = new Gate();
			server.enqueue(steps.text(['one ', 'two ', 'three'], { gate }));
			gate.release();
			const controller = new AbortController();
			const seen: string[] = [];
			const run = (async () => {
				const events = model().stream({ messages: [userMessage('hi')] }, controller.signal);
				for await (const event of events) {
					if (event.type === 'text') seen.push(event.delta);
					controller.abort();
				}
			})();
			await assert.rejects(run, isAbort);
			assert.deepEqual(seen, ['one ']);
			assert.equal(await server.requests[0]?.closed, 'early');
		});

		it('while the server thinks closes the socket too', async () => {
			server.enqueue(steps.hang());
			const controller = new AbortController();
			const run = collect(model(), {}, controller.signal);
			const request = await server.waitForRequest(1);
			controller.abort();
			await assert.rejects(run, isAbort);
			assert.equal(await request.closed, 'early');
		});

		it('before the request sends nothing', async () => {
			await assert.rejects(collect(model(), {}, AbortSignal.abort()), isAbort);
			assert.equal(server.requests.length, 0);
		});

		it('by a consumer that leaves the loop closes the socket', async () => {
			server.enqueue(steps.text(['one ', 'two'], { ending: 'hang' }));
			const events = model().stream(
				{ messages: [userMessage('hi')] },
				new AbortController().signal,
			);
			for await (const event of events) if (event.type === 'text') break;
			assert.equal(await server.requests[0]?.closed, 'early');
		});
	});
});
