import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PAGE_SIZE } from '../../../src/session/outline-pages.ts';
import { Outline } from '../../../src/session/outline.ts';
import { SessionTree } from '../../../src/session/session-tree.ts';
import { allRows, drawn, entryOf, treeOf, type Word } from './outline-support.ts';

describe('outline', () => {
	it('shows a linear session flat, each turn with its steps folded below', () => {
		const tree = treeOf(
			'm - model',
			'u1 m user',
			'a1 u1 ass c1',
			't1 a1 tool c1',
			'a2 t1 ass',
			'u2 a2 user',
			'b2 u2 bash',
		);
		assert.deepEqual(drawn(new Outline(tree, 'b2')), [
			'step:m',
			'turn:u1',
			'  step:a1',
			'    step:t1',
			'  step:a2',
			'turn:u2',
			'  step:b2',
		]);
	});

	it('keeps compactions and branch summaries as rows of their own in the run', () => {
		const tree = treeOf('u1 - user', 'a1 u1 ass', 'c a1 cmp', 'a2 c ass', 'o a2 odd', 'b o bs');
		assert.deepEqual(drawn(new Outline(tree, 'b')), [
			'turn:u1',
			'  step:a1',
			'compaction:c',
			'turn:a2',
			'  step:o',
			'branchSummary:b',
		]);
		assert.equal(
			new Outline(tree, 'b').facts({ id: 'turn:a2', kind: 'turn', entryId: 'a2' }).continued,
			true,
		);
	});

	const forked = treeOf(
		'u1 - user',
		'a1 u1 ass',
		'u2 a1 user',
		'a2 u2 ass',
		'u3 a1 user',
		'a3 u3 ass',
		'u4 a1 user',
	);

	it('goes on towards the leaf at a fork; the other ways are branch rows after it', () => {
		assert.deepEqual(drawn(new Outline(forked, 'a2')), [
			'turn:u1',
			'  step:a1',
			'branch:u3',
			'  turn:u3',
			'    step:a3',
			'branch:u4',
			'  turn:u4',
			'turn:u2',
			'  step:a2',
		]);
	});

	it('goes on with what was written last where the leaf says nothing', () => {
		const top = new Outline(forked, 'a1').children().map(({ id }) => id);
		assert.deepEqual(top, ['turn:u1', 'branch:u2', 'branch:u3', 'turn:u4']);
	});

	it('shows other roots as branches before the active one', () => {
		const tree = treeOf('u1 - user', 'a1 u1 ass', 'u2 - user', 'a2 u2 ass');
		assert.deepEqual(drawn(new Outline(tree, 'a1')), [
			'branch:u2',
			'  turn:u2',
			'    step:a2',
			'turn:u1',
			'  step:a1',
		]);
		assert.equal(new Outline(tree, null).children()[0]?.id, 'branch:u1');
	});

	it('ends a turn at a fork in its middle', () => {
		const tree = treeOf('u - user', 'a u ass c', 't a tool c', 'x a ass', 'b t ass');
		assert.deepEqual(drawn(new Outline(tree, 'b')), [
			'turn:u',
			'  step:a',
			'branch:x',
			'  turn:x',
			'turn:t',
			'  step:b',
		]);
	});

	it('says where each row is, seen from the leaf', () => {
		const outline = new Outline(forked, 'a2');
		const places = Object.fromEntries(
			allRows(outline).map(({ row }) => [row.id, outline.facts(row).place]),
		);
		assert.deepEqual(places, {
			'turn:u1': 'onPath',
			'step:a1': 'onPath',
			'branch:u3': 'otherBranch',
			'turn:u3': 'otherBranch',
			'step:a3': 'otherBranch',
			'branch:u4': 'otherBranch',
			'turn:u4': 'otherBranch',
			'turn:u2': 'holdsCurrent',
			'step:a2': 'current',
		});
		assert.equal(new Outline(forked, 'u1').facts(outline.rowOf('a1')!).place, 'ahead');
		assert.equal(outline.facts(outline.rowOf('u1')!).branches, 2);
	});

	it('gives the newest page of a long run first, and the rest on demand', () => {
		const tree = new SessionTree();
		for (let n = 0; n < 500; n++) tree.add(entryOf('user', `u${n}`, n ? `u${n - 1}` : null));
		const outline = new Outline(tree, 'u499');
		const first = outline.children();
		assert.equal(first.length, PAGE_SIZE + 1);
		assert.equal(first[0]?.kind, 'more');
		assert.equal(outline.facts(first[0]).hidden, 300);
		assert.equal(first.at(-1)?.id, 'turn:u499');
		outline.showMore(first[0]);
		assert.equal(outline.children()[1]?.id, 'turn:u100');
		// The same rows, not equal ones: expansion and selection hang on them.
		assert.equal(outline.children().at(-1), first.at(-1));
	});

	it('opens the page that holds a row which is to be shown', () => {
		const tree = new SessionTree();
		for (let n = 0; n < 5000; n++) tree.add(entryOf('user', `u${n}`, n ? `u${n - 1}` : null));
		const outline = new Outline(tree, 'u1000');
		const row = outline.rowOf('u1000')!;
		assert.equal(outline.children().includes(row), false);
		assert.deepEqual(outline.ensureShown(row), [undefined]);
		const shown = outline.children();
		assert.equal(shown.includes(row), true);
		assert.equal(shown.length, PAGE_SIZE + 2);
		assert.deepEqual(outline.ensureShown(row), []);
	});

	it('shows a whole page again after a visit to a short branch', () => {
		const tree = new SessionTree();
		for (let n = 0; n < 500; n++) tree.add(entryOf('user', `u${n}`, n ? `u${n - 1}` : null));
		tree.add(entryOf('user', 'x', 'u0'));
		const outline = new Outline(tree, 'u499');
		outline.showMore(outline.children()[0]!);
		outline.moveLeaf('x');
		assert.equal(outline.children().length, 3);
		outline.moveLeaf('u499');
		assert.equal(outline.children().length, PAGE_SIZE + 1);
	});

	it('refreshes one row for an entry added to the last turn, and keeps rows the same objects', () => {
		const tree = treeOf('u1 - user', 'a1 u1 ass c1');
		const outline = new Outline(tree, 'a1');
		const turn = outline.children()[0];
		outline.children('turn:u1');
		const result = entryOf('tool', 't1', 'a1', 'c1');
		tree.add(result);
		assert.equal(outline.append(result), turn);
		assert.deepEqual(drawn(outline), ['turn:u1', '  step:a1', '    step:t1']);
		const next = entryOf('user', 'u2', 't1');
		tree.add(next);
		assert.equal(outline.append(next), undefined);
		assert.deepEqual(
			outline.children().map(({ id }) => id),
			['turn:u1', 'turn:u2'],
		);
		assert.equal(outline.children()[0], turn);
	});

	it('shows every entry exactly once, whatever the tree, and knows each displayed parent', () => {
		const kinds: Word[] = ['user', 'ass', 'tool', 'bash', 'cmp', 'bs', 'model', 'odd', 'cmsg'];
		const step = fc.record({
			kind: fc.constantFrom(...kinds),
			// Mostly onwards, now and then a fork or another root.
			back: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.nat(12)),
			call: fc.constantFrom('', 'c1', 'c2'),
			leafBack: fc.nat(20),
		});
		fc.assert(
			fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), fc.nat(59), (steps, split) => {
				const entries = steps.map(({ kind, back, call }, index) =>
					entryOf(kind, `e${index}`, index < back || back === 0 ? null : `e${index - back}`, call),
				);
				const leaf = (index: number) => `e${Math.max(0, index - (steps[index]?.leafBack ?? 0))}`;
				// Half of the entries come with the file, half are added later, with moves between.
				const loaded = Math.max(1, Math.min(split, entries.length));
				const tree = SessionTree.of(entries.slice(0, loaded));
				const outline = new Outline(tree, leaf(loaded - 1));
				check(outline, tree);
				for (let index = loaded; index < entries.length; index++) {
					const entry = entries[index]!;
					outline.moveLeaf(entry.parentId);
					tree.add(entry);
					outline.append(entry);
				}
				check(outline, tree);
				assert.deepEqual(drawn(outline), drawn(new Outline(tree, outline.leaf)));
				outline.moveLeaf(leaf(entries.length - 1));
				check(outline, tree);
				assert.deepEqual(drawn(outline), drawn(new Outline(tree, outline.leaf)));
			}),
			{ numRuns: 400 },
		);
	});

	function check(outline: Outline, tree: SessionTree): void {
		const rows = allRows(outline);
		const shown = rows.filter(({ row }) => row.kind !== 'branch').map(({ row }) => row.entryId);
		assert.deepEqual([...shown].sort(), [...tree.entries()].map(({ id }) => id).sort());
		assert.equal(new Set(rows.map(({ row }) => row.id)).size, rows.length);
		for (const { row, parent } of rows) {
			assert.equal(outline.parentOf(row), parent);
			if (row.kind !== 'branch') assert.equal(outline.rowOf(row.entryId), row);
			assert.deepEqual(outline.ensureShown(row), []);
			const { place, children } = outline.facts(row);
			assert.equal(children > 0, outline.children(row.id).length > 0, row.id);
			if (place === 'current') assert.equal(row.entryId, outline.leaf);
		}
		const current = rows.filter(({ row }) => outline.facts(row).place === 'current');
		assert.equal(current.length, outline.leaf === null ? 0 : 1);
	}

	it('takes 100,000 entries in a chain, and answers a page at a time', function () {
		this.timeout(20_000);
		const tree = new SessionTree();
		for (let n = 0; n < 100_000; n++)
			tree.add(entryOf(n % 10 ? 'ass' : 'user', `e${n}`, n ? `e${n - 1}` : null));
		const outline = new Outline(tree, 'e99999');
		const began = performance.now();
		assert.equal(outline.children().length, PAGE_SIZE + 1);
		assert.equal(outline.parentOf(outline.rowOf('e99999')!)?.id, 'turn:e99990');
		assert.ok(performance.now() - began < 2000);
		assert.equal(outline.rowOf('e5')?.id, 'step:e5');
	});

	it('takes 100,000 siblings, and a chain with a fork at every entry', function () {
		this.timeout(30_000);
		const wide = SessionTree.of([entryOf('user', 'r', null)]);
		for (let n = 0; n < 100_000; n++) wide.add(entryOf('user', `s${n}`, 'r'));
		const outline = new Outline(wide, 's5');
		const shown = outline.children();
		assert.equal(shown.at(-1)?.id, 'turn:s5');
		for (const row of shown) outline.facts(row);
		assert.equal(outline.rowOf('s99000')?.id, 'turn:s99000');
		assert.equal(outline.ensureShown(outline.rowOf('s50000')!).length, 1);

		const comb = new SessionTree();
		for (let n = 0; n < 50_000; n++) {
			comb.add(entryOf('user', `e${n}`, n ? `e${n - 1}` : null));
			comb.add(entryOf('user', `x${n}`, n ? `e${n - 1}` : null));
		}
		const combed = new Outline(comb, 'x3');
		assert.ok(combed.children().length <= PAGE_SIZE + 1);
		for (const row of combed.children()) combed.facts(row);
		assert.equal(combed.rowOf('e49999')?.id, 'turn:e49999');
	});
});
