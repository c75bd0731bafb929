/** Small sessions for the outline's tests: entries from a few words each. */
import type { SessionEntry } from '../../../src/session/entries.ts';
import type { Outline } from '../../../src/session/outline.ts';
import { type Row } from '../../../src/session/outline.ts';
import { SessionTree } from '../../../src/session/session-tree.ts';

export type Word = 'user' | 'ass' | 'tool' | 'bash' | 'cmp' | 'bs' | 'model' | 'odd' | 'cmsg';

/** An entry of a kind; an `ass` calls the tools whose results are given ids `call`. */
export function entryOf(kind: Word, id: string, parentId: string | null, call = ''): SessionEntry {
	const base = { id, parentId, timestamp: '2026-01-02T03:04:05.000Z' };
	const message = (value: unknown) => ({ ...base, type: 'message', message: value });
	const made: Record<Word, () => unknown> = {
		user: () => message({ role: 'user', content: `ask ${id}`, timestamp: 1 }),
		ass: () =>
			message({
				role: 'assistant',
				provider: 'openai',
				model: 'm',
				stopReason: 'stop',
				content: [
					{ type: 'text', text: `say ${id}` },
					...(call
						? [{ type: 'toolCall', id: call, name: 'read', arguments: { path: 'a.ts' } }]
						: []),
				],
			}),
		tool: () =>
			message({
				role: 'toolResult',
				toolCallId: call,
				toolName: 'read',
				content: [{ type: 'text', text: 'out' }],
				isError: false,
			}),
		bash: () => message({ role: 'bashExecution', command: 'ls', output: 'x', exitCode: 0 }),
		cmp: () => ({
			...base,
			type: 'compaction',
			summary: `sum ${id}`,
			firstKeptEntryId: id,
			tokensBefore: 48000,
			tokensAfter: 21000,
		}),
		bs: () => ({ ...base, type: 'branch_summary', summary: `sum ${id}`, fromId: 'a' }),
		model: () => ({ ...base, type: 'model_change', provider: 'p', modelId: 'm' }),
		odd: () => ({ ...base, type: 'somebody_elses' }),
		cmsg: () => ({
			...base,
			type: 'custom_message',
			customType: 'auto',
			content: 'go on',
			display: true,
		}),
	};
	return made[kind]() as SessionEntry;
}

/** A tree from lines "id parent kind [call]"; "-" is no parent. */
export function treeOf(...lines: string[]): SessionTree {
	return SessionTree.of(
		lines.map((line) => {
			const [id = '', parent = '-', kind = 'user', call = ''] = line.split(' ');
			return entryOf(kind as Word, id, parent === '-' ? null : parent, call);
		}),
	);
}

/** The whole outline as indented ids, every "more" row followed until nothing is hidden. */
export function drawn(outline: Outline): string[] {
	return allRows(outline).map(({ row, depth }) => '  '.repeat(depth) + row.id);
}

/** Every row, top to bottom; pages are opened first. */
export function allRows(outline: Outline): { row: Row; depth: number; parent: Row | undefined }[] {
	const found: { row: Row; depth: number; parent: Row | undefined }[] = [];
	const open: { row: Row | undefined; depth: number; parent: Row | undefined }[] = [
		{ row: undefined, depth: -1, parent: undefined },
	];
	for (let at = open.pop(); at; at = open.pop()) {
		const { row, depth, parent } = at;
		if (row) found.push({ row, depth, parent });
		const below = wholeList(outline, row).map((child) => ({
			row: child,
			depth: depth + 1,
			parent: row,
		}));
		for (const child of below.reverse()) open.push(child);
	}
	return found;
}

function wholeList(outline: Outline, row: Row | undefined): Row[] {
	for (;;) {
		const rows = outline.children(row?.id);
		const more = rows.find(({ kind }) => kind === 'more');
		if (!more) return rows;
		outline.showMore(more);
	}
}
