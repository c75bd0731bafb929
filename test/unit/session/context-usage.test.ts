// How full a context is: reported where that holds, else estimated.
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { emptyUsage, type AssistantMessage, type Usage } from '../../../src/agent/messages.ts';
import { contextTokens } from '../../../src/session/context-tokens.ts';
import { buildTreeContext } from '../../../src/session/context.ts';
import { readContextUsage, type ContextUsageOptions } from '../../../src/session/context-usage.ts';
import { SessionTree } from '../../../src/session/session-tree.ts';
import { estimateTextTokens } from '../../../src/util/tokens.ts';
import { treeEntries } from '../../support/arbitrary-tree.ts';
import {
	assistant,
	SessionBuilder,
	textOfTokens,
	toolCall,
	toolResult,
} from '../../support/session-builder.ts';

function answer(usage: Partial<Usage>, fields: Partial<AssistantMessage> = {}): AssistantMessage {
	return assistant('answer', [], { usage: { ...emptyUsage(), ...usage }, ...fields });
}

function usageOf(session: SessionBuilder, options: Partial<ContextUsageOptions> = {}) {
	return readContextUsage(SessionTree.of(session.entries), session.leaf, {
		counter: estimateTextTokens,
		contextWindow: 200_000,
		...options,
	});
}

/** A session whose last answer was reported with 5,000 tokens in all. */
function reported(fields: Partial<AssistantMessage> = {}): SessionBuilder {
	const session = new SessionBuilder();
	session.user(textOfTokens(100), 'prompt');
	session.message(answer({ input: 3000, cacheRead: 1800, output: 200 }, fields), 'reported');
	return session;
}

describe('readContextUsage', () => {
	it('is exact right behind an answer with usage; a total of the provider is not needed', async () => {
		const { tokens, exact, basis, percent, reportedBy } = await usageOf(reported());
		assert.deepEqual(
			{ tokens, exact, basis, percent, reportedBy },
			{ tokens: 5000, exact: true, basis: 'reported', percent: 2.5, reportedBy: 'reported' },
		);
	});

	it('adds an estimate of what came after', async () => {
		const session = reported();
		session.user(textOfTokens(300));
		const { tokens, exact, basis, messageTokens } = await usageOf(session, { overheadTokens: 999 });
		assert.deepEqual({ tokens, exact, basis }, { tokens: 5300, exact: false, basis: 'reported' });
		assert.equal(messageTokens, 100 + 2 + 300);
	});

	it('counts the stand-in of a call that was not answered', async () => {
		const session = new SessionBuilder();
		session.user('go');
		const usage = { ...emptyUsage(), input: 1000, output: 10 };
		session.message(assistant('', [toolCall('c1'), toolCall('c2')], { usage }));
		session.message(toolResult('c2', textOfTokens(50)));
		const { tokens, exact } = await usageOf(session);
		assert.ok(tokens > 1060 && tokens < 1100, String(tokens));
		assert.equal(exact, false);
	});

	it('is not moved by metadata', async () => {
		const session = reported();
		session.add({ type: 'label', targetId: 'prompt', label: 'x' });
		session.add({ type: 'session_info', name: 'x' });
		assert.equal((await usageOf(session)).exact, true);
	});

	for (const [name, change] of [
		['a compaction', (session) => session.compaction('summary', 'reported')],
		['a reset', (session) => session.add({ type: 'reset_boundary' })],
		[
			'a context edit',
			(session) =>
				session.add({ type: 'context_edit', targetId: 'prompt', replacement: { content: 'x' } }),
		],
		[
			'a prune',
			(session) =>
				session.add({
					type: 'message',
					message: { ...toolResult('c', ''), prunedAt: Date.UTC(2030) },
				}),
		],
	] as [string, (session: SessionBuilder) => void][]) {
		it(`believes no usage from before ${name}`, async () => {
			const session = reported();
			change(session);
			const { basis, tokens, messageTokens, exact } = await usageOf(session, { overheadTokens: 7 });
			assert.deepEqual([basis, exact], ['estimate', false]);
			assert.equal(tokens, messageTokens + 7);
		});
	}

	it('believes no absurd counts, and stays finite whatever stands in the file', async () => {
		for (const bad of [1e308, Infinity, 2 ** 53, -5, NaN, '9', null]) {
			const session = new SessionBuilder();
			session.user('hello', 'u1');
			const usage = { input: bad, output: bad, cacheRead: bad, cacheWrite: bad } as never;
			session.message(answer(usage));
			const { basis, tokens, percent } = await usageOf(session);
			assert.equal(basis, 'estimate', String(bad));
			assert(tokens > 0 && tokens < 100 && Number.isFinite(percent), String(bad));
		}
	});

	it('believes usage from after a prune', async () => {
		const { basis } = await usageOf(reported(), { prunedAt: Date.UTC(2025) });
		assert.equal(basis, 'reported');
		assert.equal((await usageOf(reported(), { prunedAt: Date.UTC(2030) })).basis, 'estimate');
	});

	it('does not take what another model reported', async () => {
		const model = { provider: 'test', modelId: 'another' };
		assert.equal((await usageOf(reported(), { model })).basis, 'estimate');
		const same = { provider: 'test', modelId: 'test-model' };
		assert.equal((await usageOf(reported(), { model: same })).basis, 'reported');
	});

	it('does not take what was reported on another branch', async () => {
		const session = reported();
		session.leaf = 'prompt';
		session.user('another way');
		const { basis, tokens, messageTokens } = await usageOf(session);
		assert.deepEqual([basis, tokens], ['estimate', messageTokens]);
	});

	it('counts an empty conversation', async () => {
		const { tokens, exact, basis } = await usageOf(new SessionBuilder(), { overheadTokens: 40 });
		assert.deepEqual([tokens, exact, basis], [40, false, 'estimate']);
	});

	it('counts the messages of any tree as everything else does', async () => {
		await fc.assert(
			fc.asyncProperty(treeEntries, async (entries) => {
				const tree = SessionTree.of(entries);
				const leaf = entries.at(-1)?.id ?? null;
				const usage = await readContextUsage(tree, leaf, {
					counter: estimateTextTokens,
					contextWindow: 1000,
				});
				assert.equal(usage.messageTokens, contextTokens(buildTreeContext(tree, leaf).messages));
				assert.equal(usage.tokens, usage.messageTokens);
				assert.equal(usage.exact, false);
			}),
			{ numRuns: 50 },
		);
	});
});
