/** Retries: what is tried again, how long the waits are, and what ends them. No test waits itself. */
import { strict as assert } from 'node:assert';
import { ModelError, type ModelErrorReason } from '../../../src/agent/model.ts';
import {
	isTransient,
	NO_RETRIES,
	retryDelay,
	withRetry,
	type RetryNotice,
} from '../../../src/agent/retry.ts';
import { isAbort } from '../../../src/util/errors.ts';

const policy = { maxRetries: 3, baseDelayMs: 2000, maxDelayMs: 60_000 };

/** Fails with the given errors, one each, then returns "done". */
function failing(...errors: Error[]) {
	const run = () => {
		run.calls++;
		const [error] = errors.splice(0, 1);
		return error === undefined ? Promise.resolve('done') : Promise.reject(error);
	};
	run.calls = 0;
	return run;
}

function recorder() {
	const waits: number[] = [];
	const notices: RetryNotice[] = [];
	const wait = (delayMs: number) => Promise.resolve(void waits.push(delayMs));
	const signal = new AbortController().signal;
	return { waits, notices, signal, wait, onRetry: (notice: RetryNotice) => notices.push(notice) };
}

const busy = (retryAfterMs?: number) =>
	new ModelError('rateLimit', 'Busy.', retryAfterMs === undefined ? {} : { retryAfterMs });

describe('isTransient', () => {
	const kinds: Record<ModelErrorReason, boolean> = {
		connection: true,
		rateLimit: true,
		server: true,
		timeout: false,
		certificate: false,
		auth: false,
		notFound: false,
		billing: false,
		overflow: false,
		badRequest: false,
		badAnswer: false,
	};
	for (const [reason, expected] of Object.entries(kinds))
		it(`${reason}: ${expected}`, () => {
			assert.equal(isTransient(new ModelError(reason as ModelErrorReason, '')), expected);
		});
	it('anything else: false', () => assert.equal(isTransient(new Error('fetch failed')), false));
});

describe('retryDelay', () => {
	it('doubles up to the longest wait', () => {
		const delays = [1, 2, 3, 5, 6, 60, 5000].map((n) => retryDelay(policy, n, undefined, 0));
		assert.deepEqual(delays, [2000, 4000, 8000, 32_000, 60_000, 60_000, 60_000]);
	});

	it('is shortened by chance, by a quarter at most', () => {
		assert.equal(retryDelay(policy, 1, undefined, 1), 1500);
		for (let i = 0; i < 100; i++) {
			const delay = retryDelay(policy, 2, undefined) ?? 0;
			assert(delay >= 3000 && delay <= 4000, `${delay}`);
		}
	});

	it('is raised to what the server asks for, and given up where that is too long', () => {
		assert.equal(retryDelay(policy, 1, 20_000, 1), 20_000);
		assert.equal(retryDelay(policy, 1, 100, 1), 1500);
		assert.equal(retryDelay(policy, 1, 60_000, 1), 60_000);
		assert.equal(retryDelay(policy, 1, 60_001, 1), undefined);
	});

	it('stays what a timer can take', () => {
		const endless = { maxRetries: 99, baseDelayMs: 1e12, maxDelayMs: 1e15 };
		assert.equal(retryDelay(endless, 1, undefined, 0), 2 ** 31 - 1);
		assert.equal(retryDelay(endless, 1, 2 ** 31), undefined);
	});
});

describe('withRetry', () => {
	it('tries again while the reason passes, and tells of each wait', async () => {
		const options = recorder();
		const first = busy();
		const run = failing(first, new ModelError('connection', 'Lost.'));
		assert.equal(await withRetry(run, policy, options), 'done');
		assert.equal(run.calls, 3);
		assert.equal(options.waits.length, 2);
		const [one, two] = options.notices;
		assert.equal(one?.error, first);
		assert.deepEqual([one?.attempt, one?.maxAttempts, one?.delayMs], [1, 3, options.waits[0]]);
		assert.deepEqual([two?.attempt, two?.maxAttempts, two?.delayMs], [2, 3, options.waits[1]]);
	});

	it('ends after the last retry with the last error', async () => {
		const options = recorder();
		const last = busy();
		const run = failing(busy(), busy(), busy(), last, busy());
		await assert.rejects(withRetry(run, policy, options), (error) => error === last);
		assert.equal(run.calls, 4);
		assert.equal(options.waits.length, 3);
	});

	it('waits as long as the server asks', async () => {
		const options = recorder();
		await withRetry(failing(busy(45_000)), policy, options);
		assert.deepEqual(options.waits, [45_000]);
	});

	it('does not wait where the server asks for longer than is allowed', async () => {
		const options = recorder();
		const run = failing(busy(3_600_000));
		await assert.rejects(withRetry(run, policy, options), { retryAfterMs: 3_600_000 });
		assert.equal(run.calls, 1);
		assert.deepEqual([options.waits, options.notices], [[], []]);
	});

	it('never tries again what stays', async () => {
		for (const reason of ['auth', 'billing', 'overflow', 'timeout'] as const) {
			const options = recorder();
			const run = failing(new ModelError(reason, '', { retryAfterMs: 1 }));
			await assert.rejects(withRetry(run, policy, options), { reason });
			assert.equal(run.calls, 1);
		}
	});

	it('does not try again where retries are off', async () => {
		const run = failing(busy());
		await assert.rejects(withRetry(run, NO_RETRIES, recorder()), { reason: 'rateLimit' });
		assert.equal(run.calls, 1);
	});

	it('an abort ends the wait at once', async () => {
		const controller = new AbortController();
		const run = failing(busy());
		// The real wait: an hour, if the abort did not end it.
		const hour = { maxRetries: 1, baseDelayMs: 3_600_000, maxDelayMs: 3_600_000 };
		const onRetry = () => queueMicrotask(() => controller.abort());
		await assert.rejects(withRetry(run, hour, { signal: controller.signal, onRetry }), isAbort);
		assert.equal(run.calls, 1);
	});

	it('an abort before the wait ends it, too', async () => {
		const controller = new AbortController();
		const hour = { maxRetries: 1, baseDelayMs: 3_600_000, maxDelayMs: 3_600_000 };
		const onRetry = () => controller.abort();
		const run = withRetry(failing(busy()), hour, { signal: controller.signal, onRetry });
		await assert.rejects(run, isAbort);
	});

	it('an error that the abort caused is an abort', async () => {
		const controller = new AbortController();
		const run = () => {
			controller.abort();
			return Promise.reject(new ModelError('connection', 'Lost.'));
		};
		await assert.rejects(withRetry(run, policy, { signal: controller.signal }), isAbort);
	});
});
