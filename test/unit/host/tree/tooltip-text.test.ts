import assert from 'node:assert/strict';
import { entryTooltip } from '../../../../src/host/tree/tooltip-text.ts';
import type { SessionEntry } from '../../../../src/session/entries.ts';
import { SessionTree } from '../../../../src/session/session-tree.ts';
import { entryOf, treeOf } from '../../session/outline-support.ts';

const format = { date: (timestamp: string) => `<${timestamp.slice(0, 10)}>` };

describe('tooltips of the session tree', () => {
	const history = [
		...treeOf('u1 - user', 'a1 u1 ass', 'u2 a1 user', 'a2 u2 ass', 'u3 a2 user').entries(),
	];

	function compaction(fields: Record<string, unknown>, parentId = 'u3'): string {
		const entry = { ...entryOf('cmp', 'c', parentId), ...fields };
		return entryTooltip(SessionTree.of([...history, entry]), entry, format);
	}

	it('tells of a compaction what a person asks: tokens, coverage, files, author, date, summary', () => {
		const text = compaction({
			summary: '## Goal\n\nPort it\n\n<read-files>\nsrc/b.ts\n</read-files>',
			tokensBefore: 48_120,
			tokensAfter: 21_300,
			details: {
				readFiles: ['src/b.ts'],
				modifiedFiles: ['src/a.ts'],
				covered: { firstEntryId: 'u1', lastEntryId: 'a2', messages: 4 },
				summarizer: { name: 'openai/gpt-4o', durationMs: 3 },
			},
		});
		assert.deepEqual(text.split(/ {2}\n|\n\n/), [
			'**Compaction** · 48,120 → 21,300 tokens',
			'covers 4 messages, from «ask u1» to «ask u2»',
			'&lt;2026\\-01\\-02\\> · by openai/gpt\\-4o in 0.0 s',
			'Files read (1): `src/b.ts`',
			'Files modified (1): `src/a.ts`',
			'---',
			'## Goal',
			'Port it',
		]);
	});

	it('says what is assumed of a compaction that another tool made', () => {
		const text = compaction({ firstKeptEntryId: 'u3', tokensAfter: undefined, fromHook: true });
		assert.match(text, /covers 4 messages.*\(assumed: everything before the kept entries\)/);
		assert.match(text, /48,000 → about \d+ tokens/);
		assert.match(text, /by an extension/);
	});

	it('says what was tried before, as plain text', () => {
		const text = compaction({
			details: {
				summarizer: {
					name: 'offline',
					durationMs: 1250,
					failures: [
						{ name: 'remote/host', reason: 'server', message: '[x](command:y) is down' },
						3,
					],
				},
				hookFailures: ['a hook: broken', null],
			},
		});
		assert.match(text, /by offline summarizer in 1.3 s/);
		assert.match(text, /Failed before: remote\/host\\: \\\[x\\\]\\\(command\\:y\\\) is down/);
		assert.match(text, /Failed before: a hook\\: broken/);
	});

	it('lists at most 20 files and how many more', () => {
		const readFiles = Array.from({ length: 50 }, (_, n) => `f${n}`);
		const text = compaction({ details: { readFiles, modifiedFiles: [] } });
		assert.match(text, /Files read \(50\): `f0`, .*`f19` and 30 more\n/);
		assert.doesNotMatch(text, /Files modified/);
	});

	it('tells of a branch summary what it covers and by whom it was written', () => {
		const entry = {
			...entryOf('bs', 'b', 'a1'),
			fromId: 'u3',
			summary: 'Tried a regex.',
			details: {
				readFiles: [],
				modifiedFiles: [],
				coveredEntries: 3,
				summarizer: { name: 'offline' },
			},
		} as SessionEntry;
		const text = entryTooltip(SessionTree.of([...history, entry]), entry, format);
		assert.match(text, /^\*\*Branch summary\*\*/);
		assert.match(text, /covers 3 entries of a branch that was left, from «ask u2» to «ask u3»/);
		assert.match(text, /by offline summarizer/);
		assert.match(text, /\n\nTried a regex\.$/);
	});

	it('clips long summaries and messages at a line, and never inside a code block', () => {
		const long = compaction({ summary: `\`\`\`\n${'a line of code\n'.repeat(5000)}` });
		assert.ok(long.length < 6600);
		assert.match(long, /a line of code\n````?\n\n… \(open the entry for all of it\)$/);
		const entry = entryOf('user', 'x', null);
		(entry as { message: { content: string } }).message.content = `<b>${'x'.repeat(1_000_000)}`;
		const hover = entryTooltip(SessionTree.of([entry]), entry, format);
		assert.ok(hover.length < 1500);
		assert.ok(!hover.includes('<b>'));
	});

	it('shows what tools print as code, and what messages call', () => {
		const tree = treeOf('u - user', 'a u ass c1', 't a tool c1', 'o t odd', 's o bash');
		const of = (id: string) => entryTooltip(tree, tree.get(id)!, format);
		assert.match(of('t'), /^\*\*Result of read\*\*.*\n\n```\nout\n```$/);
		assert.match(
			of('a'),
			/^\*\*Assistant\*\* · about \d+ tokens · openai\/m · .*\n\nsay a\n\nCalls `read a\.ts`$/,
		);
		assert.match(of('o'), /^\*\*somebody\\_elses\*\*[^]*"type": "somebody_elses"/);
		assert.match(of('s'), /^\*\*`ls`\*\*/);
	});

	it('survives damaged entries', () => {
		for (const fields of [{}, { message: { role: 'assistant', content: 5 } }, { message: null }])
			for (const type of ['message', 'compaction', 'branch_summary', 'custom_message', 'label']) {
				const entry = { type, id: 'x', parentId: null, timestamp: '', ...fields } as never;
				assert.ok(entryTooltip(SessionTree.of([entry]), entry, format).length > 0);
			}
	});
});
