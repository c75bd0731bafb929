/** The end of what a run has printed: bounded, counted, the same however it was cut into pieces. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { NO_OUTPUT, withOutput, type Tail } from '../../../src/protocol/live-run.ts';
import { personCommand } from '../../../src/protocol/person-command.ts';

describe('live output', () => {
	const add = (tail: Tail, text: string) => withOutput(tail, { text, cut: 0 });

	it('keeps the end, and counts what is before it', () => {
		const piece = fc.oneof(
			fc.string(),
			fc.constant('x'.repeat(9_000)),
			fc.constant('🙂'.repeat(7)),
		);
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(40), (pieces, split) => {
				const whole = pieces.join('');
				const once = pieces.reduce(add, NO_OUTPUT);
				// What was not sent yet is collected on its own, and added as one.
				const seen = pieces.slice(0, split).reduce(add, NO_OUTPUT);
				const unsent = pieces.slice(split).reduce(add, NO_OUTPUT);
				for (const tail of [once, withOutput(seen, unsent)]) {
					assert.ok(tail.text.length <= 20_000);
					assert.equal(tail.cut + tail.text.length, whole.length);
					assert.ok(whole.endsWith(tail.text));
				}
				if (whole.length <= 20_000) assert.equal(once.text, whole);
			}),
		);
	});

	it('never halves a character', () => {
		for (const text of ['🙂'.repeat(20_001), `x${'🙂'.repeat(20_001)}`])
			assert.equal(add(NO_OUTPUT, text).text.codePointAt(0), 0x1f642);
	});
});

describe('texts that run a command', () => {
	it('begin with an exclamation mark, and nothing else does', () => {
		const of = (text: string) => {
			const found = personCommand(text);
			return found && [found.command, found.excludeFromContext];
		};
		assert.deepEqual(of('!ls -l\n'), ['ls -l', false]);
		assert.deepEqual(of('! ls'), ['ls', false]);
		assert.deepEqual(of('!!ls'), ['ls', true]);
		assert.deepEqual(of('!!!ls'), ['!ls', true]);
		assert.deepEqual(of('!'), ['', false]);
		for (const text of ['', 'ls', ' !ls', '\n!ls', 'a!b', '¡ls']) assert.equal(of(text), undefined);
	});
});
