/**
 * What the chat page shows, and how each event changes it. Pure: messages to the host come back as
 * data, so that every rule here can be tested without a browser.
 */
import type { ChatItem, LivePart } from '../protocol/chat-item.ts';
import { withOutput, type LiveRun } from '../protocol/live-run.ts';
import { textAfterSending, textWithInserted } from '../protocol/composer-text.ts';
import {
	EARLIER_COUNT_LIMIT,
	type ActionId,
	type ChatStatus,
	type HostMessage,
	type SnapshotMessage,
	type ViewMessageBody,
} from '../protocol/panel.ts';

export interface ComposerState {
	/** The session that the text belongs to. */
	sessionId: string | null;
	text: string;
	/** Rises with each change of the text that was made here, whatever the session. */
	revision: number;
	/** A prompt whose answer from the host is still to come. */
	pending: { requestId: string; text: string } | null;
	/** Why the last prompt was not taken; gone with the next change. */
	rejection: { message: string; actions: readonly ActionId[] } | null;
	/** Rises when text was put here from outside, so that the composer takes the focus. */
	focusRequests: number;
}

export interface ViewState {
	/** The number of the last message taken; null before the first snapshot. */
	seq: number | null;
	/** A message was missed and a snapshot asked for; nothing else counts until it is here. */
	resyncing: boolean;
	session: { id: string; title: string } | null;
	items: readonly ChatItem[];
	/** How many entries lie before the first item. */
	earlier: number;
	loadingEarlier: boolean;
	live: LiveAnswer | null;
	/** The calls and the command that are at work. */
	runs: readonly LiveRun[];
	/** Items that were live keep the key that they had then, so that their DOM stays. */
	keys: Readonly<Record<string, string>>;
	status: ChatStatus;
	composer: ComposerState;
}

export interface LiveAnswer {
	key: string;
	parts: readonly LivePart[];
}

export type ViewEvent =
	| { type: 'host'; message: HostMessage }
	| { type: 'typed'; text: string }
	| { type: 'submit'; requestId: string }
	| { type: 'loadEarlier' }
	/** The reader is at the end: what lies far above can be let go. */
	| { type: 'trim' };

export interface Update {
	state: ViewState;
	send: ViewMessageBody[];
}

/** Items kept on the page while the reader is at its end; beyond TRIM_ABOVE they are cut to this. */
const KEEP_ITEMS = 100;
const TRIM_ABOVE = 150;

export const initialState: ViewState = {
	seq: null,
	resyncing: false,
	session: null,
	items: [],
	earlier: 0,
	loadingEarlier: false,
	live: null,
	runs: [],
	keys: {},
	status: {
		activity: 'idle',
		model: null,
		contextTokens: null,
		contextIsExact: false,
		contextWindow: 0,
		progress: null,
		queued: [],
		notices: [],
		failure: null,
	},
	composer: {
		sessionId: null,
		text: '',
		revision: 0,
		pending: null,
		rejection: null,
		focusRequests: 0,
	},
};

/** The state after an event, and what to tell the host. */
export function update(state: ViewState, event: ViewEvent): Update {
	switch (event.type) {
		case 'host':
			return onMessage(state, event.message);
		case 'typed':
			return stay(withText(state, event.text));
		case 'submit':
			return submit(state, event.requestId);
		case 'loadEarlier': {
			const first = state.items[0];
			if (!first || state.loadingEarlier || state.earlier === 0) return stay(state);
			const send: ViewMessageBody[] = [{ type: 'loadEarlier', beforeId: first.id }];
			return { state: { ...state, loadingEarlier: true }, send };
		}
		case 'trim': {
			if (state.items.length <= TRIM_ABOVE || state.loadingEarlier) return stay(state);
			const dropped = state.items.length - KEEP_ITEMS;
			const earlier = Math.min(state.earlier + dropped, EARLIER_COUNT_LIMIT);
			return stay({ ...state, items: state.items.slice(dropped), earlier });
		}
	}
}

function stay(state: ViewState): Update {
	return { state, send: [] };
}

function onMessage(state: ViewState, message: HostMessage): Update {
	if (message.type === 'snapshot') return stay(withSnapshot(state, message, message.seq));
	// Before the first snapshot nothing can be placed, and the `ready` that asks for it is on its way.
	if (state.seq === null || state.resyncing || message.seq <= state.seq) return stay(state);
	if (message.seq !== state.seq + 1)
		return { state: { ...state, resyncing: true }, send: [{ type: 'resync' }] };
	const next = { ...state, seq: message.seq };
	switch (message.type) {
		case 'appended':
			return stay(withAppended(next, message.items));
		case 'delta':
			return stay({ ...next, live: withDelta(next, message.parts) });
		case 'runs':
			return stay({ ...next, runs: message.runs });
		case 'output':
			return stay({ ...next, runs: withOutputs(next.runs, message.outputs) });
		case 'status': {
			const { status, title } = message;
			const session = next.session && { ...next.session, title };
			// An answer that never became an entry is over once the session is idle.
			const live = status.activity === 'streaming' ? next.live : null;
			return stay({ ...next, session, status, live });
		}
		case 'earlier':
			if (next.items[0]?.id !== message.beforeId) return stay({ ...next, loadingEarlier: false });
			return stay({
				...next,
				items: [...message.items, ...next.items],
				earlier: message.earlier,
				loadingEarlier: false,
			});
		case 'setEditor': {
			const text = textWithInserted(message.text, next.composer.text);
			const changed = withText(next, text);
			const focusRequests = changed.composer.focusRequests + 1;
			return stay({ ...changed, composer: { ...changed.composer, focusRequests } });
		}
		case 'promptAccepted': {
			const text = textAfterSending(next.composer.text, message.text);
			return stay(answered(text === next.composer.text ? next : withText(next, text), null));
		}
		case 'promptRejected': {
			const { message: reason, actions } = message;
			return stay(answered(next, { message: reason, actions }));
		}
	}
}

function withSnapshot(state: ViewState, snapshot: SnapshotMessage, seq: number): ViewState {
	const { session, items, earlier, live, runs, status } = snapshot;
	const sameSession = state.seq !== null && session?.id === state.session?.id;
	return {
		seq,
		resyncing: false,
		session,
		items,
		earlier,
		loadingEarlier: false,
		live: live && { key: state.live?.key ?? liveKey(seq), parts: live },
		runs,
		keys: sameSession ? state.keys : {},
		status,
		composer: composerAfter(state, snapshot),
	};
}

/** The host's draft counts, unless what stands here was typed after it. */
function composerAfter(state: ViewState, snapshot: SnapshotMessage): ComposerState {
	const { composer } = state;
	const sessionId = snapshot.session?.id ?? null;
	if (state.seq === null || composer.sessionId !== sessionId)
		return {
			...initialState.composer,
			sessionId,
			text: snapshot.draft,
			revision: composer.revision,
		};
	const pending =
		composer.pending && snapshot.inFlight.includes(composer.pending.requestId)
			? composer.pending
			: null;
	const text = composer.revision > snapshot.draftRevision ? composer.text : snapshot.draft;
	return { ...composer, pending, text };
}

/** Adds new items and replaces known ones; a new answer takes the place of the live one. */
function withAppended(state: ViewState, appended: readonly ChatItem[]): ViewState {
	const items = [...state.items];
	let { live, runs, keys } = state;
	for (const item of appended) {
		// What is replaced is nearly always among the last few.
		const index = items.findLastIndex(({ id }) => id === item.id);
		if (index >= 0) {
			items[index] = item;
			continue;
		}
		items.push(item);
		if (item.kind === 'assistant' && live) {
			keys = { ...keys, [item.id]: live.key };
			live = null;
		}
		const command = item.kind === 'bash' && runs.find(({ kind }) => kind === 'command');
		if (command) {
			keys = { ...keys, [item.id]: command.id };
			runs = runs.filter((run) => run !== command);
		}
	}
	return { ...state, items, live, runs, keys };
}

function withOutputs(
	runs: readonly LiveRun[],
	outputs: Extract<HostMessage, { type: 'output' }>['outputs'],
): readonly LiveRun[] {
	return runs.map((run) => {
		const more = outputs.find(({ id }) => id === run.id);
		return more ? { ...run, output: withOutput(run.output, more.output) } : run;
	});
}

function withDelta(state: ViewState, delta: readonly LivePart[]): LiveAnswer {
	const live = state.live ?? { key: liveKey(state.seq ?? 0), parts: [] };
	const parts = [...live.parts];
	for (const part of delta) {
		const last = parts.at(-1);
		if (last?.type === part.type)
			parts[parts.length - 1] = { type: part.type, text: last.text + part.text };
		else parts.push(part);
	}
	return { key: live.key, parts };
}

function liveKey(seq: number): string {
	return `live-${seq}`;
}

function withText(state: ViewState, text: string): ViewState {
	const { composer } = state;
	return {
		...state,
		composer: { ...composer, text, revision: composer.revision + 1, rejection: null },
	};
}

function answered(state: ViewState, rejection: ComposerState['rejection']): ViewState {
	return { ...state, composer: { ...state.composer, pending: null, rejection } };
}

/** The text stays until the host has the prompt. */
function submit(state: ViewState, requestId: string): Update {
	const { composer } = state;
	const { text, sessionId, revision } = composer;
	if (!text.trim() || composer.pending || state.seq === null) return stay(state);
	return {
		state: {
			...state,
			composer: { ...composer, pending: { requestId, text }, rejection: null },
		},
		send: [
			{ type: 'draft', sessionId, text, revision },
			{ type: 'prompt', requestId, sessionId, text },
		],
	};
}
