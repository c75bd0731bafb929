import { strict as assert } from 'node:assert';
import { compact, prepareCompaction } from '../../../../src/session/compaction/compaction.ts';
import { buildSessionContext } from '../../../../src/session/context.ts';
import { contextTokens } from '../../../../src/session/context-tokens.ts';
import { UserError } from '../../../../src/util/errors.ts';
import { EchoSummarizer } from '../../../support/echo-summarizer.ts';
import {
	assistant,
	SessionBuilder,
	textOfTokens,
	toolCall,
	toolResult,
} from '../../../support/session-builder.ts';

const settings = { reserveTokens: 1000, keepRecentTokens: 100 };

/** Prepares, summarizes and appends, as a session does. */
async function compactInto(session: SessionBuilder, keepRecentTokens: number) {
	const path = pathOf(session);
	const preparation = prepareCompaction(path, { ...settings, keepRecentTokens });
	if (!preparation) return undefined;
	const summarizer = new EchoSummarizer();
	const result = await compact(preparation, summarizer).catch((error: unknown) => {
		if (error instanceof UserError && error.reason === 'no-gain') return undefined;
		throw error;
	});
	if (result)
		session.compaction(result.summary, result.firstKeptEntryId, { details: result.details });
	return result && { preparation, result, requests: summarizer.requests };
}

function pathOf(session: SessionBuilder) {
	const byId = new Map(session.entries.map((entry) => [entry.id, entry]));
	const path = [];
	for (let at = session.leaf; at !== null;) {
		const entry = byId.get(at);
		assert(entry);
		path.unshift(entry);
		at = entry.parentId;
	}
	return path;
}

describe('compaction', () => {
	it('summarizes what the previous compaction kept when that is left behind (C02)', async () => {
		const session = new SessionBuilder();
		for (const name of ['u1', 'u2', 'u3']) {
			session.user(textOfTokens(60, `${name} `), name);
			session.assistant(textOfTokens(30), `${name}-answer`);
		}
		const first = await compactInto(session, 180);
		assert.equal(first?.result.firstKeptEntryId, 'u2');
		session.user(textOfTokens(90, 'u4 '), 'u4');
		session.assistant(textOfTokens(80), 'u4-answer');
		const second = await compactInto(session, 180);
		assert.equal(second?.result.firstKeptEntryId, 'u4');
		const summarized = JSON.stringify(second.preparation.messagesToSummarize);
		assert.match(summarized, /u2 /);
		assert.match(summarized, /u3 /);
		assert.equal(second.requests[0]?.previousSummary, 'history summary 1');
	});

	it('never separates a tool call from its results, and keeps the newest group whole (C03, C04)', () => {
		const session = new SessionBuilder();
		session.user(textOfTokens(500));
		session.assistant(textOfTokens(50));
		session.user('now the big reads');
		const calls = ['a', 'b', 'c', 'd'].map((id) => toolCall(id));
		const group = session.message(assistant('', calls));
		for (const { id } of calls) {
			session.message(toolResult(id, textOfTokens(130)));
			session.user('typed meanwhile');
		}
		session.message(assistant('done'), 'end');
		session.message(assistant('', [toolCall('e')]), 'newest');
		session.message(toolResult('e', textOfTokens(400)));
		const plan = prepareCompaction(session.entries, settings);
		assert.equal(plan?.firstKeptEntryId, 'newest');
		const wide = prepareCompaction(session.entries, { ...settings, keepRecentTokens: 950 });
		assert.equal(wide?.firstKeptEntryId, group);
	});

	it('goes ahead with two turns, splitting inside one if need be (C04)', async () => {
		const session = new SessionBuilder();
		session.user(textOfTokens(30));
		session.assistant(textOfTokens(3000));
		session.user(textOfTokens(30));
		session.assistant(textOfTokens(90), 'answer');
		const done = await compactInto(session, 100);
		assert.equal(done?.result.firstKeptEntryId, 'answer');
		assert.equal(done.preparation.isSplitTurn, true);
		assert.equal(
			done.result.summary,
			'history summary 1\n\n---\n\n**Turn Context (split turn):**\n\nturnPrefix summary 2',
		);
	});

	it('makes the previous summary the history part where no new history precedes the split', async () => {
		const session = new SessionBuilder();
		session.user(textOfTokens(200));
		session.assistant(textOfTokens(50));
		const turn = session.user('one long turn');
		session.compaction('what was before', turn);
		for (let i = 0; i < 4; i++) session.assistant(textOfTokens(200));
		const done = await compactInto(session, 100);
		assert.equal(
			done?.result.summary,
			'what was before\n\n---\n\n**Turn Context (split turn):**\n\nturnPrefix summary 1',
		);
	});

	it('merges both parts into the history when that long turn is compacted again', async () => {
		const session = new SessionBuilder();
		session.user(textOfTokens(300));
		session.assistant(textOfTokens(200));
		session.compaction('history\n\n---\n\n**Turn Context (split turn):**\n\nprefix', 'e2');
		for (let i = 0; i < 3; i++) session.assistant(textOfTokens(200));
		const done = await compactInto(session, 100);
		assert.equal(done?.result.summary, 'history summary 1');
		assert.match(done.requests[0]?.previousSummary ?? '', /^history.*prefix$/s);
	});

	it('decides on a split before metadata is pulled into the kept part', () => {
		const session = new SessionBuilder();
		session.user(textOfTokens(300));
		session.assistant(textOfTokens(300));
		const change = session.add({ type: 'model_change', provider: 'p', modelId: 'm' });
		session.add({ type: 'thinking_level_change', thinkingLevel: 'low' });
		session.user('next');
		const plan = prepareCompaction(session.entries, settings);
		assert.equal(plan?.firstKeptEntryId, change);
		assert.equal(plan.isSplitTurn, false);
		const messageBefore = new SessionBuilder();
		messageBefore.user(textOfTokens(300));
		messageBefore.add({ type: 'custom_message', customType: 't', content: 'c', display: true });
		const next = messageBefore.user(textOfTokens(100));
		assert.equal(prepareCompaction(messageBefore.entries, settings)?.firstKeptEntryId, next);
	});

	it('has nothing to do where all is kept, or right after a compaction', () => {
		const session = new SessionBuilder();
		session.user('short');
		session.assistant('answer');
		assert.equal(prepareCompaction(session.entries, settings), undefined);
		session.user(textOfTokens(500));
		session.user('x');
		session.compaction('s', session.leaf ?? '');
		assert.equal(prepareCompaction(session.entries, settings), undefined);
	});

	it('reduces a full context of 32,000 tokens with the default settings (C04)', async () => {
		const session = new SessionBuilder();
		for (let i = 0; i < 30; i++) {
			session.user(textOfTokens(200));
			session.message(assistant('', [toolCall(`c${i}`)]));
			session.message(toolResult(`c${i}`, textOfTokens(800)));
		}
		const plan = prepareCompaction(session.entries, {
			reserveTokens: 16_384,
			keepRecentTokens: 20_000,
			contextWindow: 32_000,
		});
		assert(plan);
		const result = await compact(plan, new EchoSummarizer());
		assert(result.tokensAfter + plan.summaryTokens <= 32_000 - 16_384);
		session.compaction(result.summary, result.firstKeptEntryId);
		assert.equal(contextTokens(buildSessionContext(session.entries).messages), result.tokensAfter);
	});

	it('refuses a summary that would make the context larger (C01)', async () => {
		const session = new SessionBuilder();
		session.user('tiny');
		session.assistant('tiny');
		session.user(textOfTokens(100));
		const plan = prepareCompaction(session.entries, settings);
		assert(plan);
		const summarize = () => Promise.resolve({ text: textOfTokens(50) });
		await assert.rejects(
			compact(plan, { name: 'long', contextWindow: undefined, summarize }),
			(error: UserError) => error.reason === 'no-gain',
		);
	});

	it('records files cumulatively, its own only, and strips old tags before an update', async () => {
		const session = new SessionBuilder();
		session.user(textOfTokens(200));
		session.message(
			assistant('', [
				toolCall('1', 'read', { path: 'a.ts' }),
				toolCall('2', 'read', { path: 'b.ts' }),
				toolCall('3', 'edit', { path: 'b.ts' }),
				toolCall('4', 'write', { path: 'c.ts' }),
			]),
		);
		for (const id of ['1', '2', '3', '4']) session.message(toolResult(id, textOfTokens(50)));
		session.user(textOfTokens(90));
		const first = await compactInto(session, 100);
		assert.deepEqual(first?.result.details.readFiles, ['a.ts']);
		assert.deepEqual(first.result.details.modifiedFiles, ['b.ts', 'c.ts']);
		assert.match(first.result.summary, /<read-files>\na\.ts\n<\/read-files>/);
		session.message(assistant('', [toolCall('5', 'write', { path: 'a.ts' })]));
		session.message(toolResult('5', textOfTokens(50)));
		session.user(textOfTokens(90));
		const second = await compactInto(session, 95);
		assert.deepEqual(second?.result.details.modifiedFiles, ['a.ts', 'b.ts', 'c.ts']);
		assert.deepEqual(second.result.details.readFiles, []);
		for (const request of second.requests)
			assert.doesNotMatch(request.previousSummary ?? '', /read-files|modified-files/);
		const foreign = new SessionBuilder();
		const old = foreign.user(textOfTokens(300));
		foreign.compaction('s', old, {
			details: { readFiles: ['x'], modifiedFiles: 3 },
			fromHook: true,
		});
		foreign.user(textOfTokens(90));
		const plan = prepareCompaction(foreign.entries, settings);
		assert.equal(plan?.fileOps.read.size, 0);
	});
});
