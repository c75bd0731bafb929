/** What the session list says of a session, as plain texts. */
import { summaryProblem, type SessionSummary } from '../../session/session-summary.ts';
import type { SessionGroup } from '../../node/session-folders.ts';
import type { SessionRow } from '../../node/session-listing.ts';
import { clip } from '../../session/entry-text.ts';
import { counted, joined } from '../tree/row-look.ts';

/** Longer ones leave no room for when and how much. */
const LABEL_CHARACTERS = 50;
const DETAIL_CHARACTERS = 200;

const GROUP_TITLES: Record<SessionGroup | 'archived', string> = {
	workspace: 'This folder',
	'no-folder': 'Begun without a folder',
	pi: 'pi',
	omp: 'oh-my-pi',
	archived: 'Archived',
};

const GROUP_ORDER = ['workspace', 'no-folder', 'pi', 'omp', 'archived'] as const;

export interface SessionText {
	label: string;
	description: string;
	detail?: string;
}

/** The texts of a row. `now` in ms; `isShown` where the session is on show in this window. */
export function sessionText(
	{ summary, path }: Pick<SessionRow, 'summary' | 'path'>,
	now: number,
	isShown = false,
): SessionText {
	const { name, firstPrompt, parentSession, kind } = summary;
	const fallback = kind === 'session' ? '(no message yet)' : fileName(path);
	const label = clip(name ?? (firstPrompt || fallback), LABEL_CHARACTERS);
	const isForked = parentSession !== undefined && 'forked';
	const description = joined([
		isShown && 'on show',
		age(summary.modified, now),
		kind === 'session' && entryCount(summary),
		size(summary.bytes),
		isForked,
		summaryProblem(summary)?.replace(/\.$/, ''),
	]);
	const detail = clip(firstPrompt, DETAIL_CHARACTERS);
	return {
		label: plain(label),
		description: plain(description),
		...(detail && detail !== label ? { detail: plain(detail) } : {}),
	};
}

/** The rows by group, in the order and under the titles of the list; the order within is kept. */
export function groupedRows<T extends Pick<SessionRow, 'folder'>>(
	rows: readonly T[],
): { title: string; rows: T[] }[] {
	return GROUP_ORDER.map((group) => ({
		title: GROUP_TITLES[group],
		rows: rows.filter(({ folder }) => (folder.archived ? 'archived' : folder.group) === group),
	})).filter((group) => group.rows.length > 0);
}

/** How long ago something was, roughly. */
export function age(time: number, now: number): string {
	const minutes = (now - time) / 60_000;
	if (minutes < 1) return 'just now';
	if (minutes < 60) return `${Math.floor(minutes)} min ago`;
	const hours = minutes / 60;
	if (hours < 24) return `${Math.floor(hours)} h ago`;
	const days = hours / 24;
	if (days < 30) return `${counted(Math.floor(days), 'day')} ago`;
	return new Date(time).toISOString().slice(0, 10);
}

/** A size in bytes for people: 512 B, 48 KB, 1.2 MB. */
export function size(bytes: number): string {
	if (bytes < 1000) return `${bytes} B`;
	const units = ['KB', 'MB', 'GB'];
	let value = bytes / 1000;
	let unit = 0;
	for (; value >= 999.5 && unit < units.length - 1; unit++) value /= 1000;
	return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

function entryCount({ entries, exact }: SessionSummary): string {
	if (exact) return counted(entries, 'entry', 'entries');
	// Two figures: an estimate is not better than that.
	return `about ${counted(Number(entries.toPrecision(2)), 'entry', 'entries')}`;
}

function fileName(path: string): string {
	return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** Keeps `$(name)` in somebody's words from being drawn as an icon: an invisible mark parts it. */
function plain(text: string): string {
	return text.replaceAll('$(', '$\u2060(');
}
