/** Turns one line of a session file into an entry; migrates what older versions wrote. */
import { UserError } from '../util/errors.ts';
import type { SessionEntry } from './entries.ts';
import type { EntryHead } from './entry-head.ts';

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object that a line holds; undefined for a damaged line, which costs only itself. */
export function parseObject(line: string): Json | undefined {
	try {
		const value: unknown = JSON.parse(line);
		return isObject(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

/** What the tree needs of a parsed line; undefined where the line is no entry. */
export function headOfValue(value: Json): EntryHead | undefined {
	const { type, id, parentId, message } = value;
	if (typeof type !== 'string' || typeof id !== 'string' || id === '') return undefined;
	const role = type === 'message' && isObject(message) ? message.role : undefined;
	return {
		type,
		id,
		parentId: typeof parentId === 'string' ? parentId : null,
		role: typeof role === 'string' ? role : undefined,
	};
}

/**
 * The entry that a parsed line holds, version 2's names renamed; undefined where the fields are missing
 * without which an entry of its type means nothing.
 */
export function entryOfValue(value: Json, head: EntryHead): SessionEntry | undefined {
	if (!hasValidBody(value)) return undefined;
	const { message } = value;
	if (value.type === 'message' && isObject(message) && message.role === 'hookMessage')
		message.role = 'custom';
	value.id = head.id;
	value.parentId = head.parentId;
	if (typeof value.timestamp !== 'string') value.timestamp = '';
	// A compaction that names no first kept entry keeps none, as with one that cannot be found.
	if (value.type === 'compaction' && typeof value.firstKeptEntryId !== 'string')
		value.firstKeptEntryId = '';
	return value as unknown as SessionEntry;
}

const DAMAGED = 'damaged';

/** True for a gap: an entry whose line is damaged behind its head. */
export function isDamaged(entry: SessionEntry): boolean {
	return (entry.type as string) === DAMAGED;
}

/** Stands for an entry whose line is damaged behind its head: a gap that views can show. */
export function damagedEntry(id: string, parentId: string | null): SessionEntry {
	return { type: DAMAGED, id, parentId, timestamp: '' } as unknown as SessionEntry;
}

/** Stands for an entry whose line cannot be read now: its file is away, or in use. */
export function unreadableEntry(id: string): SessionEntry {
	return { ...damagedEntry(id, null), unreadable: true } as unknown as SessionEntry;
}

/**
 * Refuses to go on without an entry that only cannot be read now: a request or a copy would lack it.
 * @throws UserError('unreadable')
 */
export function requireReadable(entry: SessionEntry): SessionEntry {
	if (!('unreadable' in entry)) return entry;
	throw new UserError('unreadable', "The session's file cannot be read now.", {
		kept: 'Nothing was changed.',
		hint: 'Look whether it is in its place, and try again.',
	});
}

function hasValidBody(value: Json): boolean {
	switch (value.type) {
		case 'message':
			return isObject(value.message) && typeof value.message.role === 'string';
		case 'compaction':
			return typeof value.summary === 'string';
		case 'branch_summary':
			return typeof value.summary === 'string';
		case 'label':
		case 'context_edit':
			return typeof value.targetId === 'string';
		default:
			return true;
	}
}

/**
 * Version 1 has no ids: a linear chain gets some, which depend only on the session and the position, so
 * that every reading of the file gives the same ones.
 */
export function versionOneId(sessionId: string, index: number, isTaken: (id: string) => boolean) {
	let id = hashOf(`${sessionId}/${index}`);
	for (let salt = 1; isTaken(id); salt++) id = hashOf(`${sessionId}/${index}/${salt}`);
	return id;
}

/** A version 1 compaction names its first kept entry by an index that counts the header. */
export function migrateKeptIndex(value: Json, idAt: (index: number) => string | undefined): void {
	if (value.type !== 'compaction' || typeof value.firstKeptEntryIndex !== 'number') return;
	value.firstKeptEntryId = idAt(value.firstKeptEntryIndex - 1) ?? value.id;
	delete value.firstKeptEntryIndex;
}

/** Eight hex digits from a text (32-bit FNV-1a). */
function hashOf(text: string): string {
	let hash = 0x811c9dc5;
	for (let i = 0; i < text.length; i++) {
		hash ^= text.charCodeAt(i);
		hash = Math.imul(hash, 0x01000193);
	}
	return (hash >>> 0).toString(16).padStart(8, '0');
}
