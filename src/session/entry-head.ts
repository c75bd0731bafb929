/** What the tree needs to know of an entry before anyone looks at it. */
import type { SessionEntry } from './entries.ts';
import type { AgentMessage } from './messages.ts';

export interface EntryHead {
	type: string;
	id: string;
	/** As the file says, before repair. */
	parentId: string | null;
	/** Of a message. */
	role: string | undefined;
}

export function headOf(entry: SessionEntry): EntryHead {
	// Entries made elsewhere may lack what their type promises.
	const role =
		entry.type === 'message' ? (entry.message as Partial<AgentMessage>)?.role : undefined;
	return { type: entry.type, id: entry.id, parentId: entry.parentId, role };
}
