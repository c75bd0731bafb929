/** The host's side of the chat: snapshots, appends, streaming, prompts, drafts. */
import assert from 'node:assert/strict';
import { PANEL_VERSION } from '../../../../src/protocol/panel.ts';
import { UserError } from '../../../../src/util/errors.ts';
import { FakeSession, frame, setUpChat, type ChatContext } from './chat-support.ts';

describe('chat controller', () => {
	let context: ChatContext;
	beforeEach(() => {
		context = setUpChat();
	});
	afterEach(() => context.controller.dispose());

	it('sends nothing until the page is ready, then everything', async () => {
		const { posted, receive, session } = context;
		await session.say('hello');
		await frame();
		assert.deepEqual(posted, []);
		receive({ type: 'ready' });
		assert.equal(posted.length, 1);
		assert.partialDeepStrictEqual(posted[0], {
			type: 'snapshot',
			seq: 1,
			session: { id: session.manager.id, title: 'Title' },
			items: [{ kind: 'user', text: { text: 'hello' } }],
			earlier: 0,
			live: null,
			draft: '',
			status: {
				activity: 'idle',
				model: 'gpt',
				contextTokens: null,
				contextIsExact: false,
				notices: [],
			},
		});
		await frame();
		assert.partialDeepStrictEqual(posted[1], {
			type: 'status',
			status: { contextTokens: 10, contextIsExact: true, contextWindow: 100 },
		});
	});

	it('sends an appended entry alone, numbered, and the new status', async () => {
		const { posted, receive, session, types } = context;
		receive({ type: 'ready' });
		await frame();
		posted.length = 0;
		await session.say('one');
		await frame();
		assert.deepEqual(types(), ['appended', 'status']);
		assert.equal((posted[1]?.seq ?? 0) - (posted[0]?.seq ?? 0), 1);
	});

	it('sends a snapshot when the leaf moves or a branch begins', async () => {
		const { posted, receive, session, types } = context;
		const first = await session.say('one');
		await session.say('two');
		receive({ type: 'ready' });
		await frame();
		posted.length = 0;
		session.manager.branch(first.id);
		await frame();
		assert.deepEqual(types(), ['snapshot', 'status']);
		posted.length = 0;
		await session.manager.branchWithSummary(null, {
			summary: 's',
			fromId: first.id,
			fromExtension: false,
		});
		await frame();
		assert.deepEqual(types(), ['snapshot', 'status']);
		assert.partialDeepStrictEqual(posted[0], { items: [{ kind: 'branchSummary' }] });
	});

	it('batches what streams, in order with the whole answer', async () => {
		const { posted, receive, session, types } = context;
		await session.say('q');
		receive({ type: 'ready' });
		session.become('streaming');
		await frame();
		posted.length = 0;
		for (let index = 0; index < 1000; index++)
			session.events.emit({ type: 'textDelta', delta: `${index} ` });
		await frame();
		assert.deepEqual(types(), ['delta']);
		session.events.emit({ type: 'thinkingDelta', delta: 'hm' });
		await session.answer('whole');
		await frame();
		assert.deepEqual(types(), ['delta', 'delta', 'appended', 'status']);
	});

	it('sends a hidden page nothing, and all of the answer so far when it is back', async () => {
		const { controller, posted, receive, session, types } = context;
		receive({ type: 'ready' });
		session.become('streaming');
		await frame();
		session.events.emit({ type: 'textDelta', delta: 'a' });
		await frame();
		posted.length = 0;
		controller.setVisible(false);
		for (let index = 0; index < 100; index++)
			session.events.emit({ type: 'textDelta', delta: 'b' });
		await frame();
		assert.deepEqual(posted, []);
		receive({ type: 'ready' });
		assert.deepEqual(types(), ['snapshot']);
		assert.partialDeepStrictEqual(posted[0], {
			live: [{ type: 'text', text: `a${'b'.repeat(100)}` }],
		});
		session.events.emit({ type: 'textDelta', delta: 'c' });
		await frame();
		assert.partialDeepStrictEqual(posted[1], { type: 'delta', parts: [{ text: 'c' }] });
	});

	it('accepts a prompt once the session has it, and forgets the draft only then', async () => {
		const { drafts, posted, receive, session } = context;
		const sessionId = session.manager.id;
		receive({ type: 'ready' });
		receive({ type: 'draft', sessionId, text: 'hi', revision: 1 });
		receive({ type: 'prompt', requestId: 'r', sessionId, text: 'hi' });
		assert.equal(drafts.get(sessionId), 'hi');
		await frame();
		assert.partialDeepStrictEqual(
			posted.find(({ type }) => type === 'promptAccepted'),
			{
				requestId: 'r',
				text: 'hi',
			},
		);
		assert.equal(drafts.get(sessionId), '');
	});

	it('refuses a prompt with the reason and keeps the draft', async () => {
		const { drafts, host, posted, receive, session } = context;
		const sessionId = session.manager.id;
		const rejection = () => posted.findLast(({ type }) => type === 'promptRejected');
		receive({ type: 'ready' });
		receive({ type: 'draft', sessionId, text: 'hi', revision: 1 });
		session.failWith = new UserError('storage', 'The disk is full.', {
			kept: 'Nothing was changed.',
		});
		receive({ type: 'prompt', requestId: 'r1', sessionId, text: 'hi' });
		await frame();
		assert.partialDeepStrictEqual(rejection(), {
			requestId: 'r1',
			message: 'The disk is full. Nothing was changed.',
			actions: [],
		});
		host.model = undefined;
		receive({ type: 'prompt', requestId: 'r2', sessionId, text: 'hi' });
		assert.partialDeepStrictEqual(rejection(), {
			requestId: 'r2',
			message: 'No model is connected. Summaries are made offline.',
			actions: ['connectModel'],
		});
		receive({ type: 'prompt', requestId: 'r3', sessionId: 'another', text: 'hi' });
		assert.partialDeepStrictEqual(rejection(), { requestId: 'r3' });
		assert.equal(drafts.get(sessionId), 'hi');
		assert.equal(session.manager.leafId, null);
	});

	it('runs a typed /compact as the command that it is', async () => {
		const { acted, posted, receive, session } = context;
		const sessionId = session.manager.id;
		receive({ type: 'ready' });
		for (const text of ['/compact', '/compact keep the API', '/compacting is fun'])
			receive({ type: 'prompt', requestId: text, sessionId, text });
		await frame();
		assert.deepEqual(acted, ['compact:', 'compact:keep the API']);
		assert.equal(posted.filter(({ type }) => type === 'promptAccepted').length, 3);
		assert.equal(session.manager.getBranch().length, 1);
	});

	it('shows why a turn failed until the next one', async () => {
		const { posted, receive, session } = context;
		receive({ type: 'ready' });
		session.become('streaming');
		session.events.emit({
			type: 'turnFailed',
			error: new UserError('auth', 'The key was refused.', { kept: 'Kept.', hint: 'Check it.' }),
		});
		session.become('idle');
		await frame();
		assert.partialDeepStrictEqual(posted.at(-1), {
			type: 'status',
			status: {
				failure: {
					severity: 'error',
					message: 'The key was refused.',
					kept: 'Kept.',
					hint: 'Check it.',
					actions: ['connectModel'],
				},
			},
		});
		session.become('streaming');
		await frame();
		assert.partialDeepStrictEqual(posted.at(-1), { status: { failure: null } });
	});

	it('keeps a draft for each session and shows it on the way back', async () => {
		const { changes, host, lastSnapshot, posted, receive, session } = context;
		const other = new FakeSession();
		receive({ type: 'ready' });
		receive({ type: 'draft', sessionId: session.manager.id, text: 'mine', revision: 1 });
		host.session = other;
		changes.emit();
		await frame();
		assert.partialDeepStrictEqual(lastSnapshot(), { draft: '' });
		// The page's last words on the old session arrive late, and still go to the old session.
		receive({ type: 'draft', sessionId: session.manager.id, text: 'mine too', revision: 2 });
		host.session = session;
		changes.emit();
		await frame();
		assert.partialDeepStrictEqual(lastSnapshot(), { draft: 'mine too', draftRevision: 2 });
		host.session = undefined;
		changes.emit();
		await frame();
		assert.partialDeepStrictEqual(posted.at(-1), { session: null, items: [] });
		receive({ type: 'prompt', requestId: 'r', sessionId: null, text: 'x' });
		assert.partialDeepStrictEqual(posted.at(-1), { actions: ['newSession', 'openSession'] });
	});

	it('takes the last words of a page once, and from a new page anew', () => {
		const { controller, drafts, receive, session } = context;
		const sessionId = session.manager.id;
		receive({ type: 'ready' });
		receive({ type: 'draft', sessionId, text: 'typed', revision: 7 });
		controller.setVisible(false);
		controller.insertText('edit me');
		receive({ type: 'draft', sessionId, text: 'typed', revision: 7 });
		receive({ type: 'ready' });
		assert.equal(drafts.get(sessionId), 'edit me\n\ntyped');
		receive({ type: 'draft', sessionId, text: 'newer', revision: 1 });
		assert.equal(drafts.get(sessionId), 'newer');
	});

	it('saves queued prompts with the draft', () => {
		const { controller, receive, saved, session } = context;
		const { id } = session.manager;
		receive({ type: 'ready' });
		session.events.emit({
			type: 'queueChanged',
			queued: [{ id: 'q1', text: 'waiting', kind: 'followUp' }],
		});
		receive({ type: 'draft', sessionId: id, text: 'typing', revision: 1 });
		controller.dispose();
		assert.equal(saved.get(id), 'waiting\n\ntyping');
	});

	it('puts text from navigation into a visible page and into the draft', () => {
		const { controller, drafts, posted, receive, session } = context;
		const { id } = session.manager;
		receive({ type: 'ready' });
		receive({ type: 'draft', sessionId: id, text: 'old', revision: 1 });
		controller.insertText('edit me');
		assert.partialDeepStrictEqual(posted.at(-1), { type: 'setEditor', text: 'edit me' });
		assert.equal(drafts.get(id), 'edit me\n\nold');
	});

	it('pages backwards', async () => {
		const { posted, receive, session } = context;
		for (let index = 0; index < 60; index++) await session.say(`m${index}`);
		receive({ type: 'ready' });
		const first = posted[0]?.type === 'snapshot' ? posted[0].items[0] : undefined;
		assert.partialDeepStrictEqual(posted[0], { earlier: 10 });
		receive({ type: 'loadEarlier', beforeId: first?.id ?? '' });
		const page = posted.at(-1);
		assert.ok(page?.type === 'earlier' && page.items.length === 10 && page.earlier === 0);
		posted.length = 0;
		receive({ type: 'loadEarlier', beforeId: 'unknown' });
		assert.deepEqual(posted, []);
	});

	it('stops what is running', () => {
		const { receive, session } = context;
		session.activity = 'streaming';
		receive({ type: 'stop' });
		session.activity = 'compacting';
		receive({ type: 'stop' });
		assert.deepEqual(session.stopped, ['turn', 'compaction']);
	});

	it('passes on actions, entries and links, and drops what it does not know', () => {
		const { acted, controller, receive, warned } = context;
		receive({ type: 'action', id: 'connectModel' });
		receive({ type: 'openEntry', id: 'e1' });
		receive({ type: 'openLink', url: 'https://example.org' });
		receive({ type: 'reload' });
		controller.receive({ type: 'action', id: 'nonsense', version: PANEL_VERSION });
		controller.receive('nonsense');
		assert.deepEqual(acted, ['connectModel:', 'show:e1', 'link:https://example.org', 'reload']);
		assert.equal(warned.length, 2);
	});

	it('listens to nothing after it is disposed', async () => {
		const { controller, posted, receive, session } = context;
		receive({ type: 'ready' });
		await frame();
		posted.length = 0;
		controller.dispose();
		await session.say('late');
		await frame();
		assert.deepEqual(posted, []);
	});
});
