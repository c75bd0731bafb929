import { strict as assert } from 'node:assert';
import { buildSessionContext } from '../../../src/session/context.ts';
import type { AgentMessage } from '../../../src/session/messages.ts';
import { SessionBuilder } from '../../support/session-builder.ts';

function summaryOrText(message: AgentMessage): string {
	if ('summary' in message) return `${message.role}:${message.summary}`;
	return 'content' in message && typeof message.content === 'string'
		? message.content
		: JSON.stringify('content' in message ? message.content : message);
}
const texts = (messages: readonly AgentMessage[]) => messages.map(summaryOrText);

describe('session context', () => {
	it('is the summary, then what the compaction kept, then what follows', () => {
		const session = new SessionBuilder();
		session.user('old');
		const kept = session.user('kept');
		session.compaction('s', kept);
		session.user('new');
		assert.deepEqual(texts(buildSessionContext(session.entries).messages), [
			'compactionSummary:s',
			'kept',
			'new',
		]);
	});

	it('shows one summary after two compactions whose kept part spans the first (C02)', () => {
		const session = new SessionBuilder();
		session.user('a');
		const b = session.user('b');
		session.compaction('one', b);
		session.user('c');
		session.compaction('two', b);
		assert.deepEqual(texts(buildSessionContext(session.entries).messages), [
			'compactionSummary:two',
			'b',
			'c',
		]);
	});

	it('sees only compactions on its own path (C10)', () => {
		const session = new SessionBuilder();
		const root = session.user('root');
		session.user('left');
		session.compaction('left summary', root, { id: 'left-end' });
		session.leaf = root;
		session.user('right');
		const right = session.compaction('right summary', root);
		assert.equal(
			texts(buildSessionContext(session.entries, 'left-end').messages)[0],
			'compactionSummary:left summary',
		);
		assert.equal(
			texts(buildSessionContext(session.entries, right).messages)[0],
			'compactionSummary:right summary',
		);
	});

	it('keeps none for its own id, and nothing before the summary for an unknown one', () => {
		for (const firstKept of ['cmp', 'nowhere']) {
			const session = new SessionBuilder();
			session.user('old');
			session.compaction('s', firstKept, { id: 'cmp' });
			session.user('new');
			assert.deepEqual(texts(buildSessionContext(session.entries).messages), [
				'compactionSummary:s',
				'new',
			]);
		}
	});

	it('is empty for the null leaf, and at the last entry for an unknown one', () => {
		const session = new SessionBuilder();
		session.user('a');
		assert.deepEqual(buildSessionContext(session.entries, null).messages, []);
		assert.deepEqual(texts(buildSessionContext(session.entries, 'gone').messages), ['a']);
	});

	it('applies the latest context edit and honours a reset boundary', () => {
		const session = new SessionBuilder();
		session.user('before the reset');
		session.compaction('s', 'e1');
		session.add({ type: 'reset_boundary' });
		const edited = session.user('original');
		const omitted = session.user('omitted');
		session.add({ type: 'context_edit', targetId: edited, replacement: { content: 'edited' } });
		session.add({ type: 'context_edit', targetId: omitted, replacement: null });
		assert.deepEqual(texts(buildSessionContext(session.entries).messages), ['edited']);
	});

	it('carries branch summaries and custom messages, and skips empty summaries', () => {
		const session = new SessionBuilder();
		session.add({ type: 'branch_summary', fromId: 'x', summary: 'left behind' });
		session.add({ type: 'branch_summary', fromId: 'x', summary: '' });
		session.add({ type: 'custom_message', customType: 't', content: 'hi', display: true });
		session.add({ type: 'custom', customType: 't', data: 1 });
		assert.deepEqual(texts(buildSessionContext(session.entries).messages), [
			'branchSummary:left behind',
			'hi',
		]);
	});

	it('reads both shapes of a model change, over the whole path', () => {
		const session = new SessionBuilder();
		session.add({ type: 'model_change', provider: 'p', modelId: 'm' });
		assert.deepEqual(buildSessionContext(session.entries).model, { provider: 'p', modelId: 'm' });
		session.add({ type: 'model_change', model: 'q/n/large' });
		session.add({ type: 'thinking_level_change', thinkingLevel: 'high' });
		const context = buildSessionContext(session.entries);
		assert.deepEqual(context.model, { provider: 'q', modelId: 'n/large' });
		assert.equal(context.thinkingLevel, 'high');
	});
});
