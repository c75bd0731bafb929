import assert from 'node:assert/strict';
import { previewMove } from '../../../src/session/move-preview.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { VisitedLeaves } from '../../../src/session/visited-leaves.ts';
import { treeOf } from './outline-support.ts';

function store() {
	const saved = new Map<string, readonly string[]>();
	return {
		saved,
		load: (id: string) => saved.get(id) ?? [],
		save: (id: string, visited: readonly string[]) => void saved.set(id, visited),
	};
}

describe('visited leaves', () => {
	const tree = treeOf('a - user', 'b a ass', 'c b user', 'd b user', 'e d ass', 'f b user');

	it('lead to where one last was below an entry, else to the newest leaf', () => {
		const visited = new VisitedLeaves(store(), 's');
		for (const id of ['c', 'e', 'f', 'c']) visited.visit(tree, id);
		assert.deepEqual(visited.visited, ['c', 'f', 'e']);
		assert.equal(visited.targetBelow(tree, 'b'), 'c');
		assert.equal(visited.targetBelow(tree, 'd'), 'e');
		assert.equal(new VisitedLeaves(store(), 's').targetBelow(tree, 'b'), 'f');
	});

	it('count a conversation that goes on as one position, and are kept', () => {
		const kept = store();
		const visited = new VisitedLeaves(kept, 's');
		for (const id of ['a', 'b', 'd', 'e', null]) visited.visit(tree, id);
		assert.deepEqual(visited.visited, ['e']);
		assert.deepEqual(new VisitedLeaves(kept, 's').visited, ['e']);
	});

	it('pass over positions that are not in the session any more', () => {
		const kept = store();
		kept.save('s', ['gone', 'c']);
		assert.equal(new VisitedLeaves(kept, 's').targetBelow(tree, 'a'), 'c');
		assert.equal(new VisitedLeaves(kept, 's').lastBelow(tree, 'gone'), undefined);
	});
});

describe('preview of a move', () => {
	it('counts what is left, for a user message from its parent', async () => {
		const manager = SessionManager.inMemory();
		const ask = (content: string) => manager.appendMessage({ role: 'user', content, timestamp: 0 });
		const first = await ask('abcd');
		const second = await ask('abcdefgh');
		await ask('abcd');
		assert.deepEqual(previewMove(manager, first.id), { entries: 3, messages: 3, tokens: 4 });
		assert.deepEqual(previewMove(manager, second.id), { entries: 2, messages: 2, tokens: 3 });
		manager.branch(first.id);
		assert.equal(previewMove(manager, manager.lastEntryId!).entries, 0);
	});
});
