/** How a row looks, as plain data: what the files of each kind give and `tree-item.ts` turns into an item. */
import type { SessionEntry } from '../../session/entries.ts';
import type { Row, RowFacts, RowPlace } from '../../session/outline.ts';
import type { SessionTree } from '../../session/session-tree.ts';
import { entryText, firstLine, imageParts, isUserMessage } from '../../session/entry-text.ts';

export interface RowLook {
	label: string;
	description: string;
	/** A product icon, and a theme colour that only repeats what icon and text say. */
	icon: string;
	color?: string;
	/** Flags for `when` clauses (`viewItem =~ /\bflag\b/`). */
	flags: string[];
	/** What a screen reader says. */
	spoken: string;
	collapsible: boolean;
}

/** What a row's look is made from. */
export interface RowSubject {
	row: Row;
	facts: RowFacts;
	/** The entry shown; of a branch its first entry. */
	entry: SessionEntry;
	tree: SessionTree;
	/** The label that a person gave the entry. */
	label?: string | undefined;
}

const LABEL_LENGTH = 100;

const PLACE_TEXT: Record<RowPlace, string> = {
	current: 'current',
	holdsCurrent: 'holds the current entry',
	onPath: '',
	ahead: 'after current',
	otherBranch: 'other branch',
};

/** The icon of the current entry, whatever its kind. */
const CURRENT_ICON = 'target';

/** Where a row is, in words; empty for the plain way to the current entry. */
export function placeText(place: RowPlace): string {
	return PLACE_TEXT[place];
}

/** Icon and colour of a row: the current entry has an icon of its own, the way to it a colour. */
export function placedIcon(place: RowPlace, icon: string): Pick<RowLook, 'icon' | 'color'> {
	if (place === 'current') return { icon: CURRENT_ICON, color: 'charts.green' };
	if (place === 'holdsCurrent' || place === 'onPath') return { icon, color: 'charts.blue' };
	return { icon, color: 'disabledForeground' };
}

/** The flags of a row that shows an entry. */
export function entryFlags({ facts, entry, label }: RowSubject, ...more: string[]): string[] {
	const flags = ['entry', ...more];
	const { place } = facts;
	flags.push(place === 'ahead' || place === 'otherBranch' ? 'offPath' : 'onPath');
	if (place === 'current') flags.push('current');
	else if (!isEditable(entry)) flags.push('movable');
	if (isUserMessage(entry)) flags.push('user');
	if (facts.keepable) flags.push('keepable');
	if (label) flags.push('labelled');
	return flags;
}

/** Going to a user or custom message means editing it (spec: navigation targets). */
function isEditable(entry: SessionEntry): boolean {
	if (entry.type === 'custom_message') return true;
	if (entry.type !== 'message') return false;
	return entry.message?.role === 'user' || entry.message?.role === 'custom';
}

/** The first line of an entry's text, for a label. */
export function labelText(entry: SessionEntry): string {
	const text = firstLine(entryText(entry), LABEL_LENGTH);
	if (text !== '' || entry.type !== 'message') return text;
	const content = (entry.message as { content?: unknown } | undefined)?.content;
	return imageParts(content).length > 0 ? '(image)' : '';
}

/** Joins what is there of a description or a spoken text. */
export function joined(parts: readonly (string | false | undefined)[], separator = ' · '): string {
	return parts.filter(Boolean).join(separator);
}

/** Made once: making one for each number costs more than all else about a row. */
const numbers = new Intl.NumberFormat('en');

/** A number with its thousands apart. */
export function grouped(value: number): string {
	return numbers.format(value);
}

/** "1 step", "12 steps". */
export function counted(count: number, one: string, many = `${one}s`): string {
	return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** Tokens for a description: 950, 9.5k, 48k, 1.2M. */
export function shortTokens(tokens: number): string {
	if (tokens < 1000) return String(Math.round(tokens));
	const [value, unit] = tokens < 999_500 ? [tokens / 1000, 'k'] : [tokens / 1e6, 'M'];
	return `${value < 9.95 ? String(Math.round(value * 10) / 10) : Math.round(value)}${unit}`;
}
