/**
 * The entries of a session file: pi's JSONL format, version 3, with the fields that oh-my-pi adds.
 * Every entry has an opaque id and the id of its parent; together they form a tree.
 */
import type { ImageContent, SystemMessage, TextContent, Usage } from '../agent/messages.ts';
import type { AgentMessage } from './messages.ts';

export const SESSION_VERSION = 3;

export interface SessionHeader {
	type: 'session';
	/** Absent in version 1 files. */
	version?: number;
	id: string;
	/** ISO 8601. */
	timestamp: string;
	cwd: string;
	/** The file this session was forked or migrated from. */
	parentSession?: string;
	/** oh-my-pi's session title. */
	title?: string | undefined;
}

export interface EntryBase {
	type: string;
	id: string;
	/** Null for a root; several roots are legal. */
	parentId: string | null;
	/** ISO 8601. */
	timestamp: string;
}

export interface MessageEntry extends EntryBase {
	type: 'message';
	message: AgentMessage;
}

export interface ModelChangeEntry extends EntryBase {
	type: 'model_change';
	/** pi's shape. */
	provider?: string;
	modelId?: string;
	/** oh-my-pi's shape: "provider/id". */
	model?: string;
}

export interface ThinkingLevelChangeEntry extends EntryBase {
	type: 'thinking_level_change';
	thinkingLevel: string | null;
}

/** The inclusive range of path entries that went into a compaction's input. */
export interface CoveredRange {
	firstEntryId: string;
	lastEntryId: string;
	/** How many of them were messages. */
	messages: number;
}

/** Who wrote a summary, and how long it took. */
export interface SummarizerRecord {
	/** "offline" or the model's "provider/id". */
	name: string;
	durationMs: number;
	/** The summarizers that were tried before it and failed, in order; absent where none was. */
	failures?: SummarizerFailure[];
}

/** Why a summarizer made no summary. */
export interface SummarizerFailure {
	/** As in SummarizerRecord. */
	name: string;
	/** A word for programs, such as "auth" or "empty". */
	reason: string;
	/** A sentence for people, without secrets. */
	message: string;
}

export interface SummaryDetails {
	readFiles: string[];
	modifiedFiles: string[];
	summarizer?: SummarizerRecord;
}

export interface CompactionDetails extends SummaryDetails {
	covered?: CoveredRange;
	/** Hooks that failed, so that the summary was made without them. */
	hookFailures?: string[];
}

export interface BranchSummaryDetails extends SummaryDetails {
	/** How many abandoned entries the summary stands for. */
	coveredEntries?: number;
}

export interface CompactionEntry extends EntryBase {
	type: 'compaction';
	summary: string;
	shortSummary?: string;
	/** The first entry kept as it is; the compaction's own id means that none is. */
	firstKeptEntryId: string;
	tokensBefore: number;
	tokensAfter?: number;
	/** Ours is a CompactionDetails; other tools and extensions write what they like. */
	details?: unknown;
	preserveData?: unknown;
	usage?: Usage;
	fromExtension?: boolean;
	/** pi's name for fromExtension. */
	fromHook?: boolean;
	/** pi's prompt state at the boundary. */
	systemMessage?: SystemMessage;
}

export interface BranchSummaryEntry extends EntryBase {
	type: 'branch_summary';
	/** The leaf that was left. */
	fromId: string;
	summary: string;
	/** Ours is a BranchSummaryDetails. */
	details?: unknown;
	usage?: Usage;
	fromExtension?: boolean;
	fromHook?: boolean;
}

export interface CustomEntry extends EntryBase {
	type: 'custom';
	customType: string;
	data?: unknown;
}

export interface CustomMessageEntry extends EntryBase {
	type: 'custom_message';
	customType: string;
	content: string | (TextContent | ImageContent)[];
	display: boolean;
	details?: unknown;
}

export interface LabelEntry extends EntryBase {
	type: 'label';
	targetId: string;
	label?: string;
}

export interface SessionInfoEntry extends EntryBase {
	type: 'session_info';
	name?: string;
}

/** pi: replaces the content of an earlier entry in the context, or omits it (null). */
export interface ContextEditEntry extends EntryBase {
	type: 'context_edit';
	targetId: string;
	replacement: { content: string | (TextContent | ImageContent)[] } | null;
}

/** oh-my-pi: the context starts anew after this entry. */
export interface ResetBoundaryEntry extends EntryBase {
	type: 'reset_boundary';
}

export type KnownEntry =
	| MessageEntry
	| ModelChangeEntry
	| ThinkingLevelChangeEntry
	| CompactionEntry
	| BranchSummaryEntry
	| CustomEntry
	| CustomMessageEntry
	| LabelEntry
	| SessionInfoEntry
	| ContextEditEntry
	| ResetBoundaryEntry;

/**
 * An entry as read. A type not listed above is kept as it is and never contributes to the context;
 * code narrows with `entry.type`, whose unknown values match no case.
 */
export type SessionEntry = KnownEntry;

/** True where an extension or hook supplied the summary; pi and oh-my-pi name the flag differently. */
export function isFromExtension(entry: CompactionEntry | BranchSummaryEntry): boolean {
	return entry.fromExtension === true || entry.fromHook === true;
}
