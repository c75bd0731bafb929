import { strict as assert } from 'node:assert';
import { prepareCompaction } from '../../../../src/session/compaction/compaction.ts';
import { buildSessionContext } from '../../../../src/session/context.ts';
import { contextTokens } from '../../../../src/session/context-tokens.ts';
import type { SessionEntry } from '../../../../src/session/entries.ts';
import {
	assistant,
	SessionBuilder,
	textOfTokens,
	toolCall,
	toolResult,
} from '../../../support/session-builder.ts';

const settings = { reserveTokens: 1000, keepRecentTokens: 100 };

function longSession(): SessionBuilder {
	const session = new SessionBuilder();
	for (let turn = 0; turn < 4; turn++) {
		session.user(textOfTokens(60), `u${turn}`);
		session.message(assistant('', [toolCall(`c${turn}`, 'read', { path: `${turn}.ts` })]));
		session.message(toolResult(`c${turn}`, textOfTokens(60)));
		session.assistant(textOfTokens(40), `a${turn}`);
	}
	return session;
}

describe('the plan of a compaction', () => {
	it('is the same after the list of entries that it was made from has changed', () => {
		const { entries } = longSession();
		const expected = structuredClone({ ...prepareCompaction(entries, settings) });
		assert.equal(expected.tokensBefore, contextTokens(buildSessionContext(entries).messages));
		const list: SessionEntry[] = [...entries];
		const plan = prepareCompaction(list, settings);
		list.length = 0;
		assert.deepEqual({ ...plan }, expected);
	});

	it('shows all its parts to copies and JSON, and each is one object', () => {
		const plan = prepareCompaction(longSession().entries, settings);
		assert(plan);
		const written = JSON.parse(JSON.stringify(plan)) as Record<string, unknown>;
		for (const name of [
			...['firstKeptEntryId', 'messagesToSummarize', 'turnPrefixMessages', 'isSplitTurn'],
			...['keptMessages', 'tokensBefore', 'fileOps', 'covered', 'summaryTokens', 'keptTokens'],
		])
			assert(name in written, name);
		assert.equal(plan.messagesToSummarize, { ...plan }.messagesToSummarize);
	});

	it("keeps counts and files when a hook changes the plan's messages", () => {
		const { entries } = longSession();
		const untouched = prepareCompaction(entries, settings);
		const plan = prepareCompaction(entries, settings);
		assert(untouched && plan);
		plan.messagesToSummarize.length = 0;
		assert.deepEqual(plan.covered, untouched.covered);
		assert.deepEqual(plan.fileOps, untouched.fileOps);
		assert.equal(plan.tokensBefore, untouched.tokensBefore);
		plan.messagesToSummarize = untouched.messagesToSummarize;
		assert.deepEqual({ ...plan }, { ...untouched });
	});

	it('applies edits of older entries, after the newest compaction and in what it kept', () => {
		const session = longSession();
		session.add({ type: 'context_edit', targetId: 'u0', replacement: { content: 'edited' } });
		const plan = prepareCompaction(session.entries, settings);
		assert.match(JSON.stringify(plan?.messagesToSummarize[0]), /edited/);
		const compacted = longSession();
		compacted.add({ type: 'context_edit', targetId: 'a2', replacement: null });
		compacted.compaction('summary', 'u2');
		for (let turn = 0; turn < 3; turn++) compacted.user(textOfTokens(90));
		const second = prepareCompaction(compacted.entries, settings);
		// Seven of the two turns that were kept, without the answer, and two of the three requests.
		assert.equal(second?.messagesToSummarize.length, 7 + 2);
	});
});
