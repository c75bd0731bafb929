/** C06: one refusal for each server family, and look-alikes that are something else. */
import { strict as assert } from 'node:assert';
import { isOverflowText } from '../../../src/providers/overflow.ts';

const overflows: [string, number | undefined, string][] = [
	[
		'OpenAI',
		400,
		"This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.",
	],
	['OpenAI code', 400, 'context_length_exceeded'],
	[
		'OpenAI responses',
		400,
		'Your input exceeds the context window of this model. Please adjust your input and try again.',
	],
	[
		'vLLM, zero output',
		400,
		"This model's maximum context length is 8192 tokens. However, you requested 0 output tokens and your prompt contains at least 8193 input tokens.",
	],
	[
		'vLLM, older',
		400,
		'The decoder prompt (length 9000) is longer than the maximum model length of 8192.',
	],
	['Anthropic', 400, 'prompt is too long: 213462 tokens > 200000 maximum'],
	[
		'Anthropic, with output',
		400,
		'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
	],
	[
		'Anthropic, bytes',
		413,
		'{"type":"request_too_large","message":"Request exceeds the maximum size"}',
	],
	['Bedrock', 400, 'Input is too long for requested model.'],
	[
		'Gemini',
		400,
		'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
	],
	[
		'xAI',
		400,
		"This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
	],
	['Groq', 400, 'Please reduce the length of the messages or completion.'],
	[
		'Groq, one request over the rate',
		413,
		'Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9042, please reduce your message size and try again.',
	],
	['Copilot', 400, 'prompt token count of 140231 exceeds the limit of 128000'],
	['llama.cpp', 400, 'the request exceeds the available context size, try increasing it'],
	['llama.cpp type', 400, 'exceed_context_size_error'],
	[
		'llama.cpp, older',
		500,
		'the request exceeds the available context size. try increasing the context size or enable context shift',
	],
	[
		'LM Studio',
		undefined,
		'The number of tokens to keep from the initial prompt is greater than the context length',
	],
	['Ollama', 400, 'prompt too long; exceeded max context length by 412 tokens'],
	['Ollama, newer', 400, 'the input length exceeds the context length'],
	['MiniMax', 400, 'invalid params, context window exceeds limit (2013)'],
	[
		'Kimi',
		400,
		'Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)',
	],
	[
		'Mistral',
		400,
		'Prompt contains 40213 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
	],
	['z.ai', undefined, 'model_context_window_exceeded'],
	['Qwen', 400, 'Range of input length should be [1, 129024]'],
	[
		'Together',
		422,
		"The input (516368 tokens) is longer than the model's context length (262144 tokens).",
	],
	[
		'Text Generation Inference',
		422,
		'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`',
	],
	['LiteLLM', 400, 'litellm.ContextWindowExceededError: AnthropicException'],
	[
		'OpenRouter',
		400,
		"This endpoint's maximum context length is 65536 tokens. However, you requested about 70010 tokens (70010 of text input).",
	],
	[
		'forbidden with size and limit',
		403,
		'Your request of 210,000 tokens is over the limit of 128,000',
	],
	[
		'unknown wording with both numbers',
		400,
		'Sequence of 33,100 tokens is larger than the 32,768 allowed',
	],
	['Cohere', 400, 'too many tokens: total number of tokens in the prompt cannot exceed 4081'],
	['over two lines', 400, 'maximum\n context   length'],
];

const others: [string, number | undefined, string][] = [
	[
		'rate limit',
		429,
		'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 28000, Requested 3000. Please try again in 2s.',
	],
	[
		'Bedrock throttling',
		429,
		'ThrottlingException: Too many tokens, please wait before trying again.',
	],
	[
		'Bedrock throttling as 400',
		400,
		'ThrottlingException: Too many tokens, please wait before trying again.',
	],
	['too many tokens, as a rate', 429, 'Too many tokens'],
	['too many requests', 429, 'Too Many Requests'],
	[
		'quota',
		403,
		'You exceeded your current quota of 1000000 tokens; used 1200000. Check your plan and billing details.',
	],
	['monthly limit', 403, 'Your monthly limit of 5,000,000 tokens was exceeded (5,000,120 used)'],
	[
		'daily tokens',
		429,
		'Rate limit reached on tokens per day (TPD): Limit 100000, Used 99000, Requested 2000',
	],
	[
		'output limit',
		400,
		'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
	],
	[
		'output limit, other name',
		400,
		"'max_completion_tokens' is too large: 9000. This model's maximum is 8192",
	],
	[
		'long string',
		400,
		"Invalid 'messages[0].content': string too long. Expected a string with maximum length 10485760, but got a string with length 12000000 instead.",
	],
	[
		'image',
		400,
		'messages.3.content.0.image: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes',
	],
	['body of a proxy', 413, 'Request Entity Too Large'],
	['body in bytes', 413, 'Request body of 12345678 bytes exceeds the limit of 10485760 bytes'],
	['key', 401, 'Invalid API token'],
	['expired token', 401, 'The access token has expired: 1723000000 > 1722990000'],
	['model', 404, 'The model `gpt-9-context` does not exist'],
	['timeout', 504, 'upstream request timeout exceeded: limit 60000 ms, took 60001 ms'],
	['no text', 400, ''],
	['empty 413', 413, ''],
	['parameter', 400, 'temperature must be at most 2'],
];

describe('isOverflowText (C06)', () => {
	for (const [name, status, text] of overflows)
		it(`matches ${name}`, () => assert.equal(isOverflowText(status, text), true));
	for (const [name, status, text] of others)
		it(`does not match ${name}`, () => assert.equal(isOverflowText(status, text), false));
});
