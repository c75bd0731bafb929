/** The page's reducer: sequence, snapshots, streaming, drafts and paging. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { AssistantItem, ChatItem, UserItem } from '../../../src/protocol/chat-item.ts';
import type { LiveRun } from '../../../src/protocol/live-run.ts';
import {
	PANEL_VERSION,
	type ChatStatus,
	type HostMessage,
	type HostMessageBody,
	type SnapshotMessage,
} from '../../../src/protocol/panel.ts';
import {
	initialState,
	update,
	type ViewEvent,
	type ViewState,
} from '../../../src/webview/state.ts';

const idle: ChatStatus = { ...initialState.status };
const streaming: ChatStatus = { ...idle, activity: 'streaming' };

function user(id: string): UserItem {
	return { kind: 'user', id, text: { text: id, cut: 0 }, images: 0 };
}

function answer(id: string): AssistantItem {
	const parts = [{ type: 'text' as const, text: { text: id, cut: 0 } }];
	return { kind: 'assistant', id, parts, status: 'complete', error: null, model: 'm' };
}

function snapshot(change: Partial<SnapshotMessage> = {}): SnapshotMessage {
	return {
		type: 'snapshot',
		session: { id: 's', title: 'Session' },
		items: [user('u1')],
		earlier: 0,
		live: null,
		runs: [],
		status: idle,
		draft: '',
		draftRevision: 0,
		inFlight: [],
		...change,
	};
}

function numbered(body: HostMessageBody, seq: number): ViewEvent {
	return { type: 'host', message: { ...body, version: PANEL_VERSION, seq } as HostMessage };
}

/** Applies messages numbered from 1, then events. */
function after(messages: HostMessageBody[], events: ViewEvent[] = []): ViewState {
	const numberedMessages = messages.map((body, index) => numbered(body, index + 1));
	return [...numberedMessages, ...events].reduce(
		(state, event) => update(state, event).state,
		initialState,
	);
}

const appended = (...items: ChatItem[]): HostMessageBody => ({ type: 'appended', items });
const delta = (text: string): HostMessageBody => ({
	type: 'delta',
	parts: [{ type: 'text', text }],
});
const ids = (state: ViewState) => state.items.map(({ id }) => id);

describe('chat page state: sequence', () => {
	it('ignores everything before the first snapshot', () => {
		const { state, send } = update(initialState, numbered(delta('x'), 7));
		assert.equal(state, initialState);
		assert.deepEqual(send, []);
	});

	it('asks once for a snapshot when a number is missing, and takes nothing until it comes', () => {
		const state = after([snapshot()]);
		const gap = update(state, numbered(appended(user('u2')), 3));
		assert.deepEqual(gap.send, [{ type: 'resync' }]);
		const ignored = update(gap.state, numbered(appended(user('u3')), 4));
		assert.deepEqual(ignored.send, []);
		assert.deepEqual(ids(ignored.state), ['u1']);
		const healed = update(
			ignored.state,
			numbered(snapshot({ items: [user('u1'), user('u3')] }), 5),
		);
		assert.deepEqual(ids(healed.state), ['u1', 'u3']);
		const next = update(healed.state, numbered(appended(user('u4')), 6));
		assert.deepEqual(ids(next.state), ['u1', 'u3', 'u4']);
	});

	it('ignores a message that it has already taken', () => {
		const state = after([snapshot(), delta('a')]);
		assert.equal(update(state, numbered(delta('a'), 2)).state, state);
	});

	it('shows the same after the same snapshot twice', () => {
		const once = after([snapshot()]);
		const { seq: _, ...twice } = update(once, numbered(snapshot(), 2)).state;
		const { seq: __, ...first } = once;
		assert.deepEqual(twice, first);
	});
});

describe('chat page state: items', () => {
	it('adds new items and replaces known ones', () => {
		const changed: UserItem = { ...user('u1'), images: 2 };
		const state = after([snapshot(), appended(user('u2')), appended(changed, user('u3'))]);
		assert.deepEqual(ids(state), ['u1', 'u2', 'u3']);
		assert.equal(state.items[0], changed);
	});

	it('joins a thousand pieces of an answer', () => {
		const pieces = Array.from({ length: 1000 }, (_, index) => delta(`${index} `));
		const state = after([snapshot({ status: streaming, live: [] }), ...pieces]);
		assert.equal(state.live?.parts.length, 1);
		assert.equal(state.live?.parts[0]?.text, pieces.map((_, index) => `${index} `).join(''));
	});

	it('keeps thinking and text apart, in their order', () => {
		const thinking: HostMessageBody = { type: 'delta', parts: [{ type: 'thinking', text: 'hm' }] };
		const state = after([snapshot(), thinking, delta('a'), delta('b'), thinking]);
		assert.deepEqual(
			state.live?.parts.map(({ type, text }) => `${type}:${text}`),
			['thinking:hm', 'text:ab', 'thinking:hm'],
		);
	});

	it('puts the finished answer in the place of the live one, under its key', () => {
		const live = after([snapshot(), delta('a')]);
		const state = update(live, numbered(appended(answer('a1')), 3)).state;
		assert.equal(state.live, null);
		assert.equal(state.keys.a1, live.live?.key);
	});

	it('does not end the live answer for an older one that got a tool result', () => {
		const state = after([snapshot({ items: [answer('a0')] }), delta('a'), appended(answer('a0'))]);
		assert.equal(state.live?.parts[0]?.text, 'a');
	});

	it('drops a live answer that never became an entry once the session is idle', () => {
		const state = after([snapshot(), delta('a'), { type: 'status', status: idle, title: 'New' }]);
		assert.equal(state.live, null);
		assert.equal(state.session?.title, 'New');
	});
});

describe('chat page state: what is at work', () => {
	const tool: LiveRun = {
		kind: 'tool',
		id: 'r1',
		callId: 'c1',
		question: null,
		output: { text: 'a', cut: 0 },
	};
	const command: LiveRun = {
		kind: 'command',
		id: 'r2',
		command: 'ls',
		inContext: true,
		output: { text: '', cut: 0 },
	};
	const output = (id: string, text: string): HostMessageBody => ({
		type: 'output',
		outputs: [{ id, output: { text, cut: 0 } }],
	});

	it('comes with a snapshot, grows by what is printed, and goes with the host’s word', () => {
		const messages = [snapshot({ status: streaming, runs: [tool] }), output('r1', 'b')];
		const state = after([...messages, output('gone', 'x')]);
		assert.deepEqual(state.runs, [{ ...tool, output: { text: 'ab', cut: 0 } }]);
		assert.deepEqual(after([...messages, { type: 'runs', runs: [command] }]).runs, [command]);
	});

	it('lets a stored command take the place of the one at work', () => {
		const stored: ChatItem = {
			kind: 'bash',
			id: 'e1',
			command: 'ls',
			output: { text: '', cut: 0 },
			outcome: null,
			inContext: true,
		};
		const state = after([snapshot({ runs: [command, tool] }), appended(stored)]);
		assert.deepEqual(state.runs, [tool]);
		assert.equal(state.keys.e1, 'r2');
	});
});

describe('chat page state: earlier messages', () => {
	it('asks for the page before the first item, once', () => {
		const state = after([snapshot({ earlier: 12 })]);
		const asked = update(state, { type: 'loadEarlier' });
		assert.deepEqual(asked.send, [{ type: 'loadEarlier', beforeId: 'u1' }]);
		assert.deepEqual(update(asked.state, { type: 'loadEarlier' }).send, []);
		const page: HostMessageBody = {
			type: 'earlier',
			beforeId: 'u1',
			items: [user('u0')],
			earlier: 0,
		};
		const loaded = update(asked.state, numbered(page, 2)).state;
		assert.deepEqual(ids(loaded), ['u0', 'u1']);
		assert.equal(loaded.earlier, 0);
		assert.deepEqual(update(loaded, { type: 'loadEarlier' }).send, []);
	});

	it('drops a page that no longer fits', () => {
		const page: HostMessageBody = {
			type: 'earlier',
			beforeId: 'gone',
			items: [user('x')],
			earlier: 0,
		};
		assert.deepEqual(ids(after([snapshot({ earlier: 3 }), page])), ['u1']);
	});

	it('lets go of what lies far above while the reader is at the end', () => {
		const many = Array.from({ length: 200 }, (_, index) => user(`u${index}`));
		const state = after([snapshot({ items: many, earlier: 5 })], [{ type: 'trim' }]);
		assert.equal(state.items.length, 100);
		assert.equal(state.earlier, 105);
		assert.equal(state.items.at(-1)?.id, 'u199');
		const few = after([snapshot()]);
		assert.equal(update(few, { type: 'trim' }).state, few);
	});
});

describe('chat page state: composer', () => {
	const typed = (text: string): ViewEvent => ({ type: 'typed', text });
	const submitted: ViewEvent = { type: 'submit', requestId: 'r1' };
	const accepted = (text: string): HostMessageBody => ({
		type: 'promptAccepted',
		requestId: 'r1',
		text,
	});

	it('sends the draft and the prompt, and keeps the text until it is accepted', () => {
		const state = after([snapshot()], [typed('hi')]);
		const sent = update(state, submitted);
		assert.deepEqual(sent.send, [
			{ type: 'draft', sessionId: 's', text: 'hi', revision: 1 },
			{ type: 'prompt', requestId: 'r1', sessionId: 's', text: 'hi' },
		]);
		assert.equal(sent.state.composer.text, 'hi');
		assert.deepEqual(update(sent.state, submitted).send, [], 'only once');
		const done = update(sent.state, numbered(accepted('hi'), 2)).state;
		assert.equal(done.composer.text, '');
		assert.equal(done.composer.pending, null);
	});

	it('keeps what was typed while the prompt was on its way', () => {
		const state = after([snapshot()], [typed('hi'), submitted, typed('hi there')]);
		assert.equal(update(state, numbered(accepted('hi'), 2)).state.composer.text, 'there');
	});

	it('keeps the text of a rejected prompt and says why until it is changed', () => {
		const state = after([snapshot()], [typed('hi'), submitted]);
		const rejected: HostMessageBody = {
			type: 'promptRejected',
			requestId: 'r1',
			message: 'No model is connected.',
			actions: ['connectModel'],
		};
		const back = update(state, numbered(rejected, 2)).state;
		assert.equal(back.composer.text, 'hi');
		assert.equal(back.composer.pending, null);
		assert.equal(back.composer.rejection?.message, 'No model is connected.');
		assert.equal(update(back, typed('hi!')).state.composer.rejection, null);
	});

	it('sends nothing empty, and nothing before the session is known', () => {
		assert.deepEqual(update(after([snapshot()], [typed(' \n')]), submitted).send, []);
		assert.deepEqual(update(update(initialState, typed('x')).state, submitted).send, []);
	});

	it('never loses typed text to an older draft in a snapshot', () => {
		const state = after([snapshot()], [typed('a'), typed('ab')]);
		const older = update(state, numbered(snapshot({ draft: 'a', draftRevision: 1 }), 2)).state;
		assert.equal(older.composer.text, 'ab');
		const same = update(
			state,
			numbered(snapshot({ draft: 'from host', draftRevision: 2 }), 2),
		).state;
		assert.equal(same.composer.text, 'from host');
	});

	it('shows another session with its own draft', () => {
		const state = after([snapshot()], [typed('mine')]);
		const other = snapshot({ session: { id: 't', title: 'Other' }, draft: 'theirs' });
		const switched = update(state, numbered(other, 2)).state;
		assert.equal(switched.composer.text, 'theirs');
		assert.equal(switched.composer.sessionId, 't');
	});

	it('takes text from navigation, keeping its own below', () => {
		const set: HostMessageBody = { type: 'setEditor', text: 'edit me' };
		const state = update(after([snapshot()], [typed('draft')]), numbered(set, 2)).state;
		assert.equal(state.composer.text, 'edit me\n\ndraft');
		assert.equal(state.composer.focusRequests, 1);
	});

	it('gives up waiting for an answer that the host no longer owes', () => {
		const state = after([snapshot()], [typed('hi'), submitted]);
		const waiting = update(state, numbered(snapshot({ inFlight: ['r1'] }), 2)).state;
		assert.equal(waiting.composer.pending?.requestId, 'r1');
		assert.equal(update(state, numbered(snapshot(), 2)).state.composer.pending, null);
	});

	it('changes nothing but the composer while typing', () => {
		const state = after([snapshot()]);
		const { composer: _, ...rest } = update(state, typed('x')).state;
		for (const [key, value] of Object.entries(rest))
			assert.equal(value, state[key as keyof ViewState], key);
	});
});

describe('chat page state: any order', () => {
	it('shows each item once, whatever is lost or repeated', () => {
		const bodies = fc.oneof(
			fc.constant(snapshot({ items: [user('u1'), user('u2')] })),
			fc.nat(5).map((n) => appended(user(`u${n}`))),
			fc.constant(delta('x')),
			fc.constant(appended(answer('a1'))),
		);
		fc.assert(
			fc.property(fc.array(fc.tuple(bodies, fc.nat(4))), (messages) => {
				let state = initialState;
				for (const [body, seq] of messages) {
					state = update(state, numbered(body, (state.seq ?? 0) + seq)).state;
					assert.equal(new Set(ids(state)).size, state.items.length);
				}
			}),
		);
	});
});
