// The estimate of a text's tokens: by script, and of long texts by a sample.
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { evenSample, windowStart } from '../../../src/util/even-sample.ts';
import { estimateTextTokens } from '../../../src/util/tokens.ts';

const code = 'const value = compute(input, 42);\n';
const chinese = '研究如何让机器理解人类语言，并且帮助我们完成工作。\n';

/** The estimate of every single character, added up. */
function exhaustive(text: string): number {
	let tokens = 0;
	for (let i = 0; i < text.length; i += 10_000)
		tokens += estimateTextTokens(text.slice(i, i + 10_000));
	return tokens;
}

describe('estimateTextTokens', () => {
	it('counts a quarter of a token for an ASCII character', () => {
		assert.equal(estimateTextTokens(''), 0);
		assert.equal(estimateTextTokens('abcd'), 1);
		assert.equal(estimateTextTokens('abcde'), 2);
	});

	it('counts a surrogate pair once', () => {
		assert.equal(estimateTextTokens('😀'.repeat(5)), 4);
	});

	it('grows with each kind of text put together', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
				const both = estimateTextTokens(a + b);
				assert.ok(both >= Math.max(estimateTextTokens(a), estimateTextTokens(b)));
				assert.ok(both <= estimateTextTokens(a) + estimateTextTokens(b));
			}),
		);
	});

	for (const [name, text] of [
		['code', code.repeat(20_000)],
		['Chinese', chinese.repeat(20_000)],
		['mixed lines', (code + chinese).repeat(10_000)],
		['first code, then Chinese', code.repeat(10_000) + chinese.repeat(10_000)],
		['a little Chinese in much code', (code.repeat(19) + chinese).repeat(1000)],
	] as const) {
		it(`samples a long text of ${name} within 5 % of all of it`, () => {
			const all = exhaustive(text);
			const sampled = estimateTextTokens(text);
			assert.ok(Math.abs(sampled / all - 1) < 0.05, `${sampled} of ${all}`);
		});
	}

	it('does not jump where sampling begins', () => {
		for (const text of [code, chinese]) {
			const long = text.repeat(1000).slice(0, 512);
			const ratio = estimateTextTokens(`${long}x`) / estimateTextTokens(long);
			assert.ok(ratio > 0.95 && ratio < 1.05, String(ratio));
		}
	});
});

describe('evenSample', () => {
	it('places windows in order, inside the text and beside each other', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 50 }),
				fc.integer({ min: 0, max: 1e6 }),
				(windows, more) => {
					const width = 128;
					const length = windows * width + more;
					let end = 0;
					for (let index = 0; index < windows; index++) {
						const start = windowStart(index, windows, length, width);
						assert.ok(start >= end);
						end = start + width;
					}
					assert.ok(end <= length);
				},
			),
		);
	});

	it('leaves short texts whole and scales the sample of long ones up', () => {
		assert.deepEqual(evenSample('short', 100), { text: 'short', scale: 1 });
		const { text, scale } = evenSample('x'.repeat(100_000), 1_000);
		assert.ok(text.length <= 1_000);
		assert.equal(text.length * scale, 100_000);
	});
});
