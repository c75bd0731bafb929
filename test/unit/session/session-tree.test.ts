import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import type { SessionEntry } from '../../../src/session/entries.ts';
import type { SessionWarning } from '../../../src/session/session-warning.ts';
import { SessionTree } from '../../../src/session/session-tree.ts';

const entry = (id: string, parentId: string | null): SessionEntry => ({
	type: 'label',
	id,
	parentId,
	timestamp: '',
	targetId: id,
});
const ids = (entries: readonly SessionEntry[]) => entries.map(({ id }) => id);

describe('session tree', () => {
	it('bridges a missing parent to the entry written before it (C11)', () => {
		const warnings: SessionWarning[] = [];
		const tree = SessionTree.of([entry('a', null), entry('c', 'b'), entry('d', 'c')], warnings);
		assert.deepEqual(ids(tree.pathTo('d')), ['a', 'c', 'd']);
		assert.deepEqual(
			warnings.map(({ kind }) => kind),
			['missing-parent'],
		);
	});

	it('cuts cycles and shows the first of two entries with one id (C11)', () => {
		const warnings: SessionWarning[] = [];
		const tree = SessionTree.of(
			[entry('a', 'b'), entry('b', 'a'), entry('c', 'b'), entry('c', null)],
			warnings,
		);
		assert.deepEqual(warnings.map(({ kind }) => kind).sort(), ['cycle', 'duplicate-id']);
		assert.equal(tree.pathTo('c').at(-1)?.parentId, 'b');
		assert(tree.pathTo('c').length >= 2);
	});

	it('survives any parent links: every path ends, every entry is reachable (C11)', () => {
		const anyTree = fc.array(fc.tuple(fc.nat(12), fc.option(fc.nat(14))), { maxLength: 14 });
		fc.assert(
			fc.property(anyTree, (links) => {
				const entries = links.map(([id, parent]) =>
					entry(`e${id}`, parent === null ? null : `e${parent}`),
				);
				const tree = SessionTree.of(entries);
				const seen = new Set<string>();
				const open = [...tree.childrenOf(null)];
				for (let at = open.pop(); at !== undefined; at = open.pop()) {
					assert(!seen.has(at));
					seen.add(at);
					open.push(...tree.childrenOf(at));
				}
				assert.equal(seen.size, tree.size);
				for (const { id } of tree.entries()) assert.equal(tree.pathTo(id).at(-1)?.id, id);
			}),
		);
	});

	it('holds 200,000 entries in depth and in breadth', function () {
		this.timeout(30_000);
		const count = 200_000;
		const deep = SessionTree.of(
			Array.from({ length: count }, (_, i) => entry(`d${i}`, i ? `d${i - 1}` : null)),
		);
		assert.equal(deep.pathTo(`d${count - 1}`).length, count);
		const wide = SessionTree.of(
			Array.from({ length: count }, (_, i) => entry(`w${i}`, i ? 'w0' : null)),
		);
		assert.equal(wide.leaves().length, count - 1);
		assert.equal(wide.newestLeafBelow('w0'), `w${count - 1}`);
	});

	it('finds the common ancestor, also across roots', () => {
		const tree = SessionTree.of([
			entry('a', null),
			entry('b', 'a'),
			entry('c', 'a'),
			entry('other', null),
		]);
		assert.equal(tree.commonAncestor('b', 'c'), 'a');
		assert.equal(tree.commonAncestor('b', 'other'), null);
		assert.equal(tree.commonAncestor(null, 'b'), null);
	});
});
