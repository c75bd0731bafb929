/** Sessions of 200,000 entries in the worst shapes: nothing recurses, and nothing gets stuck. */
import { strict as assert } from 'node:assert';
import {
	collectEntriesForBranchSummary,
	prepareBranchEntries,
} from '../../../src/session/compaction/branch-summarization.ts';
import { prepareCompaction } from '../../../src/session/compaction/compaction.ts';
import type { SessionEntry } from '../../../src/session/entries.ts';
import { Outline } from '../../../src/session/outline.ts';
import { buildRequest } from '../../../src/session/request-builder.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { SessionTree } from '../../../src/session/session-tree.ts';
import { BytesSessionStorage } from '../../support/bytes-storage.ts';
import { fileLines } from '../../support/every-kind.ts';
import { chain, comb, idAt, longTail, star, treeOf } from '../../support/large-trees.ts';

const COUNT = 200_000;
const FIRST = idAt(0);
const LAST = idAt(COUNT - 1);
const SETTINGS = { reserveTokens: 16_384, keepRecentTokens: 20_000 };

function open(entries: readonly SessionEntry[]): Promise<SessionManager> {
	const bytes = Buffer.from(fileLines(entries).join('\n'));
	return SessionManager.open(new BytesSessionStorage(bytes));
}

/** Goes through the outline around an entry as a view does. */
function lookAround(outline: Outline, entryId: string): void {
	const row = outline.rowOf(entryId);
	assert(row);
	outline.ensureShown(row);
	const parent = outline.parentOf(row);
	assert(outline.children(parent?.id).includes(row));
	assert(outline.children(parent?.id).length < 1_000);
	assert(outline.facts(row).place);
}

describe('a session of 200,000 entries', function () {
	this.timeout(120_000);

	describe('in one line', () => {
		let manager: SessionManager;
		before(async () => {
			manager = await open(chain(COUNT));
		});

		it('is opened, and each walk through it ends (C15)', () => {
			const { tree } = manager;
			assert.deepEqual(manager.warnings, []);
			assert.deepEqual(tree.leaves(), [LAST]);
			assert.equal(manager.getBranch().length, COUNT);
			assert.equal(manager.contextPath().length, COUNT);
			assert.equal(tree.newestLeafBelow(FIRST), LAST);
			assert.equal(tree.commonAncestor(LAST, idAt(7)), idAt(7));
			assert.equal(tree.commonAncestor(FIRST, LAST), FIRST);
		});

		it('has a context and a request of all of it (C15)', () => {
			const { messages } = manager.context();
			assert.equal(messages.length, COUNT);
			assert.equal(buildRequest(messages).messages.length, COUNT);
		});

		it('is compacted and left (C15)', () => {
			const plan = prepareCompaction(manager.getBranch(), SETTINGS);
			assert(plan);
			assert.equal(plan.messagesToSummarize.length + plan.keptMessages.length, COUNT);
			const left = collectEntriesForBranchSummary(manager.tree, LAST, null);
			assert.equal(left.entries.length, COUNT);
			assert(prepareBranchEntries(left.entries, 10_000).messages.length > 0);
			assert.equal(prepareBranchEntries(left.entries).messages.length, COUNT);
		});

		it('is outlined, a page at a time (C15)', () => {
			const outline = new Outline(manager.tree, LAST);
			assert(outline.children().length <= 201);
			for (const id of [FIRST, idAt(COUNT / 2), LAST]) lookAround(outline, id);
			outline.moveLeaf(FIRST);
			lookAround(outline, LAST);
		});
	});

	describe('that all follow one', () => {
		let manager: SessionManager;
		before(async () => {
			manager = await open(star(COUNT));
		});

		it('is opened, and each walk through it ends (C15)', () => {
			const { tree } = manager;
			assert.equal(tree.leaves().length, COUNT - 1);
			assert.equal(tree.childrenOf(FIRST).length, COUNT - 1);
			assert.equal(tree.newestLeafBelow(FIRST), LAST);
			assert.equal(tree.commonAncestor(LAST, idAt(7)), FIRST);
			assert.equal(manager.context().messages.length, 2);
			const left = collectEntriesForBranchSummary(tree, LAST, idAt(7));
			assert.deepEqual(
				left.entries.map(({ id }) => id),
				[LAST],
			);
			assert.equal(prepareCompaction(manager.getBranch(), SETTINGS), undefined);
		});

		it('is outlined, a page at a time (C15)', () => {
			const outline = new Outline(manager.tree, LAST);
			assert(outline.children().length <= 202);
			for (const id of [FIRST, idAt(COUNT / 2), LAST]) lookAround(outline, id);
			outline.moveLeaf(idAt(7));
			lookAround(outline, LAST);
		});
	});

	it('of which all follow a compaction has a context of all of them (C15)', async () => {
		const manager = await open(longTail(COUNT));
		// The summary stands in the place of the compaction.
		assert.equal(manager.context().messages.length, COUNT);
		assert.equal(manager.context().messages[0]?.role, 'compactionSummary');
		assert.equal(manager.contextPath().length, COUNT);
		const plan = prepareCompaction(manager.getBranch(), SETTINGS);
		assert(plan);
		assert.equal(plan.messagesToSummarize.length + plan.keptMessages.length, COUNT - 1);
		lookAround(new Outline(manager.tree, LAST), FIRST);
	});

	it('that are all roots is opened and outlined (C15)', async () => {
		const { tree } = await open(treeOf(COUNT, () => -1));
		assert.equal(tree.childrenOf(null).length, COUNT);
		assert.equal(tree.commonAncestor(FIRST, LAST), null);
		const outline = new Outline(tree, LAST);
		for (const id of [FIRST, LAST]) lookAround(outline, id);
	});

	it('whose branches lie 100,000 deep in each other is outlined (C15)', async () => {
		const teeth = COUNT / 2;
		const { tree } = await open(comb(teeth));
		assert.equal(tree.leaves().length, teeth);
		assert.equal(tree.newestLeafBelow(FIRST), LAST);
		const outline = new Outline(tree, LAST);
		lookAround(outline, idAt(teeth - 1));
		lookAround(outline, FIRST);
	});

	it('that stand in the file from the last to the first is opened (C11)', () => {
		const tree = SessionTree.of(chain(COUNT).reverse());
		assert.equal(tree.idsTo(LAST).length, COUNT);
		assert.deepEqual(tree.leaves(), [LAST]);
		lookAround(new Outline(tree, LAST), FIRST);
	});

	it('without their parents is opened as one line (C11)', () => {
		const tree = SessionTree.of(treeOf(COUNT, (place) => COUNT + place));
		assert.equal(tree.idsTo(LAST).length, COUNT);
	});

	it('in one circle is opened as one line (C11)', () => {
		const tree = SessionTree.of(treeOf(COUNT, (place) => (place === 0 ? COUNT - 1 : place - 1)));
		assert.equal(tree.idsTo(LAST).length, COUNT);
	});

	it('of which half stand before the one that all follow is opened (C11)', () => {
		const hub = COUNT / 2;
		const tree = SessionTree.of(treeOf(COUNT, (place) => (place === hub ? -1 : hub)));
		assert.equal(tree.childrenOf(idAt(hub)).length, COUNT - 1);
	});

	it('of which half follow themselves is opened with all as roots (C11)', () => {
		const tree = SessionTree.of(treeOf(COUNT, (place) => (place < COUNT / 2 ? place : -1)));
		assert.equal(tree.childrenOf(null).length, COUNT);
	});
});
