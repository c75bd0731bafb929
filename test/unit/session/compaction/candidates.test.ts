/** Summarizers in order, over real servers: who is asked, what is recorded, and what ends the search. */
import { strict as assert } from 'node:assert';
import type { RetryNotice } from '../../../../src/agent/retry.ts';
import { createOfflineSummarizer } from '../../../../src/providers/offline/offline-summarizer.ts';
import { createOpenAIModel } from '../../../../src/providers/openai/openai-model.ts';
import { createRemoteModel } from '../../../../src/providers/remote/remote-model.ts';
import { tryCandidates, withFailures } from '../../../../src/session/compaction/candidates.ts';
import { compact, prepareCompaction } from '../../../../src/session/compaction/compaction.ts';
import { createModelSummarizer } from '../../../../src/session/compaction/model-summarizer.ts';
import type { Summarizer } from '../../../../src/session/compaction/summarizer.ts';
import { isAbort, UserError } from '../../../../src/util/errors.ts';
import { userMessage } from '../../../support/collect-stream.ts';
import { EchoSummarizer } from '../../../support/echo-summarizer.ts';
import {
	startScriptedServer,
	steps,
	type ScriptedServer,
} from '../../../support/scripted-server.ts';
import { SessionBuilder, textOfTokens } from '../../../support/session-builder.ts';
import {
	answers,
	startSummaryEndpoint,
	type SummaryEndpoint,
} from '../../../support/summary-endpoint.ts';

const never = new AbortController().signal;
const retry = { maxRetries: 2, baseDelayMs: 2000, maxDelayMs: 60_000 };

describe('tryCandidates', () => {
	let server: ScriptedServer;
	let endpoint: SummaryEndpoint;
	let waits: number[];
	let notices: RetryNotice[];
	before(async () => {
		server = await startScriptedServer();
		endpoint = await startSummaryEndpoint();
	});
	after(async () => {
		await server.close();
		await endpoint.close();
	});
	beforeEach(() => {
		server.reset();
		endpoint.answer(answers.json({ summary: 'By the endpoint.' }));
		waits = [];
		notices = [];
	});

	const options = () => ({
		retry,
		onRetry: (notice: RetryNotice) => void notices.push(notice),
		wait: (delayMs: number) => Promise.resolve(void waits.push(delayMs)),
	});
	const chat = (model: string) => {
		const config = { baseUrl: server.baseUrl, model, contextWindow: 32_000 };
		return createModelSummarizer(createOpenAIModel(config), options());
	};
	const remote = () => {
		const config = { endpoint: `${endpoint.origin}/sum`, contextWindow: 32_000 };
		return createModelSummarizer(createRemoteModel(config), options());
	};
	const three = () => [remote(), chat('cheap'), chat('active')];
	const remoteName = () => `remote/${new URL(endpoint.origin).host}`;
	const request = { kind: 'history' as const, messages: [userMessage('Fix it')], maxTokens: 1000 };
	const ask = (summarizer: Summarizer) => summarizer.summarize(request, never);
	const askedModels = () => server.requests.map(({ body }) => body.model);

	it('asks the first alone where it succeeds', async () => {
		const { value, summarizer, failures } = await tryCandidates(three(), ask, { signal: never });
		assert.equal(value.text, 'By the endpoint.');
		assert.equal(summarizer.name, remoteName());
		assert.deepEqual(failures, []);
		assert.equal(server.requests.length, 0);
	});

	it('goes on in order, and records each failure with its reason', async () => {
		endpoint.answer(answers.json({ summary: '' }));
		server.enqueue(steps.status(401, 'no'), steps.text('By the active one.'));
		const { value, summarizer, failures } = await tryCandidates(three(), ask, { signal: never });
		assert.equal(value.text, 'By the active one.');
		assert.equal(summarizer.name, 'openai-compatible/active');
		assert.deepEqual(askedModels(), ['cheap', 'active']);
		assert.deepEqual(
			failures.map(({ name, reason }) => [name, reason]),
			[
				[remoteName(), 'empty'],
				['openai-compatible/cheap', 'auth'],
			],
		);
		assert.match(failures[1]?.message ?? '', /^The model server at .* refused the key/);
	});

	for (const [name, step, reason] of [
		['authentication', steps.status(401, 'no'), 'auth'],
		['billing', steps.status(429, { error: { code: 'insufficient_quota' } }), 'billing'],
		['overflow', steps.status(400, { error: { code: 'context_length_exceeded' } }), 'overflow'],
		['too long a wait', steps.status(429, 'x', { 'retry-after': '3600' }), 'rateLimit'],
	] as const) {
		it(`${name} is not tried again on the same model`, async () => {
			server.setDefault(({ body }) => (body.model === 'cheap' ? step : steps.text('ok')));
			const { failures } = await tryCandidates([chat('cheap'), chat('active')], ask, {
				signal: never,
			});
			assert.deepEqual(askedModels(), ['cheap', 'active']);
			assert.deepEqual([failures[0]?.reason, waits], [reason, []]);
		});
	}

	it('tries the same model again for a passing reason, as long after as the server asks', async () => {
		server.enqueue(
			steps.status(429, 'x', { 'retry-after': '20' }),
			steps.status(503, 'busy', { 'retry-after-ms': '2500' }),
			steps.text('at last'),
		);
		const { value, failures } = await tryCandidates([chat('cheap')], ask, { signal: never });
		assert.equal(value.text, 'at last');
		assert.deepEqual(failures, []);
		assert.equal(waits[0], 20_000);
		assert((waits[1] ?? 0) >= 3000 && (waits[1] ?? 0) <= 4000, `${waits[1]}`);
		assert.deepEqual(
			notices.map(({ attempt, maxAttempts, error }) => [attempt, maxAttempts, error.status]),
			[
				[1, 2, 429],
				[2, 2, 503],
			],
		);
	});

	it('goes on after the last retry', async () => {
		server.setDefault(({ body }) =>
			body.model === 'cheap' ? steps.status(503, 'busy') : steps.text('ok'),
		);
		await tryCandidates([chat('cheap'), chat('active')], ask, { signal: never });
		assert.deepEqual(askedModels(), ['cheap', 'cheap', 'cheap', 'active']);
	});

	it('retries a part without losing the parts before it', async () => {
		const messages = Array.from({ length: 30 }, (_, i) =>
			userMessage(`Message ${i}: ${textOfTokens(500)}`),
		);
		const small = createModelSummarizer(
			createOpenAIModel({ baseUrl: server.baseUrl, model: 'm', contextWindow: 8000 }),
			options(),
		);
		let count = 0;
		server.setDefault(() => (++count === 2 ? steps.status(502, 'x') : steps.text(`part ${count}`)));
		const { text } = await small.summarize({ ...request, messages }, never);
		const prompts = server.requests.map(({ body }) => String(body.messages[1]?.content));
		assert(prompts.length > 3);
		assert.equal(prompts[1], prompts[2]);
		assert.match(prompts[2] ?? '', /<previous-summary>\npart 1\n/);
		assert.equal(text, `part ${count}`);
		assert.equal(waits.length, 1);
	});

	it('one that failed alone keeps its own error', async () => {
		server.enqueue(steps.status(401, 'no'));
		await assert.rejects(tryCandidates([chat('active')], ask, { signal: never }), (error) => {
			assert(error instanceof UserError);
			assert.equal(error.reason, 'auth');
			assert.match(error.message, /^No summary was made\. The model server/);
			return true;
		});
	});

	it('where all fail, one error names each with what it said', async () => {
		endpoint.answer(answers.text('down', 'text/plain', 404));
		server.enqueue(steps.status(401, 'bad key'), steps.emptyText());
		await assert.rejects(tryCandidates(three(), ask, { signal: never }), (error) => {
			assert(error instanceof UserError);
			assert.equal(error.reason, 'no-summary');
			const host = new URL(endpoint.origin).host;
			const start = `No summary was made; 3 summarizers failed. remote/${host}: The remote endpoint`;
			assert(error.message.startsWith(start), error.message);
			assert.match(error.message, /status 404: down\. openai-compatible\/cheap: .*: bad key\. /);
			assert(error.message.endsWith('active: openai-compatible/active returned an empty summary.'));
			assert.equal(error.kept, 'The session is unchanged.');
			assert.match(error.hint ?? '', /offline summary/);
			return true;
		});
	});

	it('the same reason everywhere is the reason of the whole', async () => {
		server.setDefault(steps.status(401, 'no'));
		const run = tryCandidates([chat('a'), chat('b')], ask, { signal: never });
		await assert.rejects(run, { reason: 'auth' });
	});

	it('a summary that is too long leads to the next, an error about the session does not', async () => {
		const asked: string[] = [];
		const failFirst = (reason: string) => (summarizer: Summarizer) => {
			asked.push(summarizer.name);
			return asked.length === 1
				? Promise.reject(new UserError(reason, 'No.'))
				: Promise.resolve('ok');
		};
		const two = [new EchoSummarizer(), createOfflineSummarizer()];
		const { failures } = await tryCandidates(two, failFirst('no-gain'), { signal: never });
		assert.deepEqual(failures, [{ name: 'echo', reason: 'no-gain', message: 'No.' }]);
		for (const reason of ['leaf-moved', 'unreadable', 'closed']) {
			asked.length = 0;
			await assert.rejects(tryCandidates(two, failFirst(reason), { signal: never }), { reason });
			assert.deepEqual(asked, ['echo']);
		}
	});

	it('a summarizer that breaks is a failure like others', async () => {
		const broken: Summarizer = {
			name: 'broken',
			contextWindow: undefined,
			summarize: () => Promise.reject(new TypeError('x is undefined')),
		};
		const { failures } = await tryCandidates([broken, new EchoSummarizer()], ask, {
			signal: never,
		});
		assert.deepEqual(failures, [{ name: 'broken', reason: 'error', message: 'x is undefined' }]);
	});

	it('says so where there is none', async () => {
		const run = tryCandidates([], ask, { signal: never });
		await assert.rejects(run, { name: 'UserError', reason: 'no-summary' });
	});

	it('an abort while a request runs closes its socket and asks nobody else', async () => {
		endpoint.answer(answers.silence());
		const controller = new AbortController();
		const arrival = endpoint.nextRequest();
		const run = tryCandidates(three(), (each) => each.summarize(request, controller.signal), {
			signal: controller.signal,
		});
		const { closed } = await arrival;
		controller.abort();
		await assert.rejects(run, isAbort);
		assert.equal(await closed, 'early');
		assert.equal(server.requests.length, 0);
	});

	it('an abort during a wait asks nobody else', async () => {
		server.setDefault(steps.status(503, 'busy'));
		const controller = new AbortController();
		const waiting = createModelSummarizer(
			createOpenAIModel({ baseUrl: server.baseUrl, model: 'm', contextWindow: 32_000 }),
			{
				retry: { maxRetries: 1, baseDelayMs: 3_600_000, maxDelayMs: 3_600_000 },
				onRetry: () => queueMicrotask(() => controller.abort()),
			},
		);
		const run = tryCandidates(
			[waiting, chat('active')],
			(each) => each.summarize(request, controller.signal),
			{ signal: controller.signal },
		);
		await assert.rejects(run, isAbort);
		assert.deepEqual(askedModels(), ['m']);
	});

	it('failures stand in the details of the summary, beside who made it', async () => {
		const session = new SessionBuilder();
		for (let turn = 0; turn < 6; turn++) {
			session.user(textOfTokens(300));
			session.assistant(textOfTokens(300));
		}
		const preparation = prepareCompaction(session.entries, {
			reserveTokens: 16_384,
			keepRecentTokens: 500,
			contextWindow: 128_000,
		});
		assert(preparation);
		endpoint.answer(answers.json({ summary: '' }));
		server.setDefault(steps.text('By the cheap one.'));
		const { value, failures } = await tryCandidates(
			three(),
			(summarizer) => compact(preparation, summarizer, { signal: never }),
			{ signal: never },
		);
		const { summarizer } = withFailures(value.details, failures);
		assert.equal(summarizer?.name, 'openai-compatible/cheap');
		assert(Number.isInteger(summarizer.durationMs));
		assert.deepEqual(
			summarizer.failures?.map(({ name, reason }) => [name, reason]),
			[[remoteName(), 'empty']],
		);
		assert.equal(value.usage?.output, 10 * server.requests.length);
		assert.equal(withFailures(value.details, []), value.details);
	});
});
