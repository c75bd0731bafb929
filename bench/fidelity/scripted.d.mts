/** What the unit tests use of scripted.mjs. */
import type { SessionEntry } from '../../src/session/entries.ts';

export interface Fact {
	kind: 'request' | 'constraint' | 'file' | 'error' | 'decision' | 'item' | 'step';
	keys: string[];
	isMust: boolean;
	/** Index of the entry that states it. */
	from: number;
	/** Index of the entry from which on it is none. */
	until?: number;
}

export interface ScriptedSession {
	name: string;
	/** True where nobody tuned the summarizer on it. */
	isHeldOut: boolean;
	entries: SessionEntry[];
	facts: Fact[];
	fileCalls: { name: string; path: string; entry: number }[];
}

export function scriptedSessions(): ScriptedSession[];
