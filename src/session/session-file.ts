/** Reads the lines of a session file into entries; migrates versions 1 and 2 in memory. */
import { createYielder } from '../util/async.ts';
import { UserError } from '../util/errors.ts';
import { SESSION_VERSION, type SessionEntry, type SessionHeader } from './entries.ts';

/** Something in the file that was repaired in memory or could not be shown. The file is untouched. */
export interface SessionWarning {
	kind: 'bad-line' | 'unknown-type' | 'missing-parent' | 'cycle' | 'duplicate-id' | 'unknown-kept';
	message: string;
	/** 1-based line in the file, where one line is meant. */
	line?: number;
	entryId?: string;
}

export interface ParsedSession {
	header: SessionHeader;
	entries: SessionEntry[];
	warnings: SessionWarning[];
	/** The version that the file states; 1 where it states none. */
	fileVersion: number;
}

/** The types of pi and oh-my-pi (upstream facts, section 1); others are kept and reported once. */
const KNOWN_TYPES = new Set([
	'message',
	'model_change',
	'thinking_level_change',
	'compaction',
	'branch_summary',
	'custom',
	'custom_message',
	'label',
	'session_info',
	'usage',
	'context_edit',
	'service_tier_change',
	'title_change',
	'ttsr_injection',
	'session_init',
	'mode_change',
	'reset_boundary',
	'credential_pin',
	'model_usage',
]);

type Json = Record<string, unknown>;

function isObject(value: unknown): value is Json {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseLine(line: string): Json | undefined {
	try {
		const value: unknown = JSON.parse(line);
		return isObject(value) ? value : undefined;
	} catch {
		// A damaged line costs only itself; the caller reports it.
		return undefined;
	}
}

/**
 * Parses a session. Damaged lines and unknown types become warnings.
 * @throws UserError('not-a-session') where no valid header is found; the file is not touched
 */
export async function parseSession(
	batches: AsyncIterable<string[]>,
	location: string,
): Promise<ParsedSession> {
	const records: { value: Json; line: number }[] = [];
	const warnings: SessionWarning[] = [];
	const pause = createYielder();
	let lineNumber = 0;
	for await (const batch of batches) {
		for (const text of batch) {
			lineNumber++;
			const line = lineNumber === 1 ? text.replace(/^\uFEFF/, '') : text;
			if (line.trim() === '') continue;
			const value = parseLine(line);
			if (value && typeof value.type === 'string') records.push({ value, line: lineNumber });
			else
				warnings.push({
					kind: 'bad-line',
					line: lineNumber,
					message: `Line ${lineNumber} is damaged and cannot be shown; it stays in the file.`,
				});
			await pause();
		}
	}
	// oh-my-pi writes a title slot before the header.
	if (records[0]?.value.type === 'title') records.shift();
	const header = readHeader(records.shift()?.value, location);
	const fileVersion = header.version ?? 1;
	const entries = readEntries(records, header.id, fileVersion, warnings);
	reportUnknownTypes(entries, warnings);
	return { header, entries, warnings, fileVersion };
}

function readHeader(value: Json | undefined, location: string): SessionHeader {
	if (value?.type !== 'session' || typeof value.id !== 'string')
		throw new UserError('not-a-session', `${location} is not a session file.`, {
			kept: 'Nothing was changed.',
			hint: 'A session file starts with a line of type "session".',
		});
	const version = typeof value.version === 'number' ? value.version : undefined;
	if (version !== undefined && version > SESSION_VERSION)
		throw new UserError(
			'newer-version',
			`${location} was written by a newer tool (session version ${version}).`,
			{ kept: 'Nothing was changed.', hint: 'Update Espalier to open it.' },
		);
	return {
		...value,
		type: 'session',
		id: value.id,
		timestamp: typeof value.timestamp === 'string' ? value.timestamp : '',
		cwd: typeof value.cwd === 'string' ? value.cwd : '',
		...(version === undefined ? {} : { version }),
	};
}

function readEntries(
	records: { value: Json; line: number }[],
	sessionId: string,
	fileVersion: number,
	warnings: SessionWarning[],
): SessionEntry[] {
	if (fileVersion < 2) migrateToIds(records, sessionId);
	const entries: SessionEntry[] = [];
	for (const { value, line } of records) {
		if (typeof value.id !== 'string' || value.id === '' || !hasValidBody(value)) {
			warnings.push({
				kind: 'bad-line',
				line,
				message: `Line ${line} is not a complete entry and cannot be shown; it stays in the file.`,
			});
			continue;
		}
		if (typeof value.parentId !== 'string') value.parentId = null;
		if (typeof value.timestamp !== 'string') value.timestamp = '';
		if (fileVersion < 3) renameHookMessage(value);
		entries.push(value as unknown as SessionEntry);
	}
	return entries;
}

/** The fields without which an entry of its type means nothing. */
function hasValidBody(value: Json): boolean {
	switch (value.type) {
		case 'message':
			return isObject(value.message) && typeof value.message.role === 'string';
		case 'compaction':
			return typeof value.summary === 'string' && typeof value.firstKeptEntryId === 'string';
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
 * Version 1 → 2: a linear chain gets ids, and a compaction's index of its first kept entry (which
 * counts the header) becomes that entry's id. Ids depend only on the session and the position, so
 * that every reading of the file gives the same ones.
 */
function migrateToIds(records: { value: Json; line: number }[], sessionId: string): void {
	const used = new Set<string>();
	let parentId: string | null = null;
	for (const [index, { value }] of records.entries()) {
		let id = stableId(`${sessionId}/${index}`);
		for (let salt = 1; used.has(id); salt++) id = stableId(`${sessionId}/${index}/${salt}`);
		used.add(id);
		value.id = id;
		value.parentId = parentId;
		parentId = id;
	}
	for (const { value } of records) {
		if (value.type !== 'compaction' || typeof value.firstKeptEntryIndex !== 'number') continue;
		const kept = records[value.firstKeptEntryIndex - 1]?.value;
		value.firstKeptEntryId = typeof kept?.id === 'string' ? kept.id : value.id;
		delete value.firstKeptEntryIndex;
	}
}

/** Version 2 → 3: the role hookMessage is called custom. */
function renameHookMessage(value: Json): void {
	if (value.type === 'message' && isObject(value.message) && value.message.role === 'hookMessage')
		value.message.role = 'custom';
}

/** Eight hex digits from a text (32-bit FNV-1a). */
function stableId(text: string): string {
	let hash = 0x811c9dc5;
	for (let i = 0; i < text.length; i++) {
		hash ^= text.charCodeAt(i);
		hash = Math.imul(hash, 0x01000193);
	}
	return (hash >>> 0).toString(16).padStart(8, '0');
}

function reportUnknownTypes(entries: SessionEntry[], warnings: SessionWarning[]): void {
	const counts = new Map<string, number>();
	for (const { type } of entries)
		if (!KNOWN_TYPES.has(type)) counts.set(type, (counts.get(type) ?? 0) + 1);
	for (const [type, count] of counts)
		warnings.push({
			kind: 'unknown-type',
			message: `${count} ${count === 1 ? 'entry' : 'entries'} of the unknown type "${type}" kept as they are.`,
		});
}
