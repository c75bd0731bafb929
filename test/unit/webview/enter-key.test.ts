/** Enter and input methods (fault 185). */
import assert from 'node:assert/strict';
import { EnterKey, type KeyPress } from '../../../src/webview/enter-key.ts';

function press(change: Partial<KeyPress> = {}): KeyPress {
	return {
		key: 'Enter',
		keyCode: 13,
		isComposing: false,
		shiftKey: false,
		ctrlKey: false,
		altKey: false,
		metaKey: false,
		timeStamp: 1000,
		...change,
	};
}

describe('Enter in the composer', () => {
	it('sends', () => {
		assert.equal(new EnterKey().sends(press()), true);
		assert.equal(new EnterKey().sends(press({ ctrlKey: true })), true);
	});

	it('does not send with Shift or Alt, nor another key', () => {
		for (const change of [{ shiftKey: true }, { altKey: true }, { key: 'a' }])
			assert.equal(new EnterKey().sends(press(change)), false);
	});

	it('does not send while or right after an input method composes', () => {
		assert.equal(new EnterKey().sends(press({ isComposing: true })), false);
		assert.equal(new EnterKey().sends(press({ keyCode: 229 })), false);
		const key = new EnterKey();
		key.compositionEnded(990);
		assert.equal(key.sends(press()), false);
		assert.equal(key.sends(press({ timeStamp: 1300 })), true);
	});
});
