/** The composer's text rules: nothing that was typed is lost. */
import assert from 'node:assert/strict';
import { textAfterSending, textWithInserted } from '../../../src/protocol/composer-text.ts';

describe('composer text', () => {
	it('is empty after sending, but for what was typed meanwhile', () => {
		assert.equal(textAfterSending('hello', 'hello'), '');
		assert.equal(textAfterSending('hello\nmore', 'hello'), 'more');
		assert.equal(textAfterSending('hell', 'hello'), 'hell');
		assert.equal(textAfterSending('say hello', 'hello'), 'say hello');
	});

	it('keeps what stood there below a text that is put in', () => {
		assert.equal(textWithInserted('new', ''), 'new');
		assert.equal(textWithInserted('new', ' \n'), 'new');
		assert.equal(textWithInserted('new', 'new'), 'new');
		assert.equal(textWithInserted('new', 'old draft'), 'new\n\nold draft');
		assert.equal(textWithInserted('', 'old draft'), 'old draft');
	});
});
