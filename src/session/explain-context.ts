/**
 * Coverage of a context: what became of each message on the way to a leaf. It is in the context, or in
 * the summary of a compaction, or it is left out for a reason that can be named (spec: coverage).
 */
import type { TokenCounter } from '../util/tokens.ts';
import {
	findContextStart,
	keptContextEntries,
	messagesOf,
	openingMessages,
	type ContextEntry,
} from './context.ts';
import { isFromExtension, type CompactionEntry, type SessionEntry } from './entries.ts';
import { isDamaged } from './entry-parse.ts';
import type { AgentMessage } from './messages.ts';
import { buildRequest, type LeftOutReason } from './request-builder.ts';

/**
 * Why an entry's message reaches neither model nor summarizer: what the request builder leaves out, and
 * - `edited`: a context edit omits it
 * - `reset`: oh-my-pi started the context anew after it
 * - `damaged`: its line cannot be read
 */
export type ExcludedReason = LeftOutReason | 'edited' | 'reset' | 'damaged';

/** Where the whole output of a pruned entry is. */
export type OriginalPlace = 'sidecar' | 'session' | 'gone';

export interface EntryCoverage {
	entryId: string;
	/** The message's role; the type of an entry that is no message. */
	role: string;
	/** `missing` means that nothing accounts for it: some tool lost it. */
	status: 'context' | 'summarized' | 'excluded' | 'missing';
	/** The compaction whose summary stands for it. */
	compactionId?: string;
	/** True where that compaction does not record what it covers (another tool's). */
	assumed?: boolean;
	reason?: ExcludedReason;
	/** Only its beginning and end are sent: it is larger than the window. */
	clipped?: boolean;
	/** A notice stands in its place; the whole output is there. */
	pruned?: OriginalPlace;
}

export interface ExplainOptions {
	/** Tokens that messages may take in a request (see `buildRequest`); nothing is clipped where absent. */
	room?: number | undefined;
	count?: TokenCounter | undefined;
	/** Where the original of a pruned entry is; undefined for one that is not pruned. */
	originalOf?: (entryId: string) => OriginalPlace | undefined;
}

/**
 * Says of each entry on a path (root first) that could hold something for a model what became of it.
 * Work grows with the path: this is for people who ask, not for each request.
 */
export function explainContext(
	path: readonly SessionEntry[],
	options: ExplainOptions = {},
): EntryCoverage[] {
	const found = new Map<SessionEntry, Found>();
	for (const part of summarizedParts(path))
		for (const [entry, reason] of accountOf(part.items))
			if (!found.has(entry))
				found.set(
					entry,
					reason
						? { status: 'excluded', reason }
						: {
								status: 'summarized',
								compactionId: part.compaction.id,
								...(part.assumed ? { assumed: true } : {}),
							},
				);
	const start = findContextStart(path);
	const kept = keptContextEntries(path, start);
	const clipped = new Set<SessionEntry>();
	for (const [entry, reason] of accountOf(kept, openingMessages(start), options, clipped))
		found.set(entry, reason ? { status: 'excluded', reason } : { status: 'context' });
	const lastReset = path.findLastIndex(({ type }) => type === 'reset_boundary');
	return path.flatMap((entry, index) => {
		const role = roleOf(entry);
		if (role === undefined) return [];
		const known = isDamaged(entry)
			? ({ status: 'excluded', reason: 'damaged' } as const)
			: (found.get(entry) ?? unaccounted(entry, index < lastReset));
		const pruned = options.originalOf?.(entry.id) ?? ownMark(entry);
		return [
			{
				entryId: entry.id,
				role,
				...known,
				...(clipped.has(entry) ? { clipped: true } : {}),
				...(pruned ? { pruned } : {}),
			},
		];
	});
}

type Found = Pick<EntryCoverage, 'status' | 'compactionId' | 'assumed' | 'reason'>;

/** The role shown for entries that can hold something for a model; undefined for the others. */
function roleOf(entry: SessionEntry): string | undefined {
	if (isDamaged(entry)) return 'damaged';
	if (entry.type === 'message') return entry.message.role;
	return entry.type === 'custom_message' || entry.type === 'branch_summary'
		? entry.type
		: undefined;
}

function unaccounted(entry: SessionEntry, beforeReset: boolean): Found {
	if (beforeReset) return { status: 'excluded', reason: 'reset' };
	if (entry.type === 'message' && entry.message.role === 'system')
		return { status: 'excluded', reason: 'system' };
	return { status: 'missing' };
}

/** A tool result that was pruned in its file says so itself. */
function ownMark(entry: SessionEntry): OriginalPlace | undefined {
	const isMarked = entry.type === 'message' && 'prunedAt' in entry.message;
	return isMarked ? 'gone' : undefined;
}

/** What a compaction summarized. */
interface SummarizedPart {
	compaction: CompactionEntry;
	items: ContextEntry[];
	/** The compaction does not record it: what it does not keep is taken for summarized. */
	assumed: boolean;
}

/** The part of the path that each of its compactions put into a summary, oldest first. */
function* summarizedParts(path: readonly SessionEntry[]): Generator<SummarizedPart> {
	const places = new Map(path.map(({ id }, place) => [id, place]));
	/** Where the context begins that the next compaction finds. */
	let windowStart = 0;
	let previous = -1;
	for (const [index, entry] of path.entries()) {
		if (entry.type === 'reset_boundary') {
			windowStart = index + 1;
			previous = -1;
		}
		if (entry.type !== 'compaction') continue;
		const items = keptContextEntries(path.slice(windowStart, index), {
			compaction: undefined,
			compactionIndex: previous - windowStart,
			firstKeptIndex: 0,
			unknownFirstKept: false,
		});
		const firstKept = places.get(entry.firstKeptEntryId) ?? index;
		const keepsSome = firstKept < index;
		// What a hook stores is in its own shape, whatever it is called.
		const recorded = isFromExtension(entry) ? undefined : recordedRange(entry, places, index);
		const [first, last] = recorded ?? [windowStart, (keepsSome ? firstKept : index) - 1];
		yield {
			compaction: entry,
			items: items.filter(({ entry: { id } }) => {
				const place = places.get(id) ?? -1;
				return place >= first && place <= last;
			}),
			assumed: recorded === undefined,
		};
		windowStart = keepsSome ? firstKept : index + 1;
		previous = index;
	}
}

/** The places of the range that a compaction of ours records; undefined where it records none. */
function recordedRange(
	{ details }: CompactionEntry,
	places: ReadonlyMap<string, number>,
	end: number,
): [number, number] | undefined {
	const covered = (details as { covered?: unknown } | null | undefined)?.covered;
	if (typeof covered !== 'object' || covered === null) return undefined;
	const { firstEntryId, lastEntryId } = covered as Record<string, unknown>;
	const first = typeof firstEntryId === 'string' ? places.get(firstEntryId) : undefined;
	const last = typeof lastEntryId === 'string' ? places.get(lastEntryId) : undefined;
	return first !== undefined && last !== undefined && first <= last && last < end
		? [first, last]
		: undefined;
}

/** Of each entry that has something for a model, why it is not in the request of these entries, if so. */
function accountOf(
	items: readonly ContextEntry[],
	opening: readonly AgentMessage[] = [],
	{ room, count }: ExplainOptions = {},
	clippedEntries = new Set<SessionEntry>(),
): [SessionEntry, ExcludedReason | undefined][] {
	const messages = [...opening, ...messagesOf(items)];
	const { leftOut, clipped } = buildRequest(messages, { room, count });
	return items.flatMap((item): [SessionEntry, ExcludedReason | undefined][] => {
		if (roleOf(item.entry) === undefined) return [];
		const { message } = item;
		if (!message) return [[item.entry, item.entry.type === 'branch_summary' ? 'empty' : 'edited']];
		if (clipped.has(message)) clippedEntries.add(item.entry);
		return [[item.entry, leftOut.get(message)]];
	});
}
