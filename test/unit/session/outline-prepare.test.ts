import assert from 'node:assert/strict';
import fc from 'fast-check';
import { PAGE_SIZE } from '../../../src/session/outline-pages.ts';
import { Outline } from '../../../src/session/outline.ts';
import { SessionTree } from '../../../src/session/session-tree.ts';
import { treeEntries } from '../../support/arbitrary-tree.ts';
import { allRows, drawn, entryOf } from './outline-support.ts';

/** Counts what is asked of it, in all and at most before others get a turn. */
class CountingTree extends SessionTree {
	asked = 0;
	most = 0;
	private before: number | undefined;

	override idAt(place: number) {
		this.count();
		return super.idAt(place);
	}

	override typeAt(place: number) {
		this.count();
		return super.typeAt(place);
	}

	override parentPlace(place: number) {
		this.count();
		return super.parentPlace(place);
	}

	override get(id: string) {
		this.count();
		return super.get(id);
	}

	/** Begins to count anew. */
	reset(): void {
		this.asked = this.most = 0;
		this.before = undefined;
	}

	private count(): void {
		if (this.before === undefined) {
			const before = (this.before = this.asked);
			queueMicrotask(() => {
				this.most = Math.max(this.most, this.asked - before);
				this.before = undefined;
			});
		}
		this.asked++;
	}
}

/** Trees long enough to be prepared in several steps: `shape` gives the parent's place (-1: a root). */
function grow(count: number, shape: (place: number) => number, tree = new CountingTree()) {
	for (let place = 0; place < count; place++) {
		const parent = shape(place);
		tree.add(entryOf(place % 7 ? 'ass' : 'user', `e${place}`, parent < 0 ? null : `e${parent}`));
	}
	return tree;
}

const chain = (place: number) => place - 1;
const star = (place: number) => (place === 0 ? -1 : 0);
const roots = () => -1;
/** Every tenth entry is a branch of its own. */
const twigs = (place: number) => (place % 10 === 0 && place > 0 ? place - 2 : place - 1);
/** Two long branches that leave the first entry. */
const two = (place: number) => Math.max(place === 0 ? -1 : 0, place - 2);
const SHAPES = { chain, star, roots, twigs, two };

async function turns(count: number): Promise<void> {
	for (let turn = 0; turn < count; turn++) await Promise.resolve();
}

function firstPage(outline: Outline): string[] {
	return outline.children().map(({ id }) => id);
}

describe('preparing an outline', () => {
	it('gives the rows that an outline without it gives, whatever the tree', async () => {
		await fc.assert(
			fc.asyncProperty(treeEntries, fc.nat(), fc.nat(), async (entries, first, second) => {
				const tree = SessionTree.of(entries);
				const leaf = (number: number) => entries[number % entries.length]?.id ?? null;
				const outline = new Outline(tree, leaf(first));
				await outline.prepare();
				for (const { row } of allRows(outline)) await outline.prepare(row);
				assert.deepEqual(drawn(outline), drawn(new Outline(tree, leaf(first))));
				outline.moveLeaf(leaf(second));
				await outline.prepare();
				const fresh = new Outline(tree, leaf(second));
				assert.deepEqual(drawn(outline), drawn(fresh));
				for (const { row } of allRows(fresh))
					assert.deepEqual(outline.facts(row), fresh.facts(row));
			}),
		);
	});

	for (const [name, shape] of Object.entries(SHAPES)) {
		it(`does in short steps what is long in one go (${name})`, async () => {
			const tree = grow(60_000, shape);
			const outline = new Outline(tree, 'e59999');
			await turns(1);
			tree.reset();
			await outline.prepare();
			await turns(1);
			assert.ok(tree.most < 20_000, `${tree.most} in one step`);
			// What is prepared is only read from then on.
			tree.reset();
			assert.ok(outline.children().length <= PAGE_SIZE + 2);
			assert.ok(tree.asked < 2 * PAGE_SIZE, `${tree.asked} for the page`);
		});
	}

	it('does it in short steps for the run of another branch, and for a long turn', async () => {
		const tree = grow(60_000, two);
		const outline = new Outline(tree, 'e59999');
		await outline.prepare();
		outline.ensureShown(outline.rowOf('e0')!);
		const branch = outline.children().find(({ kind }) => kind === 'branch');
		assert.equal(branch?.entryId, 'e2');
		await turns(1);
		tree.reset();
		await outline.prepare(branch);
		await turns(1);
		assert.ok(tree.asked > 30_000);
		assert.ok(tree.most < 20_000, `${tree.most} in one step`);
		tree.reset();
		assert.equal(outline.rowOf('e59998')?.kind, 'step');
		assert.ok(tree.asked < PAGE_SIZE, `${tree.asked} for a row`);

		const turn = new CountingTree();
		for (let place = 0; place < 30_000; place++)
			turn.add(entryOf(place ? 'ass' : 'user', `e${place}`, place ? `e${place - 1}` : null));
		const long = new Outline(turn, 'e29999');
		const [row] = long.children();
		await turns(1);
		turn.reset();
		await long.prepare(row);
		assert.ok(turn.asked > 29_000);
		assert.ok(turn.most < 1_000, `${turn.most} in one step`);
		turn.reset();
		assert.equal(long.parentOf(long.rowOf('e29999')!), row);
		assert.ok(turn.asked < PAGE_SIZE);
	});

	for (const [name, shape] of Object.entries(SHAPES))
		it(`is done once for calls that overlap, and for a question between (C16.212, ${name})`, async () => {
			const asked = async (use: (outline: Outline) => Promise<unknown>) => {
				const tree = grow(20_000, shape);
				const outline = new Outline(tree, 'e19999');
				await use(outline);
				const rows = firstPage(outline);
				return { asked: tree.asked, rows };
			};
			const once = await asked((outline) => outline.prepare());
			const twice = await asked((outline) =>
				Promise.all([outline.prepare(), turns(3).then(() => outline.prepare())]),
			);
			const between = await asked(async (outline) => {
				const prepared = outline.prepare();
				await turns(3);
				outline.children();
				await prepared;
			});
			assert.deepEqual(twice.rows, once.rows);
			assert.deepEqual(between.rows, once.rows);
			// A page's rows are made again with each question; all else is done once.
			assert.ok(twice.asked <= once.asked + PAGE_SIZE, `${twice.asked}, ${once.asked}`);
			assert.ok(between.asked <= once.asked + 3 * PAGE_SIZE, `${between.asked}, ${once.asked}`);
		});

	it('takes in what is added and where the leaf goes meanwhile', async () => {
		const action = fc.record({
			after: fc.nat(12),
			kind: fc.constantFrom('append', 'appendElsewhere', 'move', 'ask'),
			place: fc.nat(),
		});
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom(...Object.values(SHAPES)),
				fc.nat(),
				fc.boolean(),
				fc.array(action, { minLength: 1, maxLength: 6 }),
				async (shape, leafPlace, shownBefore, actions) => {
					const tree = grow(2_500, shape);
					const idAt = (place: number) => tree.idAt(place % tree.size) ?? null;
					const outline = new Outline(tree, idAt(leafPlace));
					if (shownBefore) {
						outline.children();
						outline.moveLeaf(idAt(leafPlace + 700));
					}
					const prepared = outline.prepare();
					for (const { after, kind, place } of actions) {
						await turns(after);
						if (kind === 'move') outline.moveLeaf(idAt(place));
						else if (kind === 'ask') outline.rowOf(idAt(place) ?? '');
						else {
							const parent = kind === 'append' ? outline.leaf : idAt(place);
							const entry = entryOf(place % 3 ? 'ass' : 'user', `n${tree.size}`, parent);
							if (kind === 'appendElsewhere') outline.moveLeaf(parent);
							tree.add(entry);
							outline.append(entry);
						}
					}
					await prepared;
					const rows = outline.children();
					assert.equal(new Set(rows).size, rows.length);
					const fresh = new Outline(tree, outline.leaf);
					assert.deepEqual(firstPage(outline).slice(-150), firstPage(fresh).slice(-150));
					assert.deepEqual(drawn(outline), drawn(fresh));
				},
			),
			{ numRuns: 60 },
		);
	});

	it('prepares what the leaf moved to meanwhile, and not what it left', async () => {
		const tree = grow(20_000, two);
		const outline = new Outline(tree, 'e19999');
		const prepared = outline.prepare();
		await turns(2);
		outline.moveLeaf('e19998');
		await prepared;
		tree.reset();
		outline.ensureShown(outline.rowOf('e19998')!);
		assert.equal(outline.children().at(-1), outline.parentOf(outline.rowOf('e19998')!));
		assert.ok(tree.asked < 2 * PAGE_SIZE, `${tree.asked} for the page`);
	});

	it('goes on where an entry is added meanwhile, wherever it has got to', async () => {
		// A step ends with the last entry, just before the one that is added.
		for (let after = 0; after < 10; after++) {
			const tree = grow(2_000, chain);
			const outline = new Outline(tree, 'e1999');
			const prepared = outline.prepare();
			await turns(after);
			tree.reset();
			const entry = entryOf('ass', 'n', 'e1999');
			tree.add(entry);
			outline.append(entry);
			assert.ok(tree.asked < 10, `${tree.asked} to add an entry`);
			await prepared;
			assert.deepEqual(drawn(outline), drawn(new Outline(tree, 'n')));
		}
	});

	it('takes in an entry that the tree has before the outline is told', async () => {
		const tree = grow(2_500, chain);
		const outline = new Outline(tree, 'e2499');
		const entry = entryOf('ass', 'n', 'e2499');
		tree.add(entry);
		await outline.prepare();
		outline.append(entry);
		assert.deepEqual(drawn(outline), drawn(new Outline(tree, 'n')));
	});

	it('appends to a prepared outline without work that grows with the session', async () => {
		const tree = grow(60_000, chain);
		const outline = new Outline(tree, 'e59999');
		await outline.prepare();
		outline.children();
		tree.reset();
		for (let place = 60_000; place < 60_100; place++) {
			const entry = entryOf('ass', `e${place}`, `e${place - 1}`);
			tree.add(entry);
			const row = outline.append(entry);
			assert.ok(row);
			await outline.prepare(row);
			assert.equal(outline.children(row.id).at(-1)?.kind, 'step');
		}
		assert.ok(tree.asked < 100 * 20, `${tree.asked}`);
	});
});
