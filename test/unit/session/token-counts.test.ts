// The counter of a session: calibrated for its model, each message measured once.
import { strict as assert } from 'node:assert';
import { emptyUsage, type AssistantMessage } from '../../../src/agent/messages.ts';
import { contextTokens } from '../../../src/session/context-tokens.ts';
import { buildTreeContext } from '../../../src/session/context.ts';
import type { AgentMessage } from '../../../src/session/messages.ts';
import { estimateTokens } from '../../../src/session/message-tokens.ts';
import { SessionTree } from '../../../src/session/session-tree.ts';
import { isOpenAI, TokenCounts } from '../../../src/session/token-counts.ts';
import {
	assistant,
	SessionBuilder,
	textOfTokens,
	toolCall,
	toolResult,
} from '../../support/session-builder.ts';

/** Counts a token for each character, and remembers what it was asked. */
class CharacterTokenizer {
	readonly asked: string[] = [];
	fails = false;

	async count(texts: readonly string[]): Promise<number[]> {
		if (this.fails) throw new Error('no tokenizer');
		this.asked.push(...texts);
		return texts.map((text) => text.length);
	}
}

const TOKENS = 400;
const PER_TOKEN = 1.3;
const PER_CALL = 60;

/** A tool loop whose provider counts 1.3 tokens for each estimated one, and 60 for a call. */
function toolLoop(turns: number, fields: Partial<AssistantMessage> = {}): SessionBuilder {
	const session = new SessionBuilder();
	session.user('go');
	let prompt = 1000;
	for (let turn = 0; turn < turns; turn++) {
		const call = assistant('', [toolCall(`c${turn}`)], {
			...fields,
			usage: { ...emptyUsage(), input: prompt },
		});
		const result = toolResult(`c${turn}`, textOfTokens(TOKENS * (1 + (turn % 4))));
		const estimated = estimateTokens(call) + estimateTokens(result);
		prompt += Math.round(estimated * PER_TOKEN + PER_CALL);
		session.message(call);
		session.message(result);
	}
	return session;
}

function last(tree: SessionTree, leafId: string | null): AgentMessage {
	const message = buildTreeContext(tree, leafId).messages.at(-1);
	assert.ok(message);
	return message;
}

describe('TokenCounts', () => {
	it('estimates as ever where nothing was reported', async () => {
		const session = new SessionBuilder();
		session.user(textOfTokens(100));
		session.assistant('answer');
		const tree = SessionTree.of(session.entries);
		const { messages } = buildTreeContext(tree, session.leaf);
		const counter = await new TokenCounts().counterFor(tree, session.leaf);
		assert.equal(contextTokens(messages, counter), contextTokens(messages));
	});

	it('learns what the provider counts, without a tokenizer', async () => {
		const session = toolLoop(30);
		const tree = SessionTree.of(session.entries);
		const counter = await new TokenCounts().counterFor(tree, session.leaf);
		const message = last(tree, session.leaf);
		const expected = estimateTokens(message) * PER_TOKEN;
		assert.ok(Math.abs(estimateTokens(message, counter) / expected - 1) < 0.05);
		assert.ok(Math.abs((counter.perCall ?? 0) - PER_CALL) < 20, String(counter.perCall));
		// What is not in the session yet is counted by the same measure.
		assert.ok(Math.abs(counter(textOfTokens(1000)) / (1000 * PER_TOKEN) - 1) < 0.05);
	});

	it('asks the tokenizer before there is enough usage, once for each message', async () => {
		const tokenizer = new CharacterTokenizer();
		const counts = new TokenCounts({ tokenizer });
		const session = new SessionBuilder();
		session.user('first message');
		const before = SessionTree.of(session.entries);
		const counter = await counts.counterFor(before, session.leaf);
		assert.equal(estimateTokens(last(before, session.leaf), counter), 'first message'.length);
		session.user('second');
		await counts.counterFor(SessionTree.of(session.entries), session.leaf);
		await counts.counterFor(SessionTree.of(session.entries), session.leaf);
		assert.deepEqual(tokenizer.asked, ['first message', 'second']);
	});

	it('makes nobody wait for the tokenizer who cannot', async () => {
		const session = new SessionBuilder();
		session.user(textOfTokens(100));
		const tokenizer = new CharacterTokenizer();
		const counts = new TokenCounts({ tokenizer });
		const tree = SessionTree.of(session.entries);
		const [message] = buildTreeContext(tree, session.leaf).messages as [AgentMessage];
		const now = await counts.counterFor(tree, session.leaf, { now: true });
		assert.deepEqual([estimateTokens(message, now), tokenizer.asked.length], [100, 0]);
		await counts.counterFor(tree, session.leaf);
		const later = await counts.counterFor(tree, session.leaf, { now: true });
		assert.equal(estimateTokens(message, later), 400);
	});

	it('counts text that the tokenizer has not seen in proportion', async () => {
		const session = new SessionBuilder();
		session.user(textOfTokens(100));
		const counts = new TokenCounts({ tokenizer: new CharacterTokenizer() });
		const counter = await counts.counterFor(SessionTree.of(session.entries), session.leaf);
		assert.equal(counter(textOfTokens(10)), 40);
	});

	it('needs no tokenizer once there is enough usage, but for models of OpenAI', async () => {
		for (const [model, asks] of [
			['claude-sonnet-4-5', false],
			['openai/gpt-5', true],
		] as const) {
			const tokenizer = new CharacterTokenizer();
			const session = toolLoop(30, { provider: 'any', model });
			const tree = SessionTree.of(session.entries);
			await new TokenCounts({ tokenizer }).counterFor(tree, session.leaf);
			assert.equal(tokenizer.asked.length > 0, asks, model);
		}
	});

	it('calibrates the tokenizer as well', async () => {
		const session = toolLoop(30, { model: 'gpt-5' });
		const counts = new TokenCounts({ tokenizer: new CharacterTokenizer() });
		const tree = SessionTree.of(session.entries);
		const counter = await counts.counterFor(tree, session.leaf);
		const message = last(tree, session.leaf);
		const expected = estimateTokens(message) * PER_TOKEN;
		assert.ok(Math.abs(estimateTokens(message, counter) / expected - 1) < 0.1);
	});

	it('estimates where the tokenizer fails, and asks again the next time', async () => {
		const tokenizer = new CharacterTokenizer();
		tokenizer.fails = true;
		const counts = new TokenCounts({ tokenizer });
		const session = new SessionBuilder();
		session.user(textOfTokens(25));
		const tree = SessionTree.of(session.entries);
		const message = last(tree, session.leaf);
		const failed = await counts.counterFor(tree, session.leaf);
		assert.equal(estimateTokens(message, failed), 25);
		tokenizer.fails = false;
		const worked = await counts.counterFor(tree, session.leaf);
		assert.equal(estimateTokens(message, worked), 100);
	});

	it('survives a compaction and a reload', async () => {
		const session = toolLoop(30);
		session.compaction('summary', session.leaf ?? '');
		const tree = SessionTree.of(session.entries);
		const counter = await new TokenCounts().counterFor(tree, session.leaf);
		assert.ok(Math.abs(counter(textOfTokens(1000)) / (1000 * PER_TOKEN) - 1) < 0.05);
	});
});

describe('isOpenAI', () => {
	it('knows the models by their names, whoever serves them', () => {
		for (const modelId of [
			'gpt-4o',
			'openai/gpt-5.1-codex',
			'o1',
			'azure/o3-mini',
			'chatgpt-4o-latest',
			'ft:gpt-4o:x',
		])
			assert.equal(isOpenAI({ provider: 'p', modelId }), true, modelId);
		for (const modelId of ['claude-sonnet-4-5', 'qwen3', 'gemini-o1x', 'olmo-2', 'o1x', 'phi-4'])
			assert.equal(isOpenAI({ provider: 'openai', modelId }), false, modelId);
		assert.equal(isOpenAI(undefined), false);
	});
});
