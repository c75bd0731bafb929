/** The wait that a server asks for, in every form that servers use. */
import { strict as assert } from 'node:assert';
import { retryAfterMs, waitText } from '../../../src/providers/retry-after.ts';

const now = 'Tue, 03 Mar 2026 10:00:00 GMT';
const nowMs = Date.parse(now);

const cases: [string, Record<string, string>, number | undefined][] = [
	['nothing', {}, undefined],
	['seconds', { 'retry-after': '20' }, 20_000],
	['parts of a second', { 'retry-after': '0.5' }, 500],
	['none at all', { 'retry-after': '0' }, 0],
	[
		'a date by the server’s clock',
		{ 'retry-after': 'Tue, 03 Mar 2026 10:01:30 GMT', date: now },
		90_000,
	],
	['a date of the past', { 'retry-after': 'Tue, 03 Mar 2026 09:00:00 GMT', date: now }, 0],
	['ms', { 'retry-after-ms': '1500' }, 1500],
	['ms before seconds', { 'retry-after-ms': '1500', 'retry-after': '2' }, 1500],
	['broken ms, good seconds', { 'retry-after-ms': 'soon', 'retry-after': '2' }, 2000],
	['words', { 'retry-after': 'in 5 minutes' }, undefined],
	['below 0', { 'retry-after': '-5' }, undefined],
	['not finite', { 'retry-after': 'Infinity' }, undefined],
	['reset in seconds', { 'x-ratelimit-reset': '12' }, 12_000],
	['reset in ms', { 'x-ratelimit-reset-ms': '12' }, 12],
	['reset at a second', { 'x-ratelimit-reset': `${nowMs / 1000 + 30}`, date: now }, 30_000],
	['reset at a ms', { 'x-ratelimit-reset': `${nowMs + 2500}`, date: now }, 2500],
	['reset in the past', { 'x-ratelimit-reset': `${nowMs / 1000 - 30}`, date: now }, 0],
	['retry-after before reset', { 'retry-after': '3', 'x-ratelimit-reset': '99' }, 3000],
];

describe('retryAfterMs', () => {
	for (const [name, headers, expected] of cases)
		it(name, () => assert.equal(retryAfterMs(new Headers(headers), true), expected));

	it('takes a reset for a wait only where the refusal is about a rate', () => {
		assert.equal(retryAfterMs(new Headers({ 'x-ratelimit-reset': '12' }), false), undefined);
		assert.equal(retryAfterMs(new Headers({ 'retry-after': '12' }), false), 12_000);
	});

	it('is told in words', () => {
		assert.deepEqual([200, 20_000, 300_000, 7_200_001].map(waitText), [
			'1 s',
			'20 s',
			'5 min',
			'3 h',
		]);
	});
});
