import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SessionTree } from '../../../src/session/session-tree.ts';
import { SubtreeWeights } from '../../../src/session/subtree-weights.ts';
import { entryOf } from './outline-support.ts';

describe('subtree weights', () => {
	/** Places of the entries from `place` down, found by looking at every path. */
	function below(tree: SessionTree, place: number): number[] {
		return Array.from({ length: tree.size }, (_, at) => at).filter((at) =>
			tree.idsTo(tree.idAt(at) ?? '').includes(tree.idAt(place) ?? ''),
		);
	}

	function check(weights: SubtreeWeights, tree: SessionTree): void {
		const newest = (place: number) => Math.max(...below(tree, place));
		const newestOf = (ids: readonly string[]) =>
			ids.map((id) => tree.placeOf(id) ?? -1).sort((a, b) => newest(b) - newest(a))[0] ?? -1;
		for (let place = 0; place < tree.size; place++) {
			assert.equal(weights.size(place), below(tree, place).length);
			const children = tree.childrenOf(tree.idAt(place) ?? '');
			assert.equal(weights.newestChild(place), newestOf(children));
		}
		assert.equal(weights.newestChild(-1), newestOf(tree.childrenOf(null)));
	}

	it('are right in files in any order, and stay right with what is added', () => {
		const backs = fc.array(fc.nat(4), { minLength: 1, maxLength: 14 });
		const added = fc.array(fc.nat(), { maxLength: 6 });
		fc.assert(
			fc.property(
				backs.chain((steps) =>
					fc.shuffledSubarray(
						steps.map((back, n) => entryOf('user', `e${n}`, back > n ? null : `e${n - back}`)),
						{ minLength: steps.length },
					),
				),
				added,
				fc.boolean(),
				(entries, parents, oneByOne) => {
					const tree = SessionTree.of(entries);
					const weights = new SubtreeWeights(tree);
					check(weights, tree);
					for (const [n, parent] of parents.entries()) {
						const parentId = tree.idAt(parent % (tree.size + 1)) ?? null;
						tree.add(entryOf('user', `n${n}`, parentId));
						if (oneByOne) check(weights, tree);
					}
					check(weights, tree);
				},
			),
			{ numRuns: 300 },
		);
	});

	it('can be counted in steps, while entries are added', () => {
		const tree = SessionTree.of([entryOf('user', 'r', null)]);
		for (let n = 0; n < 12_000; n++) tree.add(entryOf('user', `s${n}`, 'r'));
		const weights = new SubtreeWeights(tree);
		assert.equal(weights.inUse, false);
		let steps = 0;
		while (weights.advance())
			if (++steps % 2 === 1 && steps < 6) tree.add(entryOf('user', `n${steps}`, 'r'));
		assert.ok(steps > 4);
		assert.equal(tree.size, 12_004);
		assert.equal(weights.size(0), tree.size);
		assert.equal(weights.newestChild(0), tree.size - 1);
	});
});
