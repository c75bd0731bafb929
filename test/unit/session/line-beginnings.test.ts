import { strict as assert } from 'node:assert';
import { LineBeginnings } from '../../../src/session/line-beginnings.ts';
import { fragmentPrompt, fragmentText } from '../../../src/session/line-fragment.ts';

/** What is given for chunks; null stands for a gap. A line that goes on ends in "…". */
function given(limit: number, ...chunks: (string | null)[]): string[] {
	const lines: string[] = [];
	const beginnings = new LineBeginnings(limit, (bytes, start, end, whole) =>
		lines.push(Buffer.from(bytes.subarray(start, end)).toString() + (whole ? '' : '…')),
	);
	for (const chunk of chunks)
		if (chunk === null) beginnings.gap();
		else beginnings.push(Buffer.from(chunk));
	beginnings.finish();
	return lines;
}

describe('line beginnings', () => {
	it('are whole lines up to the limit, in one chunk or in many', () => {
		assert.deepEqual(given(4, 'ab\nabcd\nabcde\n\nx'), ['ab', 'abcd', 'abcd…', '', 'x']);
		assert.deepEqual(given(4, 'a', 'b\nab', 'cd\nabc', 'de', '\n', '\nx'), [
			...['ab', 'abcd', 'abcd…', '', 'x'],
		]);
		assert.deepEqual(given(4, 'abcdefgh', 'ijk', 'l\nok\n'), ['abcd…', 'ok']);
	});

	it('skip the rest of a line whose beginning a gap left out', () => {
		assert.deepEqual(given(9, 'one\ntw', null, 'xx\nfour\n'), ['one', 'tw…', 'four']);
		assert.deepEqual(given(9, 'one\n', null, 'xx\nfour'), ['one', 'four']);
		assert.deepEqual(given(9, 'one\n', null, 'x', 'x'), ['one']);
		assert.deepEqual(given(9, 'one\n', null, '\nfour\nfi', 've\n'), ['one', 'four', 'five']);
	});
});

describe('line fragments', () => {
	it('give texts up to where the fragment ends, and no half escapes', () => {
		const whole = '{"text" : "a\\\\ \\"b\\" \\u00e9"}';
		assert.equal(fragmentText(whole, 'text', 99), 'a\\ "b" é');
		for (const [end, text] of [
			['"a\\u00e', 'a'],
			['"a\\', 'a'],
			['"a\\\\', 'a\\'],
			['"a\\u00e9', 'aé'],
			['"', ''],
		])
			assert.equal(fragmentText(`{"text":${end}`, 'text', 99), text);
		assert.equal(fragmentText('{"other":"x"', 'text', 99), undefined);
		assert.equal(fragmentText('{"text":"abcdef"', 'text', 3), 'abc');
	});

	it('give prompts of user messages alone', () => {
		const line = (role: string, content: string) =>
			`{"type":"message","message":{"role":"${role}","content":${content}`;
		assert.equal(fragmentPrompt(line('user', '"Hi the'), 99), 'Hi the');
		assert.equal(fragmentPrompt(line('user', '[{"type":"text","text":"Hi the'), 99), 'Hi the');
		assert.equal(fragmentPrompt(line('user', '[{"type":"image","data":"AAAA'), 99), '');
		assert.equal(fragmentPrompt(line('assistant', '"Hi'), 99), undefined);
		assert.equal(fragmentPrompt('{"type":"custom","data":{"role":"user"', 99), undefined);
	});
});
