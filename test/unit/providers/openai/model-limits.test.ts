/** Windows and output limits: from settings, from what servers tell, from what they refuse (C06.93). */
import { strict as assert } from 'node:assert';
import type { Model } from '../../../../src/agent/model.ts';
import {
	FALLBACK_WINDOW,
	ModelLimits,
	type OwnLimits,
} from '../../../../src/providers/openai/model-limits.ts';
import { silentLogger } from '../../../../src/util/logger.ts';
import { collect, failure } from '../../../support/collect-stream.ts';
import {
	startScriptedServer,
	steps,
	type ScriptedServer,
} from '../../../support/scripted-server.ts';

const none: OwnLimits = { contextWindow: 0, maxOutputTokens: 0 };
const key = 'sk-test-0123456789abcdef';

describe('ModelLimits', () => {
	let server: ScriptedServer;
	before(async () => {
		server = await startScriptedServer();
	});
	after(() => server.close());
	beforeEach(() => server.reset());

	const at = (model = 'm') => ({ baseUrl: server.baseUrl, apiKey: key, model });
	const windowOf = async (model = 'm', own = none) =>
		(await new ModelLimits(silentLogger).connect(at(model), own)).contextWindow;
	const paths = () => server.lookups.map(({ path }) => path);

	describe('from the list of models', () => {
		const entries: [string, object, number][] = [
			['vLLM', { max_model_len: 32_768 }, 32_768],
			['OpenRouter', { context_length: 200_000 }, 200_000],
			[
				'OpenRouter, a provider that serves less',
				{ context_length: 200_000, top_provider: { context_length: 65_536 } },
				65_536,
			],
			['Groq', { context_window: 131_072 }, 131_072],
			['Mistral', { max_context_length: 32_000 }, 32_000],
			[
				'llama.cpp, served and trained',
				{ meta: { n_ctx: 123_904, n_ctx_train: 262_144 } },
				123_904,
			],
			['null and strings', { context_length: null, max_model_len: '9', top_provider: null }, 0],
			['zero, negative, broken', { context_length: 0, max_model_len: -1, meta: { n_ctx: 0.5 } }, 0],
			['trained only', { meta: { n_ctx_train: 262_144 } }, 0],
			['nothing', {}, 0],
		];
		for (const [name, fields, tokens] of entries)
			it(name, async () => {
				server.setModels([
					{ id: 'other', context_length: 1000 },
					{ id: 'm', ...fields },
				]);
				assert.equal(await windowOf(), tokens || FALLBACK_WINDOW);
			});

		it('takes the only entry for a server of one model', async () => {
			server.setModels([{ id: '/models/m.gguf', max_model_len: 4096 }]);
			assert.equal(await windowOf('any name'), 4096);
		});

		it('takes none of several others', async () => {
			server.setModels([
				{ id: 'a', max_model_len: 4096 },
				{ id: 'b', max_model_len: 8192 },
			]);
			assert.equal(await windowOf('c'), FALLBACK_WINDOW);
		});

		it('asks nothing else where the list tells, and nobody else gets the key', async () => {
			server.setModels([{ id: 'm', max_model_len: 4096 }]);
			await windowOf();
			assert.deepEqual(paths(), ['/v1/models']);
			assert.equal(server.lookups[0]?.headers.authorization, `Bearer ${key}`);
		});

		it('bounds what requests ask for by what the server answers with at most', async () => {
			server.setModels([
				{ id: 'm', context_length: 65_536, top_provider: { max_completion_tokens: 4096 } },
			]);
			server.setDefault(steps.text('ok'));
			const limits = new ModelLimits(silentLogger);
			const sent = async (own: OwnLimits, asked?: number) => {
				const model = await limits.connect(at(), own);
				await collect(model, asked ? { maxOutputTokens: asked } : {});
				return server.requests.at(-1)?.body['max_tokens'];
			};
			assert.equal(await sent(none, 16_000), 4096);
			assert.equal(await sent(none, 1000), 1000);
			assert.equal(await sent(none), undefined);
			assert.equal(await sent({ ...none, maxOutputTokens: 9000 }, 16_000), 9000);
			assert.equal(await sent({ ...none, maxOutputTokens: 9000 }), 9000);
		});
	});

	describe('from the local servers', () => {
		it('llama.cpp', async () => {
			server.setPath('/props', steps.status(200, { default_generation_settings: { n_ctx: 8192 } }));
			assert.equal(await windowOf(), 8192);
		});

		it('LM Studio: what is loaded, not what could be', async () => {
			const entry = { id: 'm', max_context_length: 32_768, loaded_context_length: 4096 };
			server.setPath('/api/v0/models', steps.status(200, { data: [entry] }));
			assert.equal(await windowOf(), 4096);
		});

		it('Ollama: what runs, under its whole name', async () => {
			server.setPath(
				'/api/ps',
				steps.status(200, { models: [{ name: 'm:latest', context_length: 8192 }] }),
			);
			assert.equal(await windowOf(), 8192);
		});

		it('Ollama: what the model is set to', async () => {
			server.setPath(
				'/api/show',
				steps.status(200, {
					parameters: 'stop "<|end|>"\nnum_ctx    16384',
					model_info: { 'llama.context_length': 131_072 },
				}),
			);
			assert.equal(await windowOf(), 16_384);
		});

		it('what a model was trained for is a bound until it is loaded, then it is asked again', async () => {
			const limits = new ModelLimits(silentLogger);
			const window = async () => (await limits.connect(at(), none)).contextWindow;
			const trained = (tokens: number) =>
				server.setPath(
					'/api/show',
					steps.status(200, { model_info: { 'qwen.context_length': tokens } }),
				);
			trained(1_000_000);
			assert.equal(await window(), FALLBACK_WINDOW);
			trained(32_768);
			assert.equal(await window(), 32_768);
			server.setPath(
				'/api/ps',
				steps.status(200, { models: [{ model: 'm', context_length: 4096 }] }),
			);
			assert.equal(await window(), 4096);
			const asked = server.lookups.length;
			assert.equal(await window(), 4096);
			assert.equal(server.lookups.length, asked, 'what is served is not asked for again');
		});

		it('garbage on every path', async () => {
			for (const body of ['null', '[1]', '{"data":5,"models":[null],"model_info":[]}', '<html>']) {
				for (const path of ['/v1/models', '/props', '/api/v0/models', '/api/ps', '/api/show'])
					server.setPath(path, steps.body(body, 'application/json'));
				assert.equal(await windowOf(), FALLBACK_WINDOW, body);
			}
		});
	});

	it('takes the settings at their word and asks nobody', async () => {
		server.setModels([{ id: 'm', max_model_len: 4096 }]);
		assert.equal(await windowOf('m', { ...none, contextWindow: 9000 }), 9000);
		assert.deepEqual(paths(), []);
	});

	it('asks once, also for several at a time, and tells when it knows', async () => {
		server.setModels([{ id: 'm', max_model_len: 4096 }]);
		const limits = new ModelLimits(silentLogger);
		let changes = 0;
		limits.onDidChange.on(() => changes++);
		assert.equal(limits.contextWindow(at(), none), FALLBACK_WINDOW);
		await Promise.all([limits.find(at()), limits.find(at()), limits.connect(at(), none)]);
		assert.equal(limits.contextWindow(at(), none), 4096);
		assert.deepEqual(paths(), ['/v1/models']);
		assert.equal(changes, 1);
	});

	it('does without a server that cannot be reached, and asks it again later', async () => {
		const gone = await startScriptedServer();
		await gone.close();
		const lines: string[] = [];
		const log = { ...silentLogger, info: (line: string) => lines.push(line) };
		const limits = new ModelLimits(log);
		const there = { baseUrl: gone.baseUrl, model: 'm' };
		for (let i = 0; i < 3; i++)
			assert.equal((await limits.connect(there, none)).contextWindow, FALLBACK_WINDOW);
		assert.equal(lines.length, 1, 'it is left alone for a while');
		const eager = new ModelLimits(log, { pauseMs: 0 });
		for (let i = 0; i < 2; i++) await eager.connect(there, none);
		assert.equal(lines.length, 3);
		assert.match(lines[0] ?? '', /could not be asked/);
	});

	it('waits for a silent server once', async () => {
		server.setPath('/v1/models', steps.hang());
		const limits = new ModelLimits(silentLogger, { timeoutMs: 50, pauseMs: 0 });
		for (let i = 0; i < 2; i++)
			assert.equal((await limits.connect(at(), none)).contextWindow, FALLBACK_WINDOW);
		assert.equal(server.lookups.length, 1);
	});

	describe('from a refusal', () => {
		const refused = (tokens: number) =>
			steps.status(400, {
				error: {
					message: `request (${tokens + 9000} tokens) exceeds the available context size (${tokens} tokens), try increasing it`,
					type: 'exceed_context_size_error',
				},
			});
		const refuse = async (model: Model, step = refused(123_904)) => {
			server.enqueue(step);
			assert.equal((await failure(model)).reason, 'overflow');
		};

		it('the smaller served window wins over a larger listed one, from then on (C06.93)', async () => {
			server.setModels([{ id: 'm', context_length: 262_144 }]);
			const limits = new ModelLimits(silentLogger);
			const model = await limits.connect(at(), none);
			assert.equal(model.contextWindow, 262_144);
			let changes = 0;
			limits.onDidChange.on(() => changes++);
			await refuse(model);
			assert.equal(limits.contextWindow(at(), none), 123_904);
			assert.equal((await limits.connect(at(), none)).contextWindow, 123_904);
			await refuse(model, refused(200_000));
			assert.equal(limits.contextWindow(at(), none), 123_904, 'a larger one teaches nothing');
			assert.equal(changes, 1);
		});

		it('where nobody told, whether smaller or larger than the fallback', async () => {
			for (const tokens of [8192, 1_000_000]) {
				const limits = new ModelLimits(silentLogger);
				await refuse(await limits.connect(at(), none), refused(tokens));
				assert.equal(limits.contextWindow(at(), none), tokens);
			}
		});

		it('inside a stream too, and for that model alone', async () => {
			const limits = new ModelLimits(silentLogger);
			const message = "This model's maximum context length is 8192 tokens.";
			await refuse(await limits.connect(at(), none), steps.errorEvent({ message }));
			assert.equal(limits.contextWindow(at(), none), 8192);
			assert.equal(limits.contextWindow(at('other'), none), FALLBACK_WINDOW);
		});

		it('leaves the settings as they are, and says so', async () => {
			const warnings: string[] = [];
			const log = { ...silentLogger, warn: (line: string) => warnings.push(line) };
			const limits = new ModelLimits(log);
			const own = { ...none, contextWindow: 200_000 };
			await refuse(await limits.connect(at(), own));
			assert.equal(limits.contextWindow(at(), own), 200_000);
			assert.match(warnings[0] ?? '', /200000 tokens.*123904/);
		});

		it('a smaller answer is asked for where the limit is named', async () => {
			server.enqueue(
				steps.status(400, {
					error: {
						message:
							'max_tokens is too large: 16000. This model supports at most 4096 completion tokens',
					},
				}),
				steps.text('ok'),
				steps.text('ok'),
			);
			const model = await new ModelLimits(silentLogger).connect(at(), none);
			await collect(model, { maxOutputTokens: 16_000 });
			await collect(model, { maxOutputTokens: 16_000 });
			const sent = server.requests.map(({ body }) => body['max_tokens']);
			assert.deepEqual(sent, [16_000, 4096, 4096]);
		});
	});
});
