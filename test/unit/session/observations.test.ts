// Which steps of a path tell how a model counts tokens.
import { strict as assert } from 'node:assert';
import { emptyUsage, type AssistantMessage } from '../../../src/agent/messages.ts';
import { readObservations, type ModelName } from '../../../src/session/observations.ts';
import { SessionTree } from '../../../src/session/session-tree.ts';
import { assistant, SessionBuilder, toolCall, toolResult } from '../../support/session-builder.ts';

const model: ModelName = { provider: 'test', modelId: 'test-model' };

/** An answer whose provider counted so many tokens of prompt. */
function answer(prompt: number, fields: Partial<AssistantMessage> = {}): AssistantMessage {
	return assistant(`answer at ${prompt}`, [], {
		usage: { ...emptyUsage(), input: prompt },
		...fields,
	});
}

function grownIn(session: SessionBuilder, named = model): Promise<number[]> {
	return readObservations(SessionTree.of(session.entries), session.leaf, named).then((found) =>
		found.map(({ grown }) => grown),
	);
}

/** Two answers with something between them. */
function between(add: (session: SessionBuilder) => void, second = answer(1500)): SessionBuilder {
	const session = new SessionBuilder();
	session.user('first');
	session.message(answer(1000), 'first-answer');
	session.user('second');
	add(session);
	session.message(second);
	return session;
}

describe('readObservations', () => {
	it('finds what came between two answers, the first of them included', async () => {
		const session = new SessionBuilder();
		session.user('first');
		const call = assistant('', [toolCall('c1')], {
			usage: { ...emptyUsage(), input: 10, cacheRead: 900, cacheWrite: 90, output: 40 },
		});
		session.message(call);
		session.message(toolResult('c1', 'result'));
		session.add({ type: 'label', targetId: 'e1', label: 'x' });
		session.message(answer(1200));
		session.user('second');
		session.add({ type: 'custom_message', customType: 'x', content: 'y', display: true });
		session.message(answer(1500));
		const found = await readObservations(SessionTree.of(session.entries), session.leaf, model);
		assert.deepEqual(
			found.map(({ grown, messages }) => [grown, messages.map(({ role }) => role)]),
			[
				[300, ['assistant', 'user', 'custom']],
				[200, ['assistant', 'toolResult']],
			],
		);
	});

	for (const [name, add] of [
		['a compaction', (session) => session.compaction('summary', 'first-answer')],
		['a reset', (session) => session.add({ type: 'reset_boundary' })],
		[
			'a context edit',
			(session) => session.add({ type: 'context_edit', targetId: 'e1', replacement: null }),
		],
		['another model', (session) => session.message(answer(1200, { model: 'other' }))],
		['a failed answer', (session) => session.message(answer(1200, { stopReason: 'error' }))],
		['an aborted answer', (session) => session.message(answer(1200, { stopReason: 'aborted' }))],
		['an answer without usage', (session) => session.message(answer(0))],
		[
			'a system message',
			(session) => session.message({ role: 'system', content: 'new prompt', timestamp: 0 }),
		],
	] as [string, (session: SessionBuilder) => void][]) {
		it(`learns nothing across ${name}`, async () => {
			assert.deepEqual(await grownIn(between(add)), []);
		});
	}

	it('learns nothing from a prompt that became smaller', async () => {
		assert.deepEqual(await grownIn(between(() => {}, answer(900))), []);
	});

	it('learns nothing where results were pruned meanwhile, or later', async () => {
		const session = new SessionBuilder();
		const pruned = { ...toolResult('c1', '[Output truncated]'), prunedAt: 150 };
		session.message(answer(500, { timestamp: 50 }));
		session.message(pruned);
		session.message(answer(1000, { timestamp: 100 }));
		session.message(answer(1100, { timestamp: 200 }));
		session.message(answer(1300, { timestamp: 300 }));
		assert.deepEqual(await grownIn(session), [200]);
	});

	it('goes on above a compaction', async () => {
		const session = between(() => {});
		session.compaction('summary', session.leaf ?? '');
		session.user('later');
		session.message(answer(400));
		session.message(answer(450));
		assert.deepEqual(await grownIn(session), [50, 500]);
	});

	it('looks at the path alone', async () => {
		const session = between(() => {});
		session.leaf = 'first-answer';
		session.user('another way');
		session.message(answer(1700));
		assert.deepEqual(await grownIn(session), [700]);
	});

	it('reads no further than it must', async () => {
		const session = new SessionBuilder();
		for (let index = 1; index <= 1000; index++) session.message(answer(index));
		const tree = SessionTree.of(session.entries);
		const found = await readObservations(tree, session.leaf, model);
		assert.equal(found.length, 64);
		assert.deepEqual(await grownIn(session, { provider: 'test', modelId: 'unheard-of' }), []);
	});

	it('takes damaged usage for none', async () => {
		const damaged = { ...answer(1), usage: { input: 'many', output: null } };
		const session = between((it) => it.message(damaged as unknown as AssistantMessage));
		session.message({ ...answer(1), usage: undefined } as unknown as AssistantMessage);
		assert.deepEqual(await grownIn(session), []);
	});
});
