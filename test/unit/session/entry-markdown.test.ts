import assert from 'node:assert/strict';
import type { SessionEntry } from '../../../src/session/entries.ts';
import { entryDocument } from '../../../src/session/entry-markdown.ts';
import { entryOf } from './outline-support.ts';

describe('documents of entries', () => {
	it('are Markdown for messages and summaries, JSON for what is not known', () => {
		assert.match(
			entryDocument(entryOf('user', 'u', null)).text,
			/^# User message\n\n.*\n\nask u\n$/,
		);
		const assistant = entryDocument(entryOf('ass', 'a', null, 'c1'));
		assert.match(assistant.text, /say a\n\n## Calls read\n\n```json\n\{\n {2}"path": "a\.ts"/);
		assert.match(
			entryDocument(entryOf('tool', 't', null, 'c1')).text,
			/# Result of read[^]*```\nout\n```/,
		);
		const odd = entryDocument(entryOf('odd', 'o', null));
		assert.equal(odd.language, 'json');
		assert.equal((JSON.parse(odd.text) as { type: string }).type, 'somebody_elses');
	});

	it('of a summary hold all of it and its files', () => {
		const summary = 'x\n'.repeat(10_000);
		const entry = {
			...entryOf('cmp', 'c', null),
			summary,
			details: { readFiles: ['a.ts'], modifiedFiles: [] },
		} as SessionEntry;
		const { text, title } = entryDocument(entry);
		assert.equal(title, 'Compaction');
		assert.ok(text.includes(summary.trim()));
		assert.match(text, /Tokens before: 48000, after: 21000/);
		assert.match(text, /## Files read\n\n```\na\.ts\n```/);
	});

	it('survive damaged entries', () => {
		for (const type of ['message', 'compaction', 'branch_summary', 'custom_message', 'label'])
			for (const message of [
				undefined,
				null,
				{},
				{ role: 'assistant', content: [null] },
				{ role: 'user' },
			]) {
				const entry = { type, id: 'x', parentId: null, timestamp: '', message } as never;
				assert.ok(entryDocument(entry).text.length > 0);
			}
	});
});
