/** Pages of the chat: what is shown of which entry, and how little is touched for it. */
import assert from 'node:assert/strict';
import { appendedItems, chatPage, type EntrySource } from '../../../../src/host/chat/chat-page.ts';
import type { AssistantItem, ChatItem } from '../../../../src/protocol/chat-item.ts';
import type { SessionEntry } from '../../../../src/session/entries.ts';
import { SessionTree } from '../../../../src/session/session-tree.ts';

/** Entries in a row, each the parent of the next; fields as they would stand in a file. */
function chain(...records: Record<string, unknown>[]): SessionEntry[] {
	return records.map((record, index) => ({
		id: `e${index}`,
		parentId: index === 0 ? null : `e${index - 1}`,
		timestamp: '2026-01-01T00:00:00.000Z',
		...record,
	})) as unknown as SessionEntry[];
}

const message = (value: Record<string, unknown>) => ({ type: 'message', message: value });
const user = (text: string) => message({ role: 'user', content: [{ type: 'text', text }] });
const answer = (text: string, ...calls: string[]) =>
	message({
		role: 'assistant',
		model: 'm',
		stopReason: calls.length > 0 ? 'toolUse' : 'stop',
		content: [
			{ type: 'text', text },
			...calls.map((id) => ({
				type: 'toolCall',
				id,
				name: 'read',
				arguments: { path: `src/${id}.ts`, limit: 3 },
			})),
		],
	});
const result = (toolCallId: string, text: string, isError = false) =>
	message({
		role: 'toolResult',
		toolCallId,
		toolName: 'read',
		content: [{ type: 'text', text }],
		isError,
	});

function page(entries: SessionEntry[], limit = 50) {
	const tree = SessionTree.of(entries);
	return chatPage(tree, entries.at(-1)?.id ?? null, limit);
}

function tools(item: ChatItem | undefined) {
	return (item as AssistantItem).parts.flatMap((part) => (part.type === 'tool' ? [part] : []));
}

describe('chat items', () => {
	it('shows messages and summaries, and no metadata', () => {
		const entries = chain(
			{ type: 'model_change', provider: 'p', modelId: 'm' },
			{ type: 'message', message: { role: 'system', content: 'secret' } },
			user('hi'),
			answer('hello'),
			{ type: 'label', targetId: 'e2', label: 'x' },
			{
				type: 'compaction',
				summary: '## Goal',
				shortSummary: 'Short',
				firstKeptEntryId: 'e2',
				tokensBefore: 128_000,
				tokensAfter: 21_000,
				details: {
					readFiles: ['a.ts', 7],
					modifiedFiles: ['b.ts'],
					summarizer: { name: 'offline', durationMs: 3 },
				},
			},
			{ type: 'branch_summary', fromId: 'e3', summary: 'left', details: { coveredEntries: 12 } },
			{ type: 'custom_message', customType: 'memo', content: 'shown', display: true },
			{ type: 'custom_message', customType: 'memo', content: 'not shown', display: false },
			{ type: 'custom', customType: 'state', data: {} },
			{ type: 'thinking_level_change', thinkingLevel: 'high' },
			{ type: 'something_new', text: 'unknown' },
			message({
				role: 'bashExecution',
				command: 'npm test',
				output: 'ok',
				exitCode: 2,
				cancelled: false,
				truncated: false,
				excludeFromContext: true,
			}),
		);
		const { items, earlier } = page(entries);
		assert.equal(earlier, 0);
		assert.deepEqual(
			items.map(({ kind }) => kind),
			['user', 'assistant', 'compaction', 'branchSummary', 'note', 'bash'],
		);
		assert.deepEqual(items[2], {
			kind: 'compaction',
			id: 'e5',
			shortSummary: 'Short',
			summary: { text: '## Goal', cut: 0 },
			tokensBefore: 128_000,
			tokensAfter: 21_000,
			files: { read: ['a.ts'], modified: ['b.ts'], more: 0 },
			summarizer: 'offline',
		});
		assert.deepEqual(items[3], {
			kind: 'branchSummary',
			id: 'e6',
			fromId: 'e3',
			summary: { text: 'left', cut: 0 },
			coveredEntries: 12,
			files: { read: [], modified: [], more: 0 },
			summarizer: null,
		});
		assert.deepEqual(items[5], {
			kind: 'bash',
			id: 'e12',
			command: 'npm test',
			output: { text: 'ok', cut: 0 },
			outcome: 'exit code 2',
			inContext: false,
		});
	});

	it('folds results into their calls, over other entries between them', () => {
		const { items } = page(
			chain(
				user('go'),
				answer('looking', 'c1', 'c2', 'c3'),
				result('c2', 'second'),
				{ type: 'custom_message', customType: 'memo', content: 'between', display: true },
				result('c1', 'first', true),
			),
		);
		assert.deepEqual(
			items.map(({ kind }) => kind),
			['user', 'assistant', 'note'],
		);
		const [c1, c2, c3] = tools(items[1]);
		assert.equal(c1?.summary, 'src/c1.ts');
		assert.equal(c1?.result?.outcome, 'failed');
		assert.equal(c2?.result?.text.text, 'second');
		assert.equal(c3?.result, null);
	});

	it('shows a result without its call in its own place', () => {
		const { items } = page(chain(user('go'), result('lost', 'found'), user('on')));
		assert.deepEqual(
			items.map(({ kind, id }) => `${kind} ${id}`),
			['user e0', 'looseResult e1', 'user e2'],
		);
	});

	it('says how an answer ended', () => {
		const ended = (stopReason: string, errorMessage?: string) =>
			page(chain(message({ role: 'assistant', content: [], stopReason, errorMessage }))).items[0];
		assert.partialDeepStrictEqual(ended('error', 'The server said no.'), {
			status: 'error',
			error: 'The server said no.',
		});
		assert.partialDeepStrictEqual(ended('aborted'), { status: 'aborted', error: null });
		assert.partialDeepStrictEqual(ended('length'), { status: 'cut' });
		assert.partialDeepStrictEqual(ended('stop'), { status: 'complete' });
	});

	it('cuts long texts, says by how much, and never halves a character', () => {
		const { items } = page(chain(user(`${'x'.repeat(19_999)}😀${'y'.repeat(30)}`)));
		assert.partialDeepStrictEqual(items[0], { text: { text: 'x'.repeat(19_999), cut: 32 } });
	});

	it('shows what it can of damaged entries', () => {
		const { items } = page(
			chain(
				{ type: 'message' },
				message({ role: 'user' }),
				message({
					role: 'user',
					content: [null, 5, { type: 'text' }, { type: 'text', text: 'a' }],
				}),
				message({ role: 'assistant', content: 'text', stopReason: 'stop' }),
				message({ role: 'assistant', content: [{ type: 'toolCall' }, { type: 'thinking' }] }),
				message({ role: 'toolResult' }),
				message({ role: 'bashExecution' }),
				message({ role: 'hologram', content: 'x' }),
				{ type: 'compaction', details: 'x', tokensBefore: 'many' },
				{ type: 'branch_summary', details: { readFiles: 'x' } },
			),
		);
		assert.deepEqual(
			items.map(({ kind }) => kind),
			[
				'user',
				'user',
				'assistant',
				'assistant',
				'looseResult',
				'bash',
				'compaction',
				'branchSummary',
			],
		);
	});
});

describe('chat pages', () => {
	const long = chain(...Array.from({ length: 10_000 }, (_, index) => user(`m${index}`)));

	it('touches only what the page shows', () => {
		const tree = SessionTree.of(long);
		let read = 0;
		let steps = 0;
		const source: EntrySource = {
			get: (id) => (read++, tree.get(id)),
			parentOf: (id) => (steps++, tree.parentOf(id)),
		};
		const { items, earlier } = chatPage(source, 'e9999', 50);
		assert.equal(items.length, 50);
		assert.equal(items.at(-1)?.id, 'e9999');
		assert.equal(earlier, 1000);
		assert.equal(read, 50);
		assert.ok(steps <= 1050);
	});

	it('follows page after page to the beginning, each item once', () => {
		const entries = chain(
			...Array.from({ length: 40 }, (_, turn) => [
				user(`q${turn}`),
				answer('a', `c${turn}`, `d${turn}`),
				result(`c${turn}`, 'r'),
				result(`d${turn}`, 'r'),
			]).flat(),
		);
		const tree = SessionTree.of(entries);
		const seen: ChatItem[] = [];
		let at = entries.at(-1)?.id ?? null;
		for (;;) {
			const { items, earlier } = chatPage(tree, at, 7);
			seen.unshift(...items);
			if (earlier === 0) break;
			at = tree.parentOf(items[0]?.id ?? '');
		}
		assert.equal(seen.length, 80);
		assert.equal(new Set(seen.map(({ id }) => id)).size, 80);
		for (const item of seen)
			if (item.kind === 'assistant') assert.ok(tools(item).every((t) => t.result));
	});

	it('is empty for the empty conversation', () => {
		assert.deepEqual(chatPage(SessionTree.of(long), null, 50), { items: [], earlier: 0 });
	});
});

describe('appended items', () => {
	it('gives the answer anew with the results that are there', () => {
		const entries = chain(
			user('go'),
			answer('x', 'c1', 'c2'),
			result('c1', 'one'),
			result('c2', 'two'),
		);
		const tree = SessionTree.of(entries);
		const [item, ...others] = appendedItems(tree, entries[3] as SessionEntry);
		assert.equal(others.length, 0);
		assert.equal(item?.id, 'e1');
		assert.deepEqual(
			tools(item).map(({ result: found }) => found?.text.text),
			['one', 'two'],
		);
		assert.deepEqual(
			appendedItems(tree, entries[0] as SessionEntry).map(({ kind }) => kind),
			['user'],
		);
	});
});
