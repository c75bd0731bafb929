/** Rows of branches: everything that follows one way of a fork which is not the way shown. */
import type { SessionEntry } from '../../session/entries.ts';
import { isUserMessage } from '../../session/entry-text.ts';
import type { SessionTree } from '../../session/session-tree.ts';
import {
	counted,
	joined,
	labelText,
	placeText,
	type RowLook,
	type RowSubject,
} from './row-look.ts';

/** How far a branch is searched for a text to name it by. */
const SEARCHED_ENTRIES = 20;

export function branchLook({ facts, entry, tree }: RowSubject): RowLook {
	const name = branchName(tree, entry);
	const entries = counted(facts.children, 'entry', 'entries');
	return {
		label: joined(['Branch', name], ': '),
		description: joined([placeText(facts.place), entries]),
		icon: 'git-branch',
		color: 'disabledForeground',
		flags: ['branch', 'offPath'],
		spoken: joined(['Branch', name, entries, 'not on the current path'], ', '),
		collapsible: true,
	};
}

/** The first user message of a branch, else the first text in it. */
export function branchName(tree: SessionTree, head: SessionEntry): string {
	let fallback = '';
	let at: SessionEntry | undefined = head;
	for (let searched = 0; at && searched < SEARCHED_ENTRIES; searched++) {
		const text = labelText(at);
		if (text !== '' && isUserMessage(at)) return text;
		fallback ||= text;
		const next: string | undefined = tree.childrenOf(at.id)[0];
		at = next === undefined ? undefined : tree.get(next);
	}
	return fallback;
}
