// Two weights, learnt from what a provider reported.
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import {
	calibrate,
	calibratedCounter,
	UNCALIBRATED,
	type Calibration,
	type Step,
} from '../../../src/session/calibration.ts';
import { estimateTokens } from '../../../src/session/message-tokens.ts';
import { measureMessage } from '../../../src/session/message-measure.ts';
import { estimateTextTokens, IMAGE_TOKENS } from '../../../src/util/tokens.ts';
import { assistant, toolCall } from '../../support/session-builder.ts';

/** Steps of different sizes that obey the weights. */
function stepsObeying({ perToken, perCall }: Calibration, count: number): Step[] {
	return Array.from({ length: count }, (_, index) => {
		const text = 50 + ((index * 377) % 2000);
		const toolCalls = index % 3;
		return { text, toolCalls, grown: Math.round(text * perToken + toolCalls * perCall) };
	});
}

function assertNear(actual: Calibration, expected: Calibration): void {
	const text = JSON.stringify(actual);
	assert.ok(Math.abs(actual.perToken / expected.perToken - 1) < 0.06, text);
	assert.ok(Math.abs(actual.perCall - expected.perCall) < 30, text);
}

const weights = fc.record({
	perToken: fc.double({ min: 0.5, max: 3, noNaN: true }),
	perCall: fc.double({ min: 0, max: 150, noNaN: true }),
});
const anyStep = fc.record({
	text: fc.nat(1e6),
	toolCalls: fc.nat(40),
	grown: fc.integer({ min: -1e6, max: 1e7 }),
});

describe('calibrate', () => {
	it('believes the counter where nothing was reported', () => {
		assert.deepEqual(calibrate([]), UNCALIBRATED);
	});

	it('finds the weights that steps obey', () => {
		fc.assert(
			fc.property(weights, (wanted) => assertNear(calibrate(stepsObeying(wanted, 64)), wanted)),
		);
	});

	it('is moved little by one ordinary step', () => {
		const { perToken, perCall } = calibrate([{ text: 400, toolCalls: 1, grown: 1200 }]);
		assert.ok(perToken > 1 && perToken < 1.6, String(perToken));
		assert.ok(perCall < 120, String(perCall));
	});

	it('is moved no further by an absurd step than by one that is just possible (C07)', () => {
		const steps = stepsObeying({ perToken: 1, perCall: 0 }, 20);
		const limit = calibrate([...steps, { text: 400, toolCalls: 1, grown: 400 * 4 + 500 }]);
		for (const grown of [1e6, 1e300, Number.MAX_VALUE, Infinity])
			assert.deepEqual(calibrate([...steps, { text: 400, toolCalls: 1, grown }]), limit);
	});

	it('is not carried away by outliers', () => {
		const wanted = { perToken: 1.25, perCall: 60 };
		const steps = stepsObeying(wanted, 64);
		// A system prompt that grew, a cache that was counted twice.
		steps[5] = { text: 300, toolCalls: 1, grown: 30_000 };
		steps[40] = { text: 900, toolCalls: 0, grown: 60_000 };
		const { perToken, perCall } = calibrate(steps);
		assert.ok(Math.abs(perToken / wanted.perToken - 1) < 0.2, String(perToken));
		assert.ok(perCall < 130, String(perCall));
	});

	it('gives sensible weights for any steps', () => {
		fc.assert(
			fc.property(fc.array(anyStep, { maxLength: 64 }), (steps) => {
				const { perToken, perCall } = calibrate(steps);
				assert.ok(perToken >= 0.25 && perToken <= 4, String(perToken));
				assert.ok(perCall >= 0 && perCall <= 500, String(perCall));
			}),
		);
	});

	it('learns nothing from steps that did not grow', () => {
		assert.deepEqual(calibrate([{ text: 100, toolCalls: 2, grown: 0 }]), UNCALIBRATED);
		assert.deepEqual(calibrate([{ text: 100, toolCalls: 2, grown: -500 }]), UNCALIBRATED);
	});
});

describe('calibratedCounter', () => {
	const message = assistant('some words here', [toolCall('c1', 'read', { path: 'a.ts' })]);

	it('counts a message alike whether it was measured or not', () => {
		const calibration = { perToken: 2, perCall: 50 };
		const measured = calibratedCounter(estimateTextTokens, calibration, () =>
			measureMessage(message, estimateTextTokens),
		);
		const plain = calibratedCounter(estimateTextTokens, calibration);
		assert.equal(plain.known?.(message), undefined);
		assert.equal(estimateTokens(message, measured), estimateTokens(message, plain));
		const calls = estimateTokens(message) * 2 + 50;
		assert.equal(estimateTokens(message, plain), calls);
	});

	it('leaves the size of images alone', () => {
		const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' };
		const user = { role: 'user' as const, content: [image], timestamp: 0 };
		const counter = calibratedCounter(estimateTextTokens, { perToken: 3, perCall: 9 }, () =>
			measureMessage(user, estimateTextTokens),
		);
		assert.equal(estimateTokens(user, counter), IMAGE_TOKENS);
	});
});
