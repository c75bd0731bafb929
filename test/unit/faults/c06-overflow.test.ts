/** C06: overflow missed, misread, or its switch ignored. What recovers from one by itself is tested where it lives. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { isOverflowText } from '../../../src/providers/overflow.ts';
import {
	startScriptedServer,
	steps,
	type ScriptedServer,
	type Step,
} from '../../support/scripted-server.ts';
import { SessionBuilder, textOfTokens } from '../../support/session-builder.ts';
import { openBuilt } from '../../support/session-at-work.ts';

type Kind = 'overflow' | 'rateLimit' | 'billing' | 'auth' | 'other';

/** Refusals as servers word them: what they mean, their status, their words (and code). */
const table: [kind: Kind, server: string, status: number, message: string, code?: string][] = [
	[
		'overflow',
		'OpenAI',
		400,
		"This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
		'context_length_exceeded',
	],
	['overflow', 'OpenAI, by code alone', 400, 'Bad request', 'context_length_exceeded'],
	[
		'overflow',
		'OpenAI, newer',
		400,
		'Your input exceeds the context window of this model.',
		'context_length_exceeded',
	],
	[
		'overflow',
		'Azure',
		400,
		"This model's maximum context length is 16385 tokens, however you requested 20100 tokens (19100 in your prompt; 1000 for the completion).",
	],
	[
		'overflow',
		'vLLM, zero output',
		400,
		"This model's maximum context length is 32768 tokens. However, you requested 0 output tokens and your prompt contains at least 32769 input tokens, for a total of at least 32769 tokens.",
	],
	[
		'overflow',
		'vLLM, input too long',
		400,
		'The prompt (total length 40000) is too long to fit into the model (context length 32768).',
	],
	[
		'overflow',
		'vLLM, max_tokens',
		400,
		"'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has 6000 input tokens (4096 > 8192 - 6000).",
	],
	[
		'overflow',
		'SGLang',
		400,
		"The input (40000 tokens) is longer than the model's context length (32768 tokens).",
	],
	[
		'overflow',
		'SGLang, requested',
		400,
		"Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens",
	],
	[
		'overflow',
		'llama.cpp',
		400,
		'the request exceeds the available context size, try increasing it',
		'exceed_context_size_error',
	],
	[
		'overflow',
		'llama.cpp with sizes',
		400,
		'request (40100 tokens) exceeds the available context size (32768 tokens), try increasing it',
	],
	[
		'overflow',
		'llama.cpp, as 500',
		500,
		'the request exceeds the available context size. try increasing the context size or enable context shift',
	],
	[
		'overflow',
		'LM Studio',
		400,
		'Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
	],
	[
		'overflow',
		'LM Studio, other',
		400,
		'The number of tokens to keep from the initial prompt is greater than the context length.',
	],
	['overflow', 'Ollama', 400, 'the input length exceeds the context length'],
	['overflow', 'Ollama, prompt', 500, 'prompt too long; exceeded max context length by 412 tokens'],
	[
		'overflow',
		'Anthropic behind a gateway',
		400,
		'prompt is too long: 213462 tokens > 200000 maximum',
		'invalid_request_error',
	],
	['overflow', 'Anthropic, as 413', 413, 'Prompt is too long'],
	['overflow', 'Bedrock', 400, 'ValidationException: Input is too long for requested model.'],
	['overflow', 'Bedrock, as 424', 424, 'Input is too long for requested model.'],
	[
		'overflow',
		'Gemini',
		400,
		'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
		'INVALID_ARGUMENT',
	],
	[
		'overflow',
		'Groq',
		400,
		'Please reduce the length of the messages or completion.',
		'context_length_exceeded',
	],
	[
		'overflow',
		'Groq, one request over the rate',
		413,
		'Request too large for model `llama` in organization `o` on tokens per minute (TPM): Limit 8000, Requested 12000, please reduce your message size and try again.',
		'rate_limit_exceeded',
	],
	[
		'overflow',
		'a request over the rate, as 429',
		429,
		'Request too large for gpt on tokens per min (TPM): Limit 8000, Requested 12000. The input or output tokens must be reduced in order to run successfully.',
		'rate_limit_exceeded',
	],
	[
		'overflow',
		'xAI',
		400,
		"This model's maximum prompt length is 131072 but the request contains 150000 tokens.",
	],
	[
		'overflow',
		'Mistral',
		400,
		'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
	],
	[
		'overflow',
		'DeepSeek',
		400,
		"This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (62000 in the messages, 8000 in the completion).",
	],
	[
		'overflow',
		'Together',
		422,
		'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`',
	],
	['overflow', 'Qwen', 400, 'Range of input length should be [1, 30720]'],
	['overflow', 'Kimi', 400, 'Invalid request: Your request exceeded model token limit: 131072'],
	[
		'overflow',
		'Cohere',
		400,
		'too many tokens: size limit exceeded by 4096 tokens. Try using shorter or fewer inputs.',
	],
	[
		'overflow',
		'OpenRouter',
		400,
		"This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens.",
	],
	['overflow', 'LiteLLM', 400, 'litellm.ContextWindowExceededError: litellm.BadRequestError: ...'],
	[
		'overflow',
		'Copilot',
		400,
		'prompt token count of 140000 exceeds the limit of 128000',
		'model_max_prompt_tokens_exceeded',
	],
	[
		'overflow',
		'forbidden, with size and limit',
		403,
		"The request has 210000 tokens, which exceeds the limit of 128000 tokens of your plan's model",
	],
	['overflow', 'z.ai', 400, 'Prompt exceeds max length', '1261'],

	[
		'overflow',
		'OpenAI, configured limit',
		400,
		'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 326000 tokens.',
	],
	['overflow', 'llama-cpp-python', 400, 'Requested tokens (5000) exceed context window of 4096'],
	['overflow', 'LM Studio, exceeded', 400, 'Context size has been exceeded.'],
	['overflow', 'Volcengine', 400, 'Total tokens of image and text exceed max message tokens'],
	['overflow', 'Alibaba', 400, 'InvalidParameter: input length 40000 exceeds maximum 30720'],
	[
		'overflow',
		'Text Generation Inference, older',
		422,
		'Input validation error: `inputs` must have less than 4096 tokens. Given: 5000',
	],
	['overflow', 'vLLM, nothing left', 400, 'max_tokens must be at least 1, got -712.'],
	[
		'overflow',
		'Cerebras',
		400,
		'Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192',
	],
	[
		'overflow',
		'Cloudflare',
		400,
		'The estimated number of input and maximum output tokens (8000) exceeded this model context window limit (7968).',
	],
	[
		'overflow',
		'a proxy in its own words',
		400,
		'The context window of this model is 8192 tokens, the request needs 9000',
	],
	[
		'overflow',
		'another one',
		400,
		'The number of tokens in your request is more than the maximum allowed: 8192',
	],

	[
		'rateLimit',
		'OpenAI',
		429,
		'Rate limit reached for gpt on tokens per min (TPM): Limit 30000, Used 28000, Requested 3000. Please try again in 2s.',
		'rate_limit_exceeded',
	],
	['rateLimit', 'requests', 429, 'Too Many Requests'],
	[
		'rateLimit',
		'per day',
		429,
		'Rate limit reached on tokens per day (TPD): Limit 100000, Used 99500, Requested 2000.',
	],
	[
		'rateLimit',
		'Bedrock',
		429,
		'ThrottlingException: Too many tokens, please wait before trying again.',
	],
	[
		'billing',
		'quota',
		429,
		'You exceeded your current quota, please check your plan and billing details.',
		'insufficient_quota',
	],
	[
		'rateLimit',
		'Anthropic',
		429,
		"This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
	],
	['rateLimit', 'no words', 429, ''],

	['auth', 'wrong key', 401, 'Incorrect API key provided', 'invalid_api_key'],
	['auth', 'token', 401, 'Invalid API token: token limit of 3 devices exceeded'],
	['auth', 'forbidden', 403, 'You do not have access to this model'],

	[
		'other',
		'output limit above the window',
		400,
		"'max_tokens' or 'max_completion_tokens' is too large: 40960. This model's maximum context length is 8192 tokens and your request has 60 input tokens (40960 > 8192 - 60).",
	],
	[
		'other',
		'output limit',
		400,
		'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
	],
	['other', 'bytes of a body', 413, 'Request Entity Too Large'],
	[
		'other',
		'bytes of a body, sized',
		413,
		'Request body of 12345678 bytes exceeds the limit of 10485760 bytes',
	],
	['other', 'an image', 400, 'image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes'],
	['other', 'too many images', 400, 'Too many images in request: 120 exceeds the limit of 100'],
	[
		'other',
		'a string',
		400,
		"Invalid 'messages[0].content': string too long. Expected a string with maximum length 10485760.",
	],
	[
		'other',
		'too many tools',
		400,
		"Invalid 'tools': array too long. Expected an array with maximum length 128, but got 130.",
	],
	['other', 'a parameter', 400, 'temperature must be at most 2'],
	['other', 'a missing model', 404, 'The model `gpt-context-128000` does not exist'],
	[
		'other',
		'a time limit',
		504,
		'upstream request timeout exceeded: limit 60000 ms, took 60001 ms',
	],
	['other', 'overloaded', 503, 'The server is overloaded'],
	['other', 'crashed', 500, 'CUDA out of memory'],
	[
		'other',
		'tool order',
		400,
		'An assistant message with tool_calls must be followed by tool messages',
	],
	['other', 'no words', 400, ''],
];

/** The shapes in which a refusal comes. */
const shapes: Record<string, (status: number, message: string, code?: string) => Step> = {
	nested: (status, message, code) =>
		steps.status(status, { error: { message, type: 'error', ...(code ? { code } : {}) } }),
	flat: (status, message, code) => steps.status(status, { object: 'error', message, code }),
	detail: (status, message, code) => steps.status(status, { detail: `${message} ${code ?? ''}` }),
	text: (status, message, code) => steps.status(status, `${message} ${code ?? ''}`),
	'in the stream': (status, message, code) =>
		steps.errorEvent({ code: code ?? status, status, message }, ''),
	'in the stream, after text': (status, message, code) =>
		steps.errorEvent({ code: code ?? status, message: `${message}` }, 'Half an'),
};

describe('C06 overflow missed or misread: a refusal means overflow, rate, money, key or other by its words and status, whole or streamed; off means off', () => {
	let server: ScriptedServer;
	before(async () => {
		server = await startScriptedServer();
	});
	after(() => server.close());
	beforeEach(() => server.reset());

	/** Sends a prompt that is refused; what the person is told. */
	async function refused(step: Step) {
		const { session, events, manager, storage } = await openBuilt(new SessionBuilder(), { server });
		server.setDefault(step);
		await session.prompt('Hi');
		await session.whenIdle();
		const failure = events.find((event) => event.type === 'turnFailed');
		return { failure: failure?.error, leaf: manager.getBranch().at(-1), storage, session };
	}

	for (const [kind, name, status, message, code] of table)
		it(`${kind}: ${name}`, async () => {
			for (const [shape, step] of Object.entries(shapes)) {
				// A stream has no status of its own: an error without words is no more than one.
				const streamed = shape.includes('stream');
				if (streamed && (kind !== 'overflow' || message === '')) continue;
				server.reset();
				const { failure } = await refused(step(status, message, code));
				const reason = failure?.reason ?? 'none';
				const told = ['overflow', 'rateLimit', 'billing', 'auth'].includes(reason)
					? reason
					: 'other';
				assert.equal(told, kind, `${shape}: ${reason}, ${failure?.fullText}`);
				assert.equal(server.requests.length, 1, 'it is told, not tried for ever');
			}
		});

	it('the verdict does not hang on case, line ends or what stands around the words', () => {
		const around = fc.constantFrom('', 'Error: ', 'litellm.BadRequestError: ', '{"detail":"', '\n');
		fc.assert(
			fc.property(
				fc.constantFrom(...table.filter(([kind]) => kind === 'overflow')),
				around,
				fc.boolean(),
				fc.constantFrom(' ', '  ', '\n', '\t'),
				([, name, status, message, code = ''], prefix, upper, blank) => {
					const text = `${prefix}${message} ${code}`.replaceAll(' ', blank);
					assert(isOverflowText(status, upper ? text.toUpperCase() : text), name);
				},
			),
			{ numRuns: 400 },
		);
	});

	it('a request above the limit of a rate can never pass by waiting; below it, it can', () =>
		fc.assert(
			fc.property(
				fc.integer({ min: 1_000, max: 500_000 }),
				fc.integer({ min: 1_000, max: 500_000 }),
				fc.constantFrom(413, 429),
				(limit, requested, status) => {
					const text = `Rate limit on tokens per min (TPM): Limit ${limit}, Requested ${requested}.`;
					assert.equal(isOverflowText(status, text), requested > limit);
				},
			),
		));

	it('an overflow is stored as the turn’s error with its words; the prompt stays, nothing is compacted, and compacting by hand works', async () => {
		const builder = new SessionBuilder();
		for (let turn = 0; turn < 5; turn++) {
			builder.user(`Request ${turn}: ${textOfTokens(300)}`);
			builder.assistant(textOfTokens(300));
		}
		const { session, manager, events } = await openBuilt(builder, { server });
		server.enqueue(
			steps.status(403, {
				error: { message: 'Your 210000 tokens exceed the limit of 128000 tokens' },
			}),
		);
		await session.prompt('The newest prompt');
		await session.whenIdle();
		const failure = events.find((event) => event.type === 'turnFailed');
		assert.match(failure?.error.fullText ?? '', /larger than the window/);
		assert.match(failure?.error.fullText ?? '', /210000/);
		assert.match(failure?.error.hint ?? '', /[Cc]ompact/);
		const leaf = manager.getBranch().at(-1);
		assert(leaf?.type === 'message' && leaf.message.role === 'assistant');
		assert.equal(leaf.message.stopReason, 'error');
		assert.match(leaf.message.errorMessage ?? '', /210000/);
		assert.equal(manager.tree.countOf('compaction'), 0);
		assert.equal(server.requests.length, 1);
		server.setDefault(steps.text('Fine.'));
		await session.compact();
		await session.continue();
		await session.whenIdle();
		const last = JSON.stringify(server.requests.at(-1)?.body.messages.at(-1));
		assert.match(last, /The newest prompt/);
	});

	it('a server that refuses by size, by any status, still gets the summary in smaller parts', async () => {
		for (const status of [400, 403, 413, 422, 500]) {
			server.reset();
			const builder = new SessionBuilder();
			for (let turn = 0; turn < 30; turn++) builder.user(`Request ${turn}: ${textOfTokens(800)}`);
			const { session } = await openBuilt(builder, { server, reserveTokens: 8_000 });
			const limit = 15_000;
			server.setDefault(({ body }) => {
				const tokens = Math.ceil(JSON.stringify(body.messages).length / 4);
				return tokens > limit
					? steps.status(status, {
							error: {
								message: `The prompt has ${tokens} tokens, which exceeds the context limit of ${limit}`,
							},
						})
					: steps.text(['## Goal\nGo on.']);
			});
			const { entry } = await session.compact();
			assert.match(entry.summary, /Go on/);
			const parts = server.requests.map(({ body }) => JSON.stringify(body.messages)).join();
			for (let turn = 0; turn < 28; turn++) assert(parts.includes(`Request ${turn}:`));
		}
	});

	it('an answer cut by its output limit far below the window is no overflow and compacts nothing', async () => {
		for (const usage of [undefined, { prompt_tokens: 2_000, completion_tokens: 500 }]) {
			server.reset();
			const step = steps.lengthStop('Half an answer', usage ? { usage } : {});
			const { failure, leaf, storage, session } = await refused(step);
			assert.equal(failure, undefined);
			assert(leaf?.type === 'message' && leaf.message.role === 'assistant');
			assert.equal(leaf.message.stopReason, 'length');
			assert.equal(storage.lines.length, 3);
			assert.equal(server.requests.length, 1);
			assert.equal(session.activity, 'idle');
		}
	});
});
