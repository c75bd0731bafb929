/** Drafts: nothing unsent is lost over switches and reloads (faults 181 and 183). */
import assert from 'node:assert/strict';
import { Drafts } from '../../../../src/host/chat/drafts.ts';

function memoryStore() {
	const saved = new Map<string, string>();
	return {
		saved,
		get: (id: string) => saved.get(id),
		set: (id: string, text: string) => void saved.set(id, text),
	};
}

describe('drafts', () => {
	it('keeps one for each session, over a reload of the window', () => {
		const store = memoryStore();
		const drafts = new Drafts(store);
		drafts.open('a', {}, []);
		drafts.set('a', 'for a');
		drafts.open('b', {}, []);
		drafts.set('b', 'for b');
		assert.equal(drafts.get('a'), 'for a');
		drafts.flush();
		const reloaded = new Drafts(store);
		assert.equal(reloaded.open('a', {}, []), 'for a');
		assert.equal(reloaded.open('b', {}, []), 'for b');
		reloaded.flush();
	});

	it('saves by itself soon after a change', async () => {
		const store = memoryStore();
		new Drafts(store, 5).set('a', 'typed');
		assert.equal(store.saved.size, 0);
		await new Promise((resolve) => setTimeout(resolve, 30));
		assert.equal(store.saved.get('a'), 'typed');
	});

	it('puts queued prompts back into the composer after a reload, not while they are queued', () => {
		const store = memoryStore();
		const drafts = new Drafts(store);
		const session = {};
		drafts.open('a', session, []);
		drafts.setQueued('a', ['first', 'second']);
		drafts.set('a', 'draft');
		drafts.flush();
		assert.equal(drafts.get('a'), 'draft');
		assert.equal(drafts.open('a', session, ['second']), 'draft', 'the session is still open');
		assert.equal(new Drafts(store).open('a', {}, []), 'first\n\nsecond\n\ndraft');
	});

	it('puts them back too when the session is closed and opened again', () => {
		const drafts = new Drafts(memoryStore());
		drafts.open('a', {}, []);
		drafts.setQueued('a', ['first']);
		drafts.open('b', {}, []);
		assert.equal(drafts.open('a', {}, []), 'first');
		drafts.flush();
	});

	it('forgets what was sent, and keeps what was typed meanwhile', () => {
		const store = memoryStore();
		const drafts = new Drafts(store);
		drafts.set('a', 'sent and more');
		drafts.sent('a', 'sent');
		assert.equal(drafts.get('a'), 'and more');
		drafts.sent('a', 'and more');
		drafts.flush();
		assert.equal(store.saved.get('a'), '');
	});

	it('gives what was typed without a session to the first that opens, if that has no draft', () => {
		const store = memoryStore();
		store.set('b', 'own');
		const drafts = new Drafts(store);
		drafts.set(null, 'early');
		assert.equal(drafts.open('b', {}, []), 'own');
		assert.equal(drafts.open('a', {}, []), 'early');
		assert.equal(drafts.get(null), '');
		drafts.flush();
	});
});
