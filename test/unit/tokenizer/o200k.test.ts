// The bounded o200k counter beside the exact one.
import { strict as assert } from 'node:assert';
import path from 'node:path';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { loadO200k } from '../../../src/node/o200k-file.ts';

const exact = (text: string) => countTokens(text, { disallowedSpecial: new Set() });
/** Long enough for several slices, short enough for an exact tokenizer. */
const RUN = 3_000;

describe('o200k', () => {
	let countO200k: (text: string) => number;

	before(() => {
		countO200k = loadO200k(path.resolve('dist/o200k.js'));
	});

	it('counts nothing in nothing', () => {
		assert.equal(countO200k(''), 0);
	});

	it('counts any short text exactly', () => {
		const unit = fc.constantFrom<('grapheme' | 'binary' | 'grapheme-ascii')[]>(
			...(['grapheme', 'binary', 'grapheme-ascii'] as const),
		);
		fc.assert(
			fc.property(
				unit.chain((kind) => fc.string({ unit: kind, maxLength: 80 })),
				(text) => assert.equal(countO200k(text), exact(text)),
			),
			{ numRuns: 300 },
		);
	});

	it('counts words, spaces and lines exactly across slices', () => {
		const word = fc.constantFrom(
			'the ',
			'return ',
			'\n\t',
			'  ',
			'été ',
			"don't ",
			'研究，',
			'});\n',
			'42.5 ',
		);
		fc.assert(
			fc.property(fc.array(word, { minLength: 50, maxLength: 50 }), (words) => {
				const text = words.join('').repeat(60);
				const counted = countO200k(text);
				// A slice can end inside what belongs together where no space is near.
				assert.ok(
					Math.abs(counted - exact(text)) <= text.length / 4_096,
					`${counted} ${exact(text)}`,
				);
			}),
			{ numRuns: 20 },
		);
	});

	for (const [name, text] of Object.entries({
		'one letter': 'a'.repeat(RUN),
		spaces: ' '.repeat(RUN),
		'equals signs': '='.repeat(RUN),
		'box drawing': '─'.repeat(RUN),
		'a progress bar': '█'.repeat(RUN),
		Chinese: '研究如何让机器理解人类语言并且帮助我们完成工作'.repeat(RUN / 23),
		Thai: 'โปรแกรมนี้อ่านไฟล์และแสดงผลลัพธ์ให้ผู้ใช้ดู'.repeat(RUN / 43),
		emoji: '😀🚀'.repeat(RUN / 4),
		base64: Buffer.from('The quick brown fox jumps over it'.repeat(90)).toString('base64'),
	})) {
		it(`counts a run of ${name} without a break within 2 %`, () => {
			const counted = countO200k(text);
			assert.ok(Math.abs(counted / exact(text) - 1) <= 0.02, `${counted} of ${exact(text)}`);
		});
	}

	it('counts a text over its limit by evenly spread parts of it', () => {
		const line = 'export function count(text: string): number { return text.length; }\n';
		const counted = countO200k(line.repeat(30_000));
		const expected = countO200k(line.repeat(3_000)) * 10;
		assert.ok(Math.abs(counted / expected - 1) <= 0.02, `${counted} of ${expected}`);
	});

	it('takes what looks like a special token for the text that it is', () => {
		const special = fc.constantFrom(
			...['<|endoftext|>', '<|im_start|>', '<|im_end|>', '<|im_sep|>', '<|endofprompt|>'],
			...['<|fim_prefix|>', '<|fim_middle|>', '<|fim_suffix|>'],
		);
		const part = fc.oneof(special, fc.string({ maxLength: 5 }));
		fc.assert(
			fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
				const text = parts.join('');
				assert.equal(countO200k(text), exact(text));
			}),
		);
		assert.ok(countO200k('<|endoftext|>') > 1);
	});

	it('counts halves of surrogate pairs', () => {
		assert.equal(countO200k('\ud83d'.repeat(3)), exact('\ud83d'.repeat(3)));
	});

	it('says what is wrong where the encoding is missing', () => {
		assert.throws(() => loadO200k(path.resolve('dist/missing.js')), { reason: 'no-tokenizer' });
		assert.throws(() => loadO200k(path.resolve('package.json')), { reason: 'no-tokenizer' });
	});
});
