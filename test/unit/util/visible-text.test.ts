/** What a text hides is seen. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { visibleParts, visibleText } from '../../../src/util/visible-text.ts';

describe('visible text', () => {
	it('leaves what can be seen as it is', () => {
		for (const text of ['', 'rm -rf build\n\tls', 'naïve — 日本語 🙂', '“quoted” ⏎'])
			assert.equal(visibleText(text), text);
	});

	it('names what reorders, vanishes or only looks like a space', () => {
		const hidden = [
			...[
				'\u202e',
				'\u2066',
				'\u200b',
				'\u200d',
				'\ufeff',
				'\u00ad',
				'\u001b',
				'\r',
				'\0',
				'\u0085',
			],
			...['\u2028', '\u00a0', '\u3000', '\u3164', '\u2800', '\ufe0f', '\u{e0041}', '\ud800'],
		];
		for (const character of hidden) {
			const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
			assert.deepEqual(visibleParts(`a${character}b`), [
				{ text: 'a', hidden: false },
				{ text: `⟨U+${code}⟩`, hidden: true },
				{ text: 'b', hidden: false },
			]);
		}
	});

	it('loses no other character', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), (text) => {
				const shown = visibleParts(text).flatMap((part) => (part.hidden ? [] : [part.text]));
				let at = 0;
				for (const piece of shown) {
					at = text.indexOf(piece, at);
					assert.ok(at >= 0);
					at += piece.length;
				}
				const count = visibleParts(text).filter(({ hidden }) => hidden).length;
				assert.equal([...text].length, [...shown.join('')].length + count);
			}),
		);
	});
});
