/** Every way a request fails, through the real SDK: the right reason, a clear sentence, no key in it. */
import { strict as assert } from 'node:assert';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import type { ModelError, ModelErrorReason } from '../../../../src/agent/model.ts';
import { createOpenAIModel } from '../../../../src/providers/openai/openai-model.ts';
import { failure } from '../../../support/collect-stream.ts';
import {
	startScriptedServer,
	steps,
	type ScriptedServer,
	type Step,
} from '../../../support/scripted-server.ts';

const key = 'sk-proj-very-secret-0123456789';
const echoed = (message: string, more: object = {}) => ({ error: { message, ...more } });

const answers: [string, Step, ModelErrorReason, RegExp][] = [
	[
		'401',
		steps.status(401, echoed(`Incorrect API key provided: ${key}`)),
		'auth',
		/refused the key \(status 401\)/,
	],
	['403', steps.status(403, echoed('Not allowed')), 'auth', /Not allowed/],
	[
		'403 with an overflow (C06)',
		steps.status(403, echoed('prompt token count of 140000 exceeds the limit of 128000')),
		'overflow',
		/140000/,
	],
	['404', steps.status(404, echoed('model not found')), 'notFound', /does not know m1/],
	['402', steps.status(402, echoed('Pay first')), 'billing', /used up its quota or credit/],
	['429', steps.status(429, echoed('Rate limit reached')), 'rateLimit', /limiting requests/],
	[
		'429 about money',
		steps.status(429, echoed('You exceeded your current quota', { code: 'insufficient_quota' })),
		'billing',
		/current quota/,
	],
	[
		'429 about a quota that comes back',
		steps.status(
			429,
			echoed('You exceeded your current quota, please check your plan. Please retry in 34.07s.'),
		),
		'rateLimit',
		/retry in 34/,
	],
	[
		'429 about a quota, with a time in the header',
		steps.status(429, echoed('Quota exceeded'), { 'retry-after': '7' }),
		'rateLimit',
		/Quota exceeded/,
	],
	[
		'400 about money',
		steps.status(400, echoed('Your credit balance is too low to access the API.')),
		'billing',
		/credit balance/,
	],
	[
		'error event of an overloaded server',
		steps.errorEvent({ type: 'overloaded_error', message: 'Overloaded' }, 'some'),
		'server',
		/Overloaded/,
	],
	[
		'429 that no waiting cures (C06)',
		steps.status(
			429,
			echoed('Request too large on tokens per minute (TPM): Limit 8000, Requested 12000', {
				code: 'rate_limit_exceeded',
			}),
		),
		'overflow',
		/Requested 12000/,
	],
	[
		'400 with an overflow',
		steps.status(400, echoed('nope', { code: 'context_length_exceeded' })),
		'overflow',
		/larger than the window of m1/,
	],
	['400', steps.status(400, echoed('Bad things')), 'badRequest', /Bad things/],
	['400 without a body', steps.status(400), 'badRequest', /status 400/],
	[
		'413 of a proxy',
		steps.status(413, '<html><h1>413 Request Entity Too Large</h1></html>'),
		'badRequest',
		/: 413 Request Entity Too Large$/,
	],
	[
		'413 with an overflow',
		steps.status(413, { error: 'request_too_large: prompt is too long' }),
		'overflow',
		/413/,
	],
	[
		'422',
		steps.status(422, { detail: [{ msg: 'field required' }] }),
		'badRequest',
		/field required/,
	],
	['500', steps.status(500, 'oops'), 'server', /failed \(status 500\): oops/],
	[
		'500 with an overflow',
		steps.status(500, echoed('the request exceeds the available context size')),
		'overflow',
		/./,
	],
	[
		'503 HTML',
		steps.status(503, '<html><body><h1>Service Unavailable</h1></body></html>'),
		'server',
		/: Service Unavailable$/,
	],
	['529', steps.status(529, echoed('Overloaded')), 'server', /Overloaded/],
	[
		'redirect',
		steps.status(307, '', { location: 'https://elsewhere.example/v1' }),
		'badRequest',
		/elsewhere\.example/,
	],
	[
		'HTML with 200 (C17)',
		steps.html(),
		'badAnswer',
		/answered 200 with text\/html.*"Gateway Please log in\."/,
	],
	[
		'empty body',
		steps.emptyBody(),
		'badAnswer',
		/answered 200 with application\/json.*the body is empty/,
	],
	[
		'JSON that is no answer',
		steps.body('{"ok":true}', 'application/json'),
		'badAnswer',
		/"ok":true/,
	],
	[
		'JSON error with 200',
		steps.status(200, echoed('maximum context length is 4096 tokens')),
		'overflow',
		/4096/,
	],
	['zero events (C17)', steps.zeroEvents(), 'server', /holds no events/],
	['only [DONE]', steps.events(['[DONE]']), 'server', /holds no events/],
	['event that is not JSON', steps.events(['{"choices": [']), 'badAnswer', /not JSON/],
	[
		'error event',
		steps.errorEvent({ message: 'CUDA out of memory' }, 'some text'),
		'badAnswer',
		/CUDA out of memory/,
	],
	['error event as a string', steps.errorEvent('something broke'), 'badAnswer', /something broke/],
	[
		'error event with an overflow',
		steps.errorEvent({ message: 'Your input exceeds the context window of this model.' }),
		'overflow',
		/./,
	],
	[
		'error event with a rate limit',
		steps.errorEvent({ message: 'Provider throttled', code: 429 }, 'a'),
		'rateLimit',
		/./,
	],
	[
		'error event with a status',
		steps.errorEvent({ message: 'Upstream died', code: 502 }),
		'server',
		/status 502/,
	],
	[
		'error chunk',
		steps.events([{ object: 'error', message: 'engine stopped', code: 500 }]),
		'server',
		/engine stopped/,
	],
	[
		'finish reason "error"',
		steps.text('partial', { finishReason: 'error' }),
		'server',
		/ended its answer with an error/,
	],
	[
		'finish reason of an overflow',
		steps.text('', { finishReason: 'model_context_window_exceeded' }),
		'overflow',
		/./,
	],
	[
		'cut without a finish reason',
		steps.text('partial answer', { ending: 'cut' }),
		'connection',
		/broke off/,
	],
	[
		'[DONE] without a finish reason',
		steps.text('partial', { finishReason: null }),
		'connection',
		/broke off/,
	],
	[
		'reset in the middle',
		steps.text('partial answer', { ending: 'reset' }),
		'connection',
		/closed the connection in the middle/,
	],
	['reset at once', steps.reset(), 'connection', /closed the connection/],
];

describe('OpenAI errors', () => {
	let server: ScriptedServer;
	before(async () => {
		server = await startScriptedServer();
	});
	after(() => server.close());
	beforeEach(() => server.reset());

	const config = () => ({ baseUrl: server.baseUrl, apiKey: key, model: 'm1', contextWindow: 8000 });

	function checkForPeople(error: ModelError): void {
		assert.doesNotMatch(error.message, /[\n\r]/);
		assert(error.message.length < 500, error.message);
		assert(error.hint, 'has a hint');
		assert(!inspect(error, { depth: 10, showHidden: true }).includes(key), 'the key is shown');
	}

	for (const [name, step, reason, wording] of answers) {
		it(`${name} → ${reason}`, async () => {
			server.enqueue(step);
			const error = await failure(createOpenAIModel(config()));
			assert.equal(error.reason, reason, error.message);
			assert.match(error.message, wording);
			const { host } = new URL(server.baseUrl);
			if (reason !== 'overflow') assert(error.message.includes(host), error.message);
			checkForPeople(error);
			assert.equal(server.requests.length, 1, 'the SDK must not retry');
		});
	}

	it('names who refuses the connection', async () => {
		const unused = createServer();
		const port = await new Promise<number>((resolve) => {
			unused.listen(0, '127.0.0.1', () => resolve((unused.address() as { port: number }).port));
		});
		await new Promise((resolve) => unused.close(resolve));
		const baseUrl = `http://127.0.0.1:${port}/v1`;
		const error = await failure(createOpenAIModel({ ...config(), baseUrl }));
		assert.equal(error.reason, 'connection');
		assert.match(error.message, new RegExp(`127\\.0\\.0\\.1:${port} refused the connection`));
		assert.match(error.hint ?? '', /running/);
		checkForPeople(error);
	});

	it('names a host that does not resolve', async () => {
		const baseUrl = 'http://no-such-host.invalid/v1';
		const error = await failure(createOpenAIModel({ ...config(), baseUrl }));
		assert.equal(error.reason, 'connection');
		assert.match(error.message, /no-such-host\.invalid has a name that could not be resolved/);
	});

	it('gives up on a server that stays silent, before and inside the answer', async () => {
		server.enqueue(steps.hang(), steps.text('partial', { ending: 'hang' }));
		for (let i = 0; i < 2; i++) {
			const error = await failure(createOpenAIModel({ ...config(), timeoutMs: 100 }));
			assert.equal(error.reason, 'timeout');
			assert.match(error.message, /sent nothing for/);
			assert.equal(await server.requests[i]?.closed, 'early');
		}
	});

	it('does not count a slow consumer as silence', async () => {
		server.enqueue(steps.text(['a', 'b']));
		const model = createOpenAIModel({ ...config(), timeoutMs: 300 });
		const request = { messages: [{ role: 'user' as const, content: 'x', timestamp: 0 }] };
		let last = '';
		for await (const event of model.stream(request, new AbortController().signal)) {
			if (last === '') await new Promise((resolve) => setTimeout(resolve, 500));
			last = event.type;
		}
		assert.equal(last, 'done');
	});

	it('tells how long a rate limit lasts', async () => {
		server.enqueue(steps.status(429, echoed('slow down'), { 'retry-after': '20' }));
		const error = await failure(createOpenAIModel(config()));
		assert.match(error.hint ?? '', /20 s/);
		assert.equal(error.retryAfterMs, 20_000);
	});

	const settings: [string, object, ModelErrorReason][] = [
		['an address that is none', { baseUrl: 'localhost 11434' }, 'badRequest'],
		['another protocol', { baseUrl: 'file:///etc/passwd' }, 'badRequest'],
		['a password in the address', { baseUrl: `http://me:${key}@127.0.0.1/v1` }, 'badRequest'],
		['a key with a line break', { apiKey: `${key}\n${key}` }, 'auth'],
		['a key in another script', { apiKey: `${key}é` }, 'auth'],
	];
	for (const [name, wrong, reason] of settings) {
		it(`refuses ${name} before anything is sent`, async () => {
			const error = await failure(createOpenAIModel({ ...config(), ...wrong }));
			assert.equal(error.reason, reason);
			checkForPeople(error);
			assert.equal(server.requests.length, 0);
		});
	}
});
