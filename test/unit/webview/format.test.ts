/** Numbers in the chat. */
import assert from 'node:assert/strict';
import { contextMeter, plural, shortTokens, tokenChange } from '../../../src/webview/format.ts';

describe('chat numbers', () => {
	it('shortens tokens', () => {
		const cases: [number, string][] = [
			[0, '0'],
			[999, '999'],
			[1000, '1k'],
			[4321, '4.3k'],
			[9960, '10k'],
			[43_210, '43k'],
			[128_000, '128k'],
			[999_700, '1M'],
			[1_250_000, '1.3M'],
		];
		for (const [tokens, text] of cases) assert.equal(shortTokens(tokens), text);
	});

	it('says whether the size of the context is an estimate', () => {
		assert.equal(contextMeter(43_000, 128_000, false), '≈ 43k of 128k tokens (estimate)');
		assert.equal(contextMeter(43_000, 0, false), '≈ 43k tokens (estimate)');
		assert.equal(contextMeter(43_000, 128_000, true), '43k of 128k tokens');
	});

	it('tells what a compaction did, as far as the file says', () => {
		assert.equal(tokenChange(128_000, 21_000), '128k → 21k tokens');
		assert.equal(tokenChange(128_000, null), '128k tokens before');
		assert.equal(tokenChange(null, null), '');
	});

	it('counts', () => {
		assert.equal(plural(1, 'file'), '1 file');
		assert.equal(plural(1200, 'entry', 'entries'), '1,200 entries');
	});
});
