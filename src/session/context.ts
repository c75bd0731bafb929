/**
 * The context of a leaf: which entries of its path a model sees, and as which messages. Faithful to
 * the file and equal to pi's on well-formed files; repairs belong to the request builder.
 */
import { ContextEntries } from './context-entries.ts';
import type { CompactionEntry, SessionEntry } from './entries.ts';
import type { AgentMessage } from './messages.ts';
import { soundMessage } from './sound-message.ts';
import { SessionTree } from './session-tree.ts';

/** One entry of the context with the message that it contributes (none for metadata). */
export interface ContextEntry {
	entry: SessionEntry;
	message: AgentMessage | undefined;
}

export interface SessionContext {
	messages: AgentMessage[];
	/** The thinking level in force at the leaf. */
	thinkingLevel: string;
	/** The model in force at the leaf; null where the path names none. */
	model: { provider: string; modelId: string } | null;
}

/** Where the context of a path begins. */
export interface ContextStart {
	/** The compaction whose summary opens the context, if one does. */
	compaction: CompactionEntry | undefined;
	/** Its place on the path; -1 without one. */
	compactionIndex: number;
	/** Place of the first path entry that is kept as it is. */
	firstKeptIndex: number;
	/** The compaction names a first kept entry that is not on the path before it. */
	unknownFirstKept: boolean;
	/** No entry after the compaction (of the context, without one) edits another; not known where absent. */
	isUnedited?: boolean;
}

/**
 * Finds where the context of a path begins: at the newest compaction's first kept entry, or after a
 * later oh-my-pi reset boundary, or at the root.
 */
export function findContextStart(path: readonly SessionEntry[]): ContextStart {
	let isUnedited = true;
	for (let index = path.length - 1; index >= 0; index--) {
		const entry = path[index];
		// Nearly all are messages, and there may be very many of them.
		if (!entry || entry.type === 'message') continue;
		if (entry.type === 'context_edit') isUnedited = false;
		if (entry.type === 'reset_boundary') return startAfter(index, isUnedited);
		if (entry.type !== 'compaction') continue;
		// Its own id is pi's way to keep none; an id that is not found keeps none either. It mostly lies near.
		let keptIndex = index;
		while (keptIndex >= 0 && path[keptIndex]?.id !== entry.firstKeptEntryId) keptIndex--;
		const found = keptIndex >= 0;
		return {
			compaction: entry,
			compactionIndex: index,
			firstKeptIndex: found && keptIndex < index ? keptIndex : index + 1,
			unknownFirstKept: !found,
			isUnedited,
		};
	}
	return startAfter(-1, isUnedited);
}

function startAfter(index: number, isUnedited: boolean): ContextStart {
	return {
		compaction: undefined,
		compactionIndex: -1,
		firstKeptIndex: index + 1,
		unknownFirstKept: false,
		isUnedited,
	};
}

/**
 * The kept part of a path's context, oldest first: every entry from the context's start on, with
 * the message it contributes. The opening summary is not among them (see `openingMessages`).
 */
export function keptContextEntries(
	path: readonly SessionEntry[],
	start: ContextStart = findContextStart(path),
): ContextEntry[] {
	const entries = new ContextEntries(path, start);
	const items: ContextEntry[] = [];
	for (let place = entries.from; place < entries.end; place++) {
		const entry = entries.entryAt(place);
		if (entry) items.push({ entry, message: entries.messageAt(place) });
	}
	return items;
}

/** The messages of context entries, oldest first. */
export function messagesOf(items: readonly ContextEntry[]): AgentMessage[] {
	const messages: AgentMessage[] = [];
	for (const { message } of items) if (message) messages.push(message);
	return messages;
}

/** The messages that stand for what the newest compaction summarized; none without one. */
export function openingMessages(start: ContextStart): AgentMessage[] {
	const { compaction } = start;
	if (!compaction) return [];
	const summary: AgentMessage = {
		role: 'compactionSummary',
		summary: compaction.summary,
		tokensBefore: compaction.tokensBefore,
		timestamp: Date.parse(compaction.timestamp),
	};
	const { systemMessage } = compaction;
	// Files are not validated: anything may stand here.
	return systemMessage?.role === 'system' ? [soundMessage(systemMessage), summary] : [summary];
}

/** Builds the context of a path that is already known (root first). */
export function buildPathContext(path: readonly SessionEntry[]): SessionContext {
	const start = findContextStart(path);
	const messages = contextMessages(start, new ContextEntries(path, start));
	return { messages, ...pathSettings(path) };
}

/** The opening summary, and what follows it. */
export function contextMessages(start: ContextStart, kept: ContextEntries): AgentMessage[] {
	const { compaction } = start;
	if (!compaction) return kept.messages();
	const isOmitted = kept.editOf(compaction.id)?.replacement === null;
	return [...(isOmitted ? [] : openingMessages(start)), ...kept.messages()];
}

/** Builds the context of a leaf, reading no more of the tree than it takes. */
export function buildTreeContext(tree: SessionTree, leafId: string | null): SessionContext {
	return treeContext(tree, leafId, tree.contextPathTo(leafId));
}

/** The same, giving the thread away while it reads: a context can be of any size. */
export async function readTreeContext(
	tree: SessionTree,
	leafId: string | null,
): Promise<SessionContext> {
	return treeContext(tree, leafId, await tree.readContextPathTo(leafId));
}

function treeContext(
	tree: SessionTree,
	leafId: string | null,
	contextPath: readonly SessionEntry[],
): SessionContext {
	const { messages } = buildPathContext(contextPath);
	// The newest entry of each kind decides, so that the walk ends early.
	const settings = [
		...first(tree.upFrom(leafId, (type) => type === 'thinking_level_change')),
		...first(
			tree.upFrom(leafId, (type, role) => type === 'model_change' || role === 'assistant'),
			(entry) => modelOf(entry) !== null,
		),
	];
	return { messages, ...pathSettings(settings) };
}

function first(
	entries: Iterable<SessionEntry>,
	test: (entry: SessionEntry) => boolean = () => true,
): SessionEntry[] {
	for (const entry of entries) if (test(entry)) return [entry];
	return [];
}

/** Thinking level and model come from the whole path, whatever was compacted. */
function pathSettings(path: readonly SessionEntry[]): Omit<SessionContext, 'messages'> {
	let thinkingLevel = 'off';
	let model: SessionContext['model'] = null;
	for (const entry of path) {
		if (entry.type === 'thinking_level_change')
			thinkingLevel = typeof entry.thinkingLevel === 'string' ? entry.thinkingLevel : 'off';
		else model = modelOf(entry) ?? model;
	}
	return { thinkingLevel, model };
}

/** The model that an entry names; null where it names none. */
function modelOf(entry: SessionEntry): SessionContext['model'] {
	if (entry.type === 'model_change') return modelOfChange(entry);
	if (entry.type !== 'message' || entry.message.role !== 'assistant') return null;
	const { provider, model } = entry.message;
	return modelOfChange({ provider, modelId: model });
}

/** Reads both shapes of a model change: pi's two fields and oh-my-pi's "provider/id". */
export function modelOfChange(entry: {
	provider?: string;
	modelId?: string;
	model?: string;
}): SessionContext['model'] {
	if (typeof entry.provider === 'string' && typeof entry.modelId === 'string')
		return { provider: entry.provider, modelId: entry.modelId };
	// Files are not validated: anything may stand here.
	const slash = typeof entry.model === 'string' ? entry.model.indexOf('/') : -1;
	if (!entry.model || slash < 0) return null;
	return { provider: entry.model.slice(0, slash), modelId: entry.model.slice(slash + 1) };
}

/**
 * Builds the context of a leaf from a plain list of entries, as pi does: null gives an empty
 * context, an unknown or absent leaf means the last entry.
 */
export function buildSessionContext(
	entries: readonly SessionEntry[],
	leafId?: string | null,
): SessionContext {
	const tree = SessionTree.of(entries);
	const known = leafId !== undefined && leafId !== null && tree.has(leafId);
	const leaf = leafId === null ? null : known ? leafId : (entries.at(-1)?.id ?? null);
	return buildPathContext(tree.pathTo(leaf ?? null));
}
