/** C06, C17: the limits that refusals name, one for each server family. */
import { strict as assert } from 'node:assert';
import { namedOutputLimit, namedWindow } from '../../../src/providers/named-limits.ts';
import { isOverflowText } from '../../../src/providers/overflow.ts';

const windows: [string, string, number | undefined][] = [
	[
		'OpenAI',
		"This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.",
		128_000,
	],
	[
		'vLLM, zero output',
		"This model's maximum context length is 8192 tokens. However, you requested 0 output tokens and your prompt contains at least 8193 input tokens.",
		8192,
	],
	[
		'vLLM, input',
		'The prompt (total length 40000) is too long to fit into the model (context length 32768).',
		32_768,
	],
	[
		'vLLM, older',
		'The decoder prompt (length 9000) is longer than the maximum model length of 8192.',
		8192,
	],
	[
		'SGLang',
		"The input (40000 tokens) is longer than the model's context length (32768 tokens).",
		32_768,
	],
	['Anthropic', 'prompt is too long: 213462 tokens > 200000 maximum', 200_000],
	[
		'Anthropic, with output',
		'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
		200_000,
	],
	[
		'Gemini',
		'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
		1_048_575,
	],
	[
		'xAI',
		"This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
		131_072,
	],
	['Copilot', 'prompt token count of 140231 exceeds the limit of 128000', 128_000],
	[
		'llama.cpp',
		'request (40100 tokens) exceeds the available context size (32768 tokens), try increasing it',
		32_768,
	],
	[
		'LM Studio',
		'Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
		4096,
	],
	[
		'Kimi',
		'Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)',
		131_072,
	],
	[
		'Mistral',
		'Prompt contains 40213 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
		32_768,
	],
	['Qwen', 'Range of input length should be [1, 129024]', 129_024],
	[
		'Text Generation Inference',
		'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`',
		4096,
	],
	[
		'OpenRouter',
		"This endpoint's maximum context length is 65536 tokens. However, you requested about 70010 tokens (70010 of text input).",
		65_536,
	],
	['a gateway', 'Your request of 210,000 tokens is over the limit of 128,000', 128_000],
	['two lines', "This model's maximum\n context   length is 4097 tokens.", 4097],
	// The numbers here are something else.
	['Ollama, by how much', 'prompt too long; exceeded max context length by 412 tokens', undefined],
	[
		'Groq, a rate',
		'Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9042, please reduce your message size and try again.',
		undefined,
	],
	['no number', 'Your input exceeds the context window of this model.', undefined],
	['MiniMax, a code', 'invalid params, context window exceeds limit (2013)', undefined],
	[
		'no window is that small',
		"This model's maximum context length is 12 tokens, your messages have 40.",
		undefined,
	],
];

const outputs: [string, string, number | undefined][] = [
	[
		'OpenAI',
		'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
		16_384,
	],
	[
		'OpenAI, other name',
		"'max_completion_tokens' is too large: 9000. This model's maximum is 8192",
		8192,
	],
	[
		'Anthropic',
		'max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for this model',
		8192,
	],
	['Groq', '`max_tokens` must be less than or equal to `8192`, the maximum value', 8192],
	['DeepSeek', 'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 8192],
	['no limit', 'max_tokens is too large: 100000', undefined],
	[
		'a window',
		"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
		undefined,
	],
];

describe('limits that refusals name (C06, C17)', () => {
	for (const [name, text, tokens] of windows)
		it(`the window: ${name}`, () => {
			assert(isOverflowText(400, text));
			assert.equal(namedWindow(text), tokens);
		});
	for (const [name, text, tokens] of outputs)
		it(`the answer: ${name}`, () => assert.equal(namedOutputLimit(text), tokens));
});
