import { strict as assert } from 'node:assert';
import {
	collectEntriesForBranchSummary,
	generateBranchSummary,
	prepareBranchEntries,
} from '../../../../src/session/compaction/branch-summarization.ts';
import { buildRequest } from '../../../../src/session/request-builder.ts';
import { estimateTextTokens } from '../../../../src/util/tokens.ts';
import { estimateTokens } from '../../../../src/session/message-tokens.ts';
import { SessionTree } from '../../../../src/session/session-tree.ts';
import { EchoSummarizer } from '../../../support/echo-summarizer.ts';
import {
	assistant,
	SessionBuilder,
	textOfTokens,
	toolCall,
	toolResult,
} from '../../../support/session-builder.ts';

const signal = new AbortController().signal;

/** A - B - C - D (the old leaf), and A - E - F. */
function forked(): SessionBuilder {
	const session = new SessionBuilder();
	session.user('a', 'A');
	for (const id of ['B', 'C', 'D']) session.assistant(id.toLowerCase(), id);
	session.leaf = 'A';
	for (const id of ['E', 'F']) session.assistant(id.toLowerCase(), id);
	return session;
}

describe('branch summarization', () => {
	it('collects what is left, from the common ancestor to the old leaf', () => {
		const tree = SessionTree.of(forked().entries);
		const collect = (from: string | null, to: string | null) => {
			const { entries, commonAncestorId } = collectEntriesForBranchSummary(tree, from, to);
			return [entries.map(({ id }) => id).join(''), commonAncestorId];
		};
		assert.deepEqual(collect('D', 'F'), ['BCD', 'A']);
		assert.deepEqual(collect('D', 'B'), ['CD', 'B']);
		assert.deepEqual(collect('B', 'D'), ['', 'B']);
		assert.deepEqual(collect(null, 'D'), ['', null]);
		assert.deepEqual(collect('D', null), ['ABCD', null]);
	});

	it('gathers files from all entries, messages from the newest back', () => {
		const session = new SessionBuilder();
		session.message(assistant(textOfTokens(90), [toolCall('1', 'edit', { path: 'old.ts' })]));
		session.compaction('c', 'e1', { details: { readFiles: ['r.ts'], modifiedFiles: [] } });
		session.assistant(textOfTokens(60));
		session.assistant(textOfTokens(30));
		const { messages, fileOps, totalTokens } = prepareBranchEntries(session.entries, 110);
		assert.deepEqual([...fileOps.modified], ['old.ts']);
		assert.deepEqual([...fileOps.read], ['r.ts']);
		assert.equal(messages.length, 3);
		assert(totalTokens >= 90);
		assert.equal(messages[0]?.role, 'compactionSummary');
	});

	it('clips a newest message larger than the budget rather than leaving it out', () => {
		const session = new SessionBuilder();
		session.user(`begin ${textOfTokens(5000)} end`);
		const { messages } = prepareBranchEntries(session.entries, 200);
		const [message] = messages;
		assert(message);
		assert(estimateTokens(message) <= 200);
		assert.match(JSON.stringify(message), /begin .*cut.* end/s);
	});

	it('takes a call and its results together, or neither (C03)', () => {
		const session = new SessionBuilder();
		session.user(textOfTokens(50), 'older');
		session.message(assistant('', [toolCall('1'), toolCall('2')]));
		session.message(toolResult('1', textOfTokens(40)));
		session.message(toolResult('2', textOfTokens(40)));
		session.assistant(textOfTokens(30), 'newest');
		const rolesWithin = (budget: number) =>
			prepareBranchEntries(session.entries, budget).messages.map(({ role }) => role);
		assert.deepEqual(rolesWithin(90), ['assistant']);
		assert.deepEqual(rolesWithin(150), ['assistant', 'toolResult', 'toolResult', 'assistant']);
	});

	it('clips a newest call with a huge result into text, and goes on with what led there', () => {
		const session = new SessionBuilder();
		session.user('the question');
		session.message(assistant('', [toolCall('1', 'bash', { command: 'make' })]));
		session.message(toolResult('1', `begin ${textOfTokens(5000)} end`));
		const { messages, totalTokens } = prepareBranchEntries(session.entries, 400);
		assert(totalTokens <= 400);
		assert.deepEqual(
			messages.map(({ role }) => role),
			['user', 'assistant'],
		);
		const { messages: sent } = buildRequest(messages);
		assert.match(JSON.stringify(sent), /the question.*bash.*make.*begin.*cut.* end/s);
	});

	it('writes nothing where there is nothing to summarize', async () => {
		const session = new SessionBuilder();
		session.add({ type: 'label', targetId: 'x', label: 'l' });
		const summarizer = new EchoSummarizer();
		const options = { summaryTokens: 1000, signal };
		assert.equal(await generateBranchSummary(session.entries, summarizer, options), undefined);
		assert.equal(await generateBranchSummary([], summarizer, options), undefined);
		session.message(assistant('stopped', [], { stopReason: 'aborted' }));
		assert.equal(await generateBranchSummary(session.entries, summarizer, options), undefined);
		assert.equal(summarizer.requests.length, 0);
	});

	it('is not much larger than asked for, however many files there are (C04)', async () => {
		const session = new SessionBuilder();
		for (let number = 0; number < 200; number++)
			session.message(
				assistant('', [
					toolCall(`c${number}`, number % 2 ? 'read' : 'write', {
						path: `${'folder/'.repeat(100)}${number}`,
					}),
				]),
			);
		const result = await generateBranchSummary(session.entries, new EchoSummarizer(), {
			summaryTokens: 1000,
			signal,
		});
		assert(estimateTextTokens(result?.summary ?? '') <= 2000);
		assert.match(result?.summary ?? '', /branch summary 1[^]*more\)/);
		assert.equal(result?.details.readFiles?.length, 100);
	});

	it('is the preamble, the summary and the file tags; instructions replace unless told to add', async () => {
		const session = new SessionBuilder();
		session.message(assistant('work', [toolCall('1', 'write', { path: 'w.ts' })]));
		const summarizer = new EchoSummarizer();
		const ask = (replaceInstructions?: boolean) =>
			generateBranchSummary(session.entries, summarizer, {
				summaryTokens: 1000,
				instructions: 'the schema',
				replaceInstructions,
				signal,
			});
		const result = await ask();
		assert.match(result?.summary ?? '', /\n\nbranch summary 1\n\n<modified-files>\nw\.ts\n/);
		assert.deepEqual(result?.details.modifiedFiles, ['w.ts']);
		assert.equal(result?.details.coveredEntries, 1);
		await ask(false);
		assert.deepEqual(
			summarizer.requests.map((request) => request.replaceInstructions),
			[true, false],
		);
	});
});
