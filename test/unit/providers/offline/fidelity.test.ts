import { strict as assert } from 'node:assert';
import { checkDelivery } from '../../../../bench/fidelity/delivery.mjs';
import { measure } from '../../../../bench/fidelity/judge.mjs';
import { scriptedSessions, type Fact } from '../../../../bench/fidelity/scripted.mjs';
import { createOfflineSummarizer } from '../../../../src/providers/offline/offline-summarizer.ts';
import { compact, prepareCompaction } from '../../../../src/session/compaction/compaction.ts';
import { createModelSummarizer } from '../../../../src/session/compaction/model-summarizer.ts';
import { estimateTokens } from '../../../../src/session/message-tokens.ts';

const core = { compact, prepareCompaction, estimateTokens, createModelSummarizer };
const LEAST_SHARE = 0.9;
/** A session that nobody tunes on may lose a little more; all of those together may not. */
const LEAST_HELD_OUT = 0.8;
const MOST_TOKENS = 4_000;

const names = (facts: readonly Fact[]): string =>
	facts.map(({ kind, keys }) => `${kind} ${keys.join(' + ')}`).join('; ');

describe('fidelity of summaries after five compactions in a row', () => {
	const sessions = scriptedSessions();

	for (const session of sessions)
		it(`offline, keeps what must be kept: ${session.name}`, async () => {
			const verdict = await measure(core, session, createOfflineSummarizer());
			assert.ok(verdict, 'too short to be compacted five times');
			const { must, lost, stale, tokens, filesExact } = verdict;
			const least = session.isHeldOut ? LEAST_HELD_OUT : LEAST_SHARE;
			assert.ok(must.kept >= must.all * least, `${must.kept} of ${must.all}; ${names(lost)}`);
			assert.ok(Math.max(...tokens) <= MOST_TOKENS, `tokens: ${tokens.join(', ')}`);
			assert.ok(filesExact, 'details do not hold exactly the files of the tool calls');
			const rules = stale.filter(({ kind }) => kind === 'constraint' || kind === 'item');
			assert.equal(names(rules), '', 'told as holding, though the user took it back');
		});

	it('offline, keeps it of the held-out sessions together', async () => {
		const total = { kept: 0, all: 0 };
		for (const session of sessions.filter(({ isHeldOut }) => isHeldOut)) {
			const verdict = await measure(core, session, createOfflineSummarizer());
			total.kept += verdict?.must.kept ?? 0;
			total.all += verdict?.must.all ?? 0;
		}
		assert.ok(total.all > 60, `${total.all} facts`);
		assert.ok(total.kept >= total.all * LEAST_SHARE, `${total.kept} of ${total.all}`);
	});

	for (const session of sessions)
		it(`a model is sent what must be kept: ${session.name}`, async () => {
			const { due, missing } = await checkDelivery(core, session);
			assert.ok(due > 0);
			assert.equal(names(missing), '');
		});
});
