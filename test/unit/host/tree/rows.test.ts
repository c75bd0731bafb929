import assert from 'node:assert/strict';
import { rowLook } from '../../../../src/host/tree/row-looks.ts';
import { shortTokens } from '../../../../src/host/tree/row-look.ts';
import type { SessionEntry } from '../../../../src/session/entries.ts';
import { Outline } from '../../../../src/session/outline.ts';
import { SessionTree } from '../../../../src/session/session-tree.ts';
import { entryOf, treeOf } from '../../session/outline-support.ts';

describe('rows of the session tree', () => {
	const tree = treeOf(
		'm - model',
		'u1 m user',
		'a1 u1 ass c1',
		't1 a1 tool c1',
		'c t1 cmp',
		'u2 c user',
		'a2 u2 ass',
		'u3 c user',
		'o u3 odd',
	);
	const look = (outline: Outline, id: string, labels = new Map<string, string>()) =>
		rowLook(outline, tree, outline.rowOf(id)!, labels);

	it('marks the current entry by icon, words, flag and the turn that holds it', () => {
		const outline = new Outline(tree, 'a2');
		const current = look(outline, 'a2');
		assert.equal(current.icon, 'target');
		assert.equal(current.description, 'current');
		assert.match(current.spoken, /^Assistant: say a2, current/);
		assert.ok(current.flags.includes('current') && !current.flags.includes('movable'));
		assert.match(look(outline, 'u2').description, /^current turn · 1 step$/);
	});

	it('says in words what is not on the current path', () => {
		const outline = new Outline(tree, 'a2');
		const branch = outline.children().find(({ kind }) => kind === 'branch')!;
		const looks = rowLook(outline, tree, branch, new Map());
		assert.equal(looks.label, 'Branch: ask u3');
		assert.equal(looks.description, 'other branch · 2 entries');
		assert.match(looks.spoken, /not on the current path/);
		assert.match(look(outline, 'u3').description, /^other branch/);
		assert.ok(look(outline, 'u3').flags.includes('offPath'));
		assert.match(look(new Outline(tree, 'u1'), 'a1').description, /^after current/);
	});

	it('flags what a compaction may keep: rows of the context with messages before them', () => {
		const keepable = (leaf: string) =>
			[...tree.entries()]
				.map(({ id }) => id)
				.filter((id) => look(new Outline(tree, leaf), id).flags.includes('keepable'));
		// Before the compaction all is in the context; the first message has only a model change before it.
		assert.deepEqual(keepable('t1'), ['a1', 't1']);
		// This compaction keeps nothing of what came before.
		assert.deepEqual(keepable('a2'), ['a2']);
		const keeping = SessionTree.of(
			[...tree.entries()].map((entry) =>
				entry.type === 'compaction' ? { ...entry, firstKeptEntryId: 'a1' } : entry,
			),
		);
		const outline = new Outline(keeping, 'u2');
		const flagged = ['u1', 'a1', 't1', 'u2', 'a2', 'u3'].filter((id) =>
			rowLook(outline, keeping, outline.rowOf(id)!, new Map()).flags.includes('keepable'),
		);
		assert.deepEqual(flagged, ['t1', 'u2']);
		outline.moveLeaf('a1');
		assert.equal(outline.facts(outline.rowOf('a1')!).keepable, true);
	});

	it('shows a compaction with its tokens before and after', () => {
		const compaction = look(new Outline(tree, 'a2'), 'c');
		assert.equal(compaction.label, 'Compaction');
		assert.equal(compaction.description, '48k → 21k tokens');
		assert.match(compaction.spoken, /1 other branch follow/);
	});

	it('shows tool calls, results and entries of other tools', () => {
		const outline = new Outline(tree, 'a2');
		assert.equal(look(outline, 'a1').description, 'read');
		assert.equal(look(outline, 't1').label, 'read');
		assert.equal(look(outline, 'm').label, 'Model: p/m');
		assert.equal(look(outline, 'o').label, 'somebody_elses');
		assert.ok(look(outline, 'u1').flags.includes('user'));
		assert.ok(!look(outline, 'u1').flags.includes('movable'));
		assert.equal(look(outline, 'u1', new Map([['u1', 'here']])).description, 'here · 2 steps');
	});

	it('shows a branch summary with what it covers', () => {
		const withSummary = SessionTree.of([
			...tree.entries(),
			{
				...(entryOf('bs', 'b', 'c') as SessionEntry & { type: 'branch_summary' }),
				fromId: 'a2',
			},
		]);
		const outline = new Outline(withSummary, 'b');
		const summary = rowLook(outline, withSummary, outline.rowOf('b')!, new Map());
		assert.equal(summary.description, 'current · covers 2 entries of «ask u2»');
	});

	it('survives entries without what their type promises', () => {
		const bare = (type: string, id: string, more = {}) =>
			({ type, id, parentId: null, timestamp: 'no date', ...more }) as unknown as SessionEntry;
		const broken = SessionTree.of([
			bare('message', 'a'),
			bare('message', 'b', { message: {} }),
			bare('message', 'c', {
				message: { role: 'assistant', content: [null, { type: 'toolCall' }] },
			}),
			bare('message', 'd', { message: { role: 'user', content: null } }),
			bare('compaction', 'e'),
			bare('branch_summary', 'f'),
			bare('custom_message', 'g'),
			bare('label', 'h'),
			bare('model_change', 'i'),
			bare('session_info', 'j'),
			bare('message', 'k', { message: { role: 'bashExecution' } }),
			bare('message', 'l', { message: { role: 'toolResult' } }),
		]);
		const outline = new Outline(broken, 'a');
		for (const { id } of broken.entries()) {
			const { label } = rowLook(outline, broken, outline.rowOf(id)!, new Map());
			assert.ok(label.length > 0, id);
		}
	});

	it('writes tokens in short', () => {
		assert.deepEqual(
			[0, 950, 999.6, 1500, 9949, 9960, 48_120, 999_600, 1_250_000].map(shortTokens),
			['0', '950', '1000', '1.5k', '9.9k', '10k', '48k', '1M', '1.3M'],
		);
	});
});
