/** The kept part of a path's context: which entries it holds, and as which messages a model sees them. */
import type { ContextEditEntry, SessionEntry } from './entries.ts';
import type { ContextStart } from './context.ts';
import type { AgentMessage } from './messages.ts';
import { soundMessage } from './sound-message.ts';

/**
 * The kept entries of a context by their places on the path. A message is made when it is asked for:
 * where a compaction cuts is decided by the newest few of very many.
 */
export class ContextEntries {
	/** The first place; entries at places below it are no part of the context. */
	readonly from: number;
	/** The place behind the last one. */
	readonly end: number;
	private readonly path: readonly SessionEntry[];
	private readonly compactionIndex: number;
	/** The latest edit of each entry; undefined where there is none, as nearly always. */
	private readonly edits: Map<string, ContextEditEntry> | undefined;
	/** Messages that are not the entry's own: each stays the same object, however often it is asked for. */
	private readonly made = new Map<number, AgentMessage>();

	/** @param path must not change while this is used */
	constructor(path: readonly SessionEntry[], start: ContextStart, end: number = path.length) {
		this.path = path;
		this.from = start.firstKeptIndex;
		this.end = Math.min(end, path.length);
		this.compactionIndex = start.compactionIndex;
		const edited = start.isUnedited ? Math.min(this.end, this.compactionIndex) : this.end;
		for (let place = this.from; place < edited; place++) {
			const entry = path[place];
			if (entry?.type === 'context_edit') (this.edits ??= new Map()).set(entry.targetId, entry);
		}
	}

	/** The entry at a place; undefined for one that is left out, and outside the context. */
	entryAt(place: number): SessionEntry | undefined {
		if (place < this.from || place >= this.end || place === this.compactionIndex) return undefined;
		const entry = this.path[place];
		// pi restates its system message in the compaction, so kept ones are left out.
		return entry && place < this.compactionIndex && isSystemMessage(entry) ? undefined : entry;
	}

	/** The message that the entry at a place contributes, its latest edit applied; none for metadata. */
	messageAt(place: number): AgentMessage | undefined {
		const entry = this.entryAt(place);
		if (!entry) return undefined;
		const known = this.made.get(place);
		if (known) return known;
		const message = entryMessage(entry, this.edits?.get(entry.id));
		if (message && !(entry.type === 'message' && entry.message === message))
			this.made.set(place, message);
		return message;
	}

	/** The place of an entry; -1 where it is not in the context. */
	placeOf(id: string): number {
		for (let place = this.from; place < this.end; place++)
			if (this.entryAt(place)?.id === id) return place;
		return -1;
	}

	/** The messages of the entries between two places, oldest first. */
	messages(from: number = this.from, end: number = this.end): AgentMessage[] {
		const messages: AgentMessage[] = [];
		for (let place = from; place < end; place++) {
			const message = this.messageAt(place);
			if (message) messages.push(message);
		}
		return messages;
	}

	/** The latest edit of an entry among these. */
	editOf(id: string): ContextEditEntry | undefined {
		return this.edits?.get(id);
	}
}

function isSystemMessage(entry: SessionEntry): boolean {
	return entry.type === 'message' && entry.message.role === 'system';
}

/** The message that an entry contributes, its latest context edit applied. */
function entryMessage(
	entry: SessionEntry,
	edit: ContextEditEntry | undefined,
): AgentMessage | undefined {
	if (edit?.replacement === null) return undefined;
	const message = uneditedMessage(entry);
	if (!message) return undefined;
	const content = edit?.replacement?.content;
	return soundMessage(content === undefined ? message : withContent(message, content));
}

function uneditedMessage(entry: SessionEntry): AgentMessage | undefined {
	switch (entry.type) {
		case 'message':
			return entry.message;
		case 'custom_message':
			return {
				role: 'custom',
				customType: entry.customType,
				content: entry.content ?? [],
				display: entry.display,
				details: entry.details,
				timestamp: Date.parse(entry.timestamp),
			};
		case 'branch_summary': {
			const { summary, fromId } = entry;
			const timestamp = Date.parse(entry.timestamp);
			return summary ? { role: 'branchSummary', summary, fromId, timestamp } : undefined;
		}
		// An older compaction inside the kept range contributes nothing: the newest one speaks for it.
		default:
			return undefined;
	}
}

function withContent(
	message: AgentMessage,
	content: NonNullable<ContextEditEntry['replacement']>['content'],
): AgentMessage {
	switch (message.role) {
		case 'user':
		case 'custom':
			return { ...message, content };
		case 'assistant':
		case 'toolResult': {
			const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
			return { ...message, content: parts } as AgentMessage;
		}
		default:
			return message;
	}
}
