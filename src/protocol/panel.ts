/**
 * The messages between the extension host and the chat panel. The host holds the truth: a snapshot
 * is complete, and what follows it is numbered so that a lost message is noticed.
 */
import type { ChatItem, LivePart } from './chat-item.ts';
import type { ApprovalChoice, LiveRun, Tail } from './live-run.ts';

/** Raised when a message changes its meaning; a message of another version is dropped and logged. */
export const PANEL_VERSION = 1;

/** How many items a snapshot and a page of earlier ones hold. */
export const PAGE_ITEMS = 50;

/** What the panel's buttons can ask for. */
export const ACTION_IDS = [
	'chooseModel',
	'connectModel',
	'compact',
	'compactOffline',
	'newSession',
	'openSession',
	'fork',
	'retry',
] as const;
export type ActionId = (typeof ACTION_IDS)[number];

export const ACTIVITIES = ['idle', 'streaming', 'compacting', 'navigating', 'pruning'] as const;
export type ChatActivity = (typeof ACTIVITIES)[number];

/** Something that a person should know, and what can be done about it. */
export interface ChatNotice {
	severity: 'info' | 'error';
	/** What happened. */
	message: string;
	/** What was kept. */
	kept: string | null;
	/** What to do. */
	hint: string | null;
	actions: ActionId[];
}

export interface QueuedItem {
	id: string;
	text: string;
	steers: boolean;
}

export interface ChatStatus {
	activity: ChatActivity;
	/** Null where no model is connected. */
	model: string | null;
	/** Null until it has been counted. */
	contextTokens: number | null;
	/** True where the provider has reported all of it; else it is an estimate. */
	contextIsExact: boolean;
	/** 0 where it is not known. */
	contextWindow: number;
	/** What the running turn does beside answering; `until` is when it ends, in ms since the epoch. */
	progress: { text: string; until: number | null } | null;
	/** Prompts that wait, oldest first; those that steer go with the running turn's next request. */
	queued: QueuedItem[];
	/** What stands above the composer: no model, a damaged file. */
	notices: ChatNotice[];
	/** Why the last turn ended without an answer; gone with the next turn. */
	failure: ChatNotice | null;
}

export interface SnapshotMessage {
	type: 'snapshot';
	/** Null where no session is open. */
	session: { id: string; title: string } | null;
	/** The last page of the path to the leaf, oldest first. */
	items: ChatItem[];
	/** How many entries lie before the first item; stops counting at EARLIER_COUNT_LIMIT. */
	earlier: number;
	/** The answer so far, while one is streaming. */
	live: LivePart[] | null;
	/** The calls and the command that are at work. */
	runs: LiveRun[];
	status: ChatStatus;
	draft: string;
	/** The last draft revision that the host has seen from this page; an older draft never wins. */
	draftRevision: number;
	/** Prompts whose answer (accepted or rejected) is still to come. */
	inFlight: string[];
}

export const EARLIER_COUNT_LIMIT = 1000;

export type HostMessageBody =
	| SnapshotMessage
	/** New items at the end; an item whose id is already shown replaces it. */
	| { type: 'appended'; items: ChatItem[] }
	/** More of the streaming answer, a frame's worth. */
	| { type: 'delta'; parts: LivePart[] }
	/** The calls and the command that are at work, in place of those before. */
	| { type: 'runs'; runs: LiveRun[] }
	/** What some of them have printed since, a frame's worth. */
	| { type: 'output'; outputs: { id: string; output: Tail }[] }
	| { type: 'status'; status: ChatStatus; title: string }
	/** The page before the item `beforeId`, and how many entries lie before that page. */
	| { type: 'earlier'; beforeId: string; items: ChatItem[]; earlier: number }
	/** Text to be edited and sent, put there by navigation. */
	| { type: 'setEditor'; text: string }
	| { type: 'promptAccepted'; requestId: string; text: string }
	| { type: 'promptRejected'; requestId: string; message: string; actions: ActionId[] };

/** `seq` rises by one with each message; a snapshot may start anywhere. */
export type HostMessage = HostMessageBody & { version: typeof PANEL_VERSION; seq: number };

export type ViewMessageBody =
	/** The page has loaded and knows nothing; also sent after an error made it forget. */
	| { type: 'ready' }
	/** A message is missing: send a snapshot. */
	| { type: 'resync' }
	| { type: 'prompt'; requestId: string; sessionId: string | null; text: string }
	| { type: 'stop' }
	| { type: 'draft'; sessionId: string | null; text: string; revision: number }
	| { type: 'loadEarlier'; beforeId: string }
	| { type: 'action'; id: ActionId }
	| { type: 'openEntry'; id: string }
	/** An answer to a question; the model is told the reason of a refusal. One to no question does nothing. */
	| { type: 'approval'; requestId: string; decision: ApprovalChoice; reason: string }
	/** Show what the call that asks would change. */
	| { type: 'showChange'; requestId: string }
	/** Take a queued prompt back to be edited, or send it with the next request. */
	| { type: 'queued'; id: string; act: 'edit' | 'steer' }
	| { type: 'openLink'; url: string }
	/** The page gave up; load it anew. */
	| { type: 'reload' }
	/** Something that belongs in the log. */
	| { type: 'problem'; message: string };

export type ViewMessage = ViewMessageBody & { version: typeof PANEL_VERSION };
