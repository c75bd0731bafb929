// Fault class C07: token count, window or threshold wrong. What does not need a running turn.
import { strict as assert } from 'node:assert';
import { emptyUsage, type AssistantMessage, type Usage } from '../../../src/agent/messages.ts';
import { toUsage } from '../../../src/providers/openai/usage.ts';
import { readContextUsage } from '../../../src/session/context-usage.ts';
import { reportedUsage } from '../../../src/session/reported-usage.ts';
import { SessionTree } from '../../../src/session/session-tree.ts';
import { TokenCounts } from '../../../src/session/token-counts.ts';
import { estimateTextTokens, IMAGE_TOKENS } from '../../../src/util/tokens.ts';
import { assistant, SessionBuilder, textOfTokens } from '../../support/session-builder.ts';

function answer(usage: Partial<Usage>, fields: Partial<AssistantMessage> = {}): AssistantMessage {
	return assistant('answer', [], { usage: { ...emptyUsage(), ...usage }, ...fields });
}

/** The usage as a session with this history would show it. */
async function usageOf(session: SessionBuilder, overheadTokens = 0) {
	const tree = SessionTree.of(session.entries);
	const counter = await new TokenCounts().counterFor(tree, session.leaf);
	return readContextUsage(tree, session.leaf, { counter, contextWindow: 200_000, overheadTokens });
}

describe('C07: the token count', () => {
	it('73, 75: is estimated where the server reports zeros', async () => {
		const session = new SessionBuilder();
		session.user(textOfTokens(190_000));
		session.message(answer({}, { stopReason: 'length' }));
		const { tokens, exact, basis } = await usageOf(session);
		assert.ok(tokens >= 190_000, String(tokens));
		assert.deepEqual([exact, basis], [false, 'estimate']);
	});

	it('77: does not add what the cache served a second time', () => {
		const usage = toUsage({
			prompt_tokens: 38_196,
			completion_tokens: 4,
			prompt_tokens_details: { cached_tokens: 38_153 },
		});
		assert.deepEqual(reportedUsage(answer(usage)), { prompt: 38_196, total: 38_200 });
		const separate = toUsage({
			prompt_tokens: 43,
			prompt_tokens_details: { cached_tokens: 38_153 },
		});
		assert.equal(reportedUsage(answer(separate))?.prompt, 38_196);
	});

	it('79: is an estimate of the small context right after a compaction', async () => {
		const session = new SessionBuilder();
		session.user('go');
		session.message(answer({ input: 180_000, output: 10 }));
		const kept = session.user(textOfTokens(500));
		session.compaction(textOfTokens(100), kept);
		const { tokens, basis } = await usageOf(session);
		assert.ok(tokens < 1000, String(tokens));
		assert.equal(basis, 'estimate');
	});

	it('81: takes an image for its fixed size, however many bytes it has', async () => {
		const session = new SessionBuilder();
		const image = { type: 'image' as const, data: 'A'.repeat(4_000_000), mimeType: 'image/png' };
		const content = [{ type: 'text' as const, text: 'what is this' }, image];
		session.message({ role: 'user', content, timestamp: 0 });
		assert.equal((await usageOf(session)).tokens, IMAGE_TOKENS + 3);
	});

	it('83: counts kana and kanji at their size, and mixed text by script', () => {
		const japanese = '次の関数を読んで結果を説明してくださいおねがいします'.slice(0, 24);
		assert.equal(japanese.length, 24);
		assert.ok(estimateTextTokens(japanese) >= 15);
		const mixed = estimateTextTokens(japanese + 'a'.repeat(400));
		assert.ok(mixed >= 115 && mixed <= 125, String(mixed));
		assert.equal(estimateTextTokens('𠮷'.repeat(24)), estimateTextTokens('吉'.repeat(24)));
	});

	it('85: keeps the last true count where one answer reports zero', async () => {
		const session = new SessionBuilder();
		session.user('first');
		session.message(answer({ input: 29_500, output: 51 }));
		assert.equal((await usageOf(session)).tokens, 29_551);
		session.user(textOfTokens(200));
		session.message(answer({}));
		const between = await usageOf(session);
		assert.ok(between.tokens >= 29_751 && between.tokens <= 29_760, String(between.tokens));
		assert.deepEqual([between.basis, between.exact], ['reported', false]);
		session.message(answer({ input: 30_000, output: 10 }));
		const after = await usageOf(session);
		assert.deepEqual([after.tokens, after.exact], [30_010, true]);
	});

	it('85: ignores what failed and aborted answers report', async () => {
		const session = new SessionBuilder();
		session.message(answer({ input: 29_500, output: 51 }));
		session.message(answer({ input: 3, output: 1 }, { stopReason: 'aborted' }));
		session.message(answer({ input: 999_999 }, { stopReason: 'error' }));
		assert.deepEqual(
			[(await usageOf(session)).tokens, (await usageOf(session)).exact],
			[29_551, true],
		);
	});

	it('89: includes system prompt and tools', async () => {
		const session = new SessionBuilder();
		session.user(textOfTokens(117_000));
		const { percent, messageTokens } = await usageOf(session, 38_000);
		assert.equal(percent, 77.5);
		assert.equal(messageTokens, 117_000);
	});

	it('95: is there at once for a long session that was just loaded', async () => {
		const session = new SessionBuilder();
		for (let index = 0; index < 300; index++) {
			session.user(textOfTokens(500));
			session.assistant(textOfTokens(500));
		}
		assert.equal((await usageOf(session)).tokens, 300_000);
	});
});
