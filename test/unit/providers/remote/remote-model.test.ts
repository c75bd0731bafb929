/** The remote endpoint over a real server: what is sent, what counts as a summary, and what closes sockets. */
import { strict as assert } from 'node:assert';
import { inspect } from 'node:util';
import type { ModelErrorReason } from '../../../../src/agent/model.ts';
import { createRemoteModel } from '../../../../src/providers/remote/remote-model.ts';
import { createModelSummarizer } from '../../../../src/session/compaction/model-summarizer.ts';
import { isAbort } from '../../../../src/util/errors.ts';
import { collect, failure, userMessage } from '../../../support/collect-stream.ts';
import {
	answers,
	startSummaryEndpoint,
	type EndpointAnswer,
	type SummaryEndpoint,
} from '../../../support/summary-endpoint.ts';

const key = 'sk-proj-very-secret-0123456789';
const query = 'query-secret-987';

describe('createRemoteModel', () => {
	let endpoint: SummaryEndpoint;
	before(async () => {
		endpoint = await startSummaryEndpoint();
	});
	after(() => endpoint.close());

	const model = (more: { endpoint?: string; apiKey?: string; timeoutMs?: number } = {}) =>
		createRemoteModel({
			endpoint: `${endpoint.origin}/v1/summarize?code=${query}`,
			apiKey: key,
			contextWindow: 8000,
			...more,
		});
	const host = () => new URL(endpoint.origin).host;

	it('posts system prompt and prompt, and takes the summary', async () => {
		endpoint.answer(answers.json({ summary: '## Goal\nFix it', more: 1 }));
		const { message, text } = await collect(model(), {
			systemPrompt: 'Summarize.',
			messages: [userMessage('What happened')],
			maxOutputTokens: 500,
		});
		assert.deepEqual(message.content, [{ type: 'text', text: '## Goal\nFix it' }]);
		assert.equal(message.stopReason, 'stop');
		assert.deepEqual(text, []);
		const [request] = endpoint.requests;
		assert.equal(request?.method, 'POST');
		assert.equal(request?.path, `/v1/summarize?code=${query}`);
		assert.deepEqual(request?.body, {
			systemPrompt: 'Summarize.',
			prompt: 'What happened',
			maxTokens: 500,
		});
		assert.equal(request?.headers['content-type'], 'application/json');
		assert.equal(request?.headers.authorization, `Bearer ${key}`);
	});

	it('sends no key where it has none', async () => {
		endpoint.answer(answers.json({ summary: 'x' }));
		await collect(createRemoteModel({ endpoint: endpoint.origin, contextWindow: 8000 }));
		assert.equal(endpoint.requests[0]?.headers.authorization, undefined);
	});

	it('is named without credentials and query', () => {
		assert.equal(model().provider, 'remote');
		assert.equal(model().id, `${endpoint.origin}/v1/summarize`);
		assert.equal(model().label, `remote/${host()}`);
		const named = createRemoteModel({
			endpoint: 'https://me:secret@example.org/a?key=secret#secret',
			contextWindow: 1,
		});
		assert.equal(named.id, 'https://example.org/a');
		assert.equal(named.label, 'remote/example.org');
	});

	it('takes an answer of another content type, and one that comes slowly', async () => {
		endpoint.answer(answers.text('{"summary":"mislabelled"}', 'text/plain'), (response) => {
			response.writeHead(200);
			response.write('{"summ', () =>
				setImmediate(() => response.write('ary":"in ', () => response.end('pieces — é"}'))),
			);
		});
		const said = async () => (await collect(model())).message.content;
		assert.deepEqual(await said(), [{ type: 'text', text: 'mislabelled' }]);
		assert.deepEqual(await said(), [{ type: 'text', text: 'in pieces — é' }]);
	});

	const page = '<html><head><title>Gateway</title></head><body>Please log in.</body></html>';
	const failures: [string, EndpointAnswer, ModelErrorReason, RegExp][] = [
		['400', answers.json({ error: 'no prompt' }, 400), 'badRequest', /status 400: no prompt$/],
		['401', answers.text(`bad key ${key}`, 'text/plain', 401), 'auth', /bad key \[secret\]/],
		['402', answers.text('', 'text/plain', 402), 'billing', /status 402\.$/],
		['403', answers.text('no', 'text/plain', 403), 'auth', /403/],
		['404', answers.text(page, 'text/html', 404), 'notFound', /: Gateway Please log in\.$/],
		['413', answers.text('', 'text/plain', 413), 'overflow', /413/],
		[
			'400 that is an overflow',
			answers.json({ error: { code: 'context_length_exceeded' } }, 400),
			'overflow',
			/context_length_exceeded/,
		],
		['429', answers.text('slow down', 'text/plain', 429), 'rateLimit', /slow down/],
		['429 about money', answers.json({ error: 'quota used up' }, 429), 'billing', /quota/],
		['500', answers.text('oops', 'text/plain', 500), 'server', /status 500: oops/],
		['503', answers.text(page, 'text/html', 503), 'server', /Please log in/],
		[
			'a page',
			answers.text(page, 'text/html; charset=utf-8'),
			'badAnswer',
			/answered 200 with text\/html; charset=utf-8 that is no JSON object: "Gateway Please/,
		],
		['an empty body', answers.text('', 'application/json'), 'badAnswer', /no JSON object\.$/],
		['half a JSON', answers.text('{"summ', 'application/json'), 'badAnswer', /no JSON object/],
		['null', answers.json(null), 'badAnswer', /no JSON object: "null"/],
		['a bare text', answers.json('summary'), 'badAnswer', /no JSON object/],
		['no summary', answers.json({ error: key }), 'badAnswer', /without a summary: .*\[secret\]/],
		['a summary that is none', answers.json({ summary: { text: 1 } }), 'badAnswer', /without a/],
		['hanging up', answers.hangUp(), 'connection', /closed the connection/],
		[
			'hanging up in the middle',
			answers.hangUp('{"summary":"half'),
			'connection',
			/closed the connection in the middle/,
		],
		[
			'a redirect',
			answers.text('', 'text/plain', 307, { location: `https://elsewhere.example/?a=${query}` }),
			'badRequest',
			/redirects to https:\/\/elsewhere\.example\/\?a=\[secret\] \(status 307\)/,
		],
	];
	for (const [name, answer, reason, wording] of failures) {
		it(`${name} → ${reason}`, async () => {
			endpoint.answer(answer);
			const error = await failure(model());
			assert.equal(error.reason, reason, error.message);
			assert.match(error.message, wording);
			assert(error.message.includes(host()), error.message);
			assert(error.message.length < 500 && !/[\r\n]/.test(error.message));
			assert(error.hint);
			const shown = inspect(error, { depth: 10, showHidden: true });
			assert(!shown.includes(key) && !shown.includes(query), shown);
			assert.equal(endpoint.requests.length, 1);
		});
	}

	it('an empty summary is refused by the summarizer', async () => {
		for (const summary of ['', ' \n']) {
			endpoint.answer(answers.json({ summary }));
			const run = createModelSummarizer(model()).summarize(
				{ kind: 'history', messages: [userMessage('x')], maxTokens: 1000 },
				new AbortController().signal,
			);
			await assert.rejects(run, {
				reason: 'empty',
				message: `remote/${host()} returned an empty summary.`,
			});
		}
	});

	it('reports no usage where it knows none', async () => {
		endpoint.answer(answers.json({ summary: 'short' }));
		const answer = await createModelSummarizer(model()).summarize(
			{ kind: 'history', messages: [userMessage('x')], maxTokens: 1000 },
			new AbortController().signal,
		);
		assert.deepEqual(answer, { text: 'short' });
	});

	it('passes on how long a server asks to wait', async () => {
		endpoint.answer(answers.text('busy', 'text/plain', 503, { 'retry-after': '30' }));
		const error = await failure(model());
		assert.equal(error.retryAfterMs, 30_000);
		assert.match(error.hint ?? '', /30 s/);
	});

	it('does not send the conversation where a redirect points', async () => {
		const other = await startSummaryEndpoint();
		try {
			other.answer(answers.json({ summary: 'caught' }));
			for (const status of [301, 302, 303, 307, 308]) {
				endpoint.answer(answers.text('', 'text/plain', status, { location: other.origin }));
				assert.equal((await failure(model())).reason, 'badRequest');
			}
			assert.equal(other.requests.length, 0);
		} finally {
			await other.close();
		}
	});

	it('a server that never stops sending is left', async () => {
		const megabyte = Buffer.alloc(1_000_000, ' ');
		endpoint.answer((response) => {
			response.writeHead(200, { 'content-type': 'application/json' });
			const more = () => void (response.destroyed || response.write(megabyte, more));
			more();
		});
		const error = await failure(model());
		assert.equal(error.reason, 'badAnswer');
		assert.match(error.message, /more than 4 MB/);
		assert.equal(await endpoint.requests[0]?.closed, 'early');
	});

	for (const [name, answer] of [
		['before the answer', answers.silence()],
		['in its middle', answers.stall('{"summary":"')],
	] as const) {
		it(`abort ${name} closes the socket`, async () => {
			endpoint.answer(answer);
			const controller = new AbortController();
			const arrival = endpoint.nextRequest();
			const run = collect(model(), {}, controller.signal);
			const request = await arrival;
			controller.abort();
			await assert.rejects(run, isAbort);
			assert.equal(await request.closed, 'early');
		});

		it(`a time limit ${name} closes the socket`, async () => {
			endpoint.answer(answer);
			const error = await failure(model({ timeoutMs: 100 }));
			assert.equal(error.reason, 'timeout');
			assert.match(error.message, /had not answered/);
			assert.equal(await endpoint.requests[0]?.closed, 'early');
		});
	}

	it('an abort before the request sends nothing', async () => {
		endpoint.answer(answers.json({ summary: 'x' }));
		await assert.rejects(collect(model(), {}, AbortSignal.abort()), isAbort);
		assert.equal(endpoint.requests.length, 0);
	});

	it('names who refuses the connection', async () => {
		const gone = await startSummaryEndpoint();
		await gone.close();
		const error = await failure(model({ endpoint: gone.origin }));
		assert.equal(error.reason, 'connection');
		assert.match(error.message, /^The remote endpoint at 127\.0\.0\.1:\d+ refused the connection/);
	});

	const wrong: [string, { endpoint?: string; apiKey?: string }, ModelErrorReason][] = [
		['an address that is none', { endpoint: 'summaries' }, 'badRequest'],
		['a host taken for a protocol', { endpoint: 'localhost:8080/v1' }, 'badRequest'],
		['another protocol', { endpoint: 'file:///etc/passwd' }, 'badRequest'],
		['a password', { endpoint: `http://me:${key}@127.0.0.1/` }, 'badRequest'],
		['a key with a line break', { apiKey: `${key}\n${key}` }, 'auth'],
	];
	for (const [name, config, reason] of wrong)
		it(`refuses ${name} before anything is sent`, async () => {
			endpoint.answer(answers.json({ summary: 'x' }));
			const error = await failure(model(config));
			assert.equal(error.reason, reason);
			assert(!inspect(error, { depth: 10, showHidden: true }).includes(key));
			assert.equal(endpoint.requests.length, 0);
		});
});
