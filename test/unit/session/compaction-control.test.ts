import { strict as assert } from 'node:assert';
import { UserError } from '../../../src/util/errors.ts';
import { echoSession } from '../../support/echo-session.ts';
import {
	assistant,
	SessionBuilder,
	textOfTokens,
	toolCall,
	toolResult,
} from '../../support/session-builder.ts';

const failsWith = (reason: string) => (error: unknown) =>
	error instanceof UserError && error.reason === reason;

describe('compaction of a session, planned and taken back', () => {
	it('plans without a word to a summarizer, and does what it planned', async () => {
		const { session, summarizer, storage } = await echoSession();
		const lines = storage.lines.length;
		const plan = await session.compact({ dryRun: true });
		assert.deepEqual(plan.candidates, ['echo']);
		assert.deepEqual([summarizer.requests.length, storage.lines.length], [0, lines]);
		const { entry, ...outcome } = await session.compact();
		const { preparation } = plan;
		assert.equal(entry.firstKeptEntryId, preparation.firstKeptEntryId);
		assert.equal(outcome.tokensBefore, plan.tokensBefore);
		assert.equal(outcome.keptMessages, preparation.keptMessages.length);
		assert(plan.tokensAfter <= plan.tokensBefore);
	});

	it('keeps from the given entry on, and never parts a call from its result', async () => {
		const builder = new SessionBuilder();
		builder.user(textOfTokens(300), 'u1');
		builder.message(assistant('', [toolCall('t1')]), 'a1');
		builder.message(toolResult('t1', textOfTokens(50)), 'r1');
		builder.user(textOfTokens(50), 'u2');
		const { session } = await echoSession(builder);
		const kept = async (boundaryId: string) =>
			(await session.compact({ dryRun: true, boundaryId })).preparation.firstKeptEntryId;
		assert.equal(await kept('u2'), 'u2');
		assert.equal(await kept('r1'), 'a1');
		await assert.rejects(session.compact({ boundaryId: 'u1' }), failsWith('too-small'));
		await assert.rejects(session.compact({ boundaryId: 'x' }), failsWith('not-in-context'));
	});

	it('takes a compaction back: the leaf moves before it, and what came after stays', async () => {
		const { session, storage } = await echoSession();
		const { entry } = await session.compact();
		const after = await session.manager.appendMessage({
			role: 'user',
			content: 'on',
			timestamp: 0,
		});
		const lines = [...storage.lines];
		assert.equal(session.undoCompaction().id, entry.id);
		assert.equal(session.manager.leafId, 'a5');
		assert.deepEqual(storage.lines, lines);
		assert.equal(session.manager.context().messages.length, 10);
		assert.deepEqual(session.manager.tree.childrenOf(entry.id), [after.id]);
		assert.throws(() => session.undoCompaction(), failsWith('no-compaction'));
		assert.throws(() => session.undoCompaction(entry.id), failsWith('no-compaction'));
		// It is still there to go back to.
		await session.navigateTree(entry.id);
		assert.equal(session.manager.context().messages[0]?.role, 'compactionSummary');
		session.undoCompaction(entry.id);
		assert.equal(session.manager.leafId, 'a5');
	});
});
