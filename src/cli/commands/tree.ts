/** `tree`: the entries of a session, one a line; only forks are indented. */
import { contentText } from '../../session/navigation.ts';
import type { SessionEntry } from '../../session/entries.ts';
import type { SessionManager } from '../../session/session-manager.ts';
import type { CommandLine } from '../arguments.ts';
import { openSession, type CommandOutput } from '../open.ts';

const TEXT_CHARACTERS = 80;
/** Deeper forks are not indented further: a screen is only so wide. */
const DEEPEST_INDENT = 30;

interface TreeLine {
	id: string;
	parentId: string | null;
	type: string;
	role?: string;
	text: string;
	label?: string;
	/** How many forks lie above. */
	depth: number;
	onActivePath: boolean;
}

export async function treeCommand({ file }: CommandLine): Promise<CommandOutput> {
	const manager = await openSession(file);
	const lines = treeLines(manager);
	const text = () =>
		lines.map((line) => {
			const mark = line.id === manager.leafId ? '●' : line.onActivePath ? '│' : ' ';
			const label = line.label === undefined ? '' : ` [${line.label}]`;
			return `${mark} ${'  '.repeat(Math.min(line.depth, DEEPEST_INDENT))}${line.id} ${line.role ?? line.type}${label} ${line.text}`;
		});
	return { json: { leafId: manager.leafId, entries: lines }, text: () => text().join('\n') };
}

function treeLines(manager: SessionManager): TreeLine[] {
	const { tree } = manager;
	const labels = manager.labels();
	const active = new Set(manager.getBranch().map(({ id }) => id));
	const lines: TreeLine[] = [];
	const open: { id: string; depth: number }[] = [];
	const push = (ids: readonly string[], depth: number) => {
		for (const id of ids.toReversed()) open.push({ id, depth });
	};
	push(tree.childrenOf(null), 0);
	for (let at = open.pop(); at; at = open.pop()) {
		const entry = tree.get(at.id);
		if (!entry) continue;
		const label = labels.get(entry.id);
		lines.push({
			id: entry.id,
			parentId: tree.parentOf(entry.id),
			type: entry.type,
			...(entry.type === 'message' ? { role: entry.message.role } : {}),
			text: clip(entryText(entry)),
			...(label === undefined ? {} : { label }),
			depth: at.depth,
			onActivePath: active.has(entry.id),
		});
		const children = tree.childrenOf(entry.id);
		push(children, at.depth + (children.length > 1 ? 1 : 0));
	}
	return lines;
}

function entryText(entry: SessionEntry): string {
	switch (entry.type) {
		case 'message':
			return 'content' in entry.message ? contentText(entry.message.content) : '';
		case 'compaction':
		case 'branch_summary':
			return entry.summary;
		case 'custom_message':
			return contentText(entry.content);
		default:
			return '';
	}
}

/** One line without control characters: session text must not steer a terminal. */
function clip(text: string): string {
	const line = text.slice(0, TEXT_CHARACTERS * 4).replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ');
	const characters = [...line.trim()];
	return characters.length > TEXT_CHARACTERS
		? `${characters.slice(0, TEXT_CHARACTERS).join('')}…`
		: characters.join('');
}
