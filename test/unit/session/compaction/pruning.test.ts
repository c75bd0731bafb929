import { strict as assert } from 'node:assert';
import {
	pruneToolOutputs,
	type PruneSettings,
} from '../../../../src/session/compaction/pruning.ts';
import { estimateTokens } from '../../../../src/session/message-tokens.ts';
import type { TokenCounter } from '../../../../src/util/tokens.ts';
import {
	SessionBuilder,
	assistant,
	textOfTokens,
	toolCall,
	toolResult,
} from '../../../support/session-builder.ts';

/** A call and its result, of so many tokens. */
function result(session: SessionBuilder, id: string, tokens: number, tool = 'bash'): void {
	session.message(assistant('', [toolCall(`c-${id}`, tool)]), `a-${id}`);
	session.message(toolResult(`c-${id}`, textOfTokens(tokens), tool), id);
}

describe('pruning of tool outputs', () => {
	let session: SessionBuilder;
	beforeEach(() => {
		session = new SessionBuilder();
		session.user('begin', 'u1');
	});
	const plan = (settings?: PruneSettings, count?: TokenCounter) =>
		pruneToolOutputs(session.entries, settings, count);
	const pruned = () => plan().outputs.map(({ entryId }) => entryId);

	it('takes all that lies behind the newest 40,000 tokens of output, newest first', async () => {
		for (const id of ['r1', 'r2', 'r3', 'r4']) result(session, id, 20_000);
		const { outputs, savedTokens } = plan();
		assert.deepEqual(
			outputs.map(({ entryId, tokens, notice }) => [entryId, tokens, notice]),
			[
				['r2', 20_000, '[Output truncated - 20000 tokens]'],
				['r1', 20_000, '[Output truncated - 20000 tokens]'],
			],
		);
		const notice = estimateTokens(toolResult('', '[Output truncated - 20000 tokens]'));
		assert.equal(savedTokens, 2 * (20_000 - notice));
	});

	it('keeps an output whole that begins within the newest 40,000 tokens', async () => {
		result(session, 'r1', 30_000);
		result(session, 'r2', 90_000);
		result(session, 'r3', 39_999);
		assert.deepEqual(pruned(), ['r1']);
	});

	it('prunes nothing where that would save less than 20,000 tokens', async () => {
		result(session, 'r1', 19_000);
		result(session, 'r2', 40_000);
		assert.deepEqual(plan(), {
			outputs: [],
			savedTokens: 0,
			possibleTokens: 19_000 - estimateTokens(toolResult('', '[Output truncated - 19000 tokens]')),
		});
	});

	it('never prunes results of skill and read; they count as output', async () => {
		result(session, 'r1', 50_000);
		result(session, 'r2', 50_000, 'skill');
		result(session, 'r3', 50_000, 'read');
		assert.deepEqual(pruned(), ['r1']);
		session = new SessionBuilder();
		result(session, 'r2', 50_000, 'skill');
		result(session, 'r3', 50_000, 'read');
		result(session, 'r4', 50_000);
		assert.deepEqual(pruned(), []);
	});

	it('leaves alone what would save less than its own notice, and what is pruned already', async () => {
		result(session, 'tiny', 8);
		result(session, 'small', 15);
		const done = { ...toolResult('c-d', textOfTokens(30_000), 'bash'), prunedAt: 1 };
		session.message(assistant('', [toolCall('c-d', 'bash')]));
		session.message(done, 'done');
		result(session, 'big', 30_000);
		result(session, 'new', 40_000);
		assert.deepEqual(pruned(), ['big']);
	});

	it('counts each image of a result', async () => {
		session.message(assistant('', [toolCall('c', 'shot')]));
		const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' };
		const content = Array.from({ length: 20 }, () => image);
		session.message({ ...toolResult('c', '', 'shot'), content }, 'images');
		result(session, 'new', 40_000);
		const { outputs } = plan();
		assert.deepEqual(
			outputs.map(({ entryId, tokens }) => [entryId, tokens]),
			[['images', 24_000]],
		);
	});

	it('does not look at what an earlier compaction summarized', async () => {
		result(session, 'summarized', 50_000);
		session.user('kept', 'u2');
		result(session, 'kept', 50_000);
		session.compaction('summary', 'u2');
		result(session, 'new', 40_000);
		assert.deepEqual(pruned(), ['kept']);
	});

	it('looks at what a model is sent: not at orphans, failed turns and edited results', async () => {
		session.message(toolResult('nobody', textOfTokens(50_000), 'bash'), 'orphan');
		session.message(assistant('', [toolCall('c-f', 'bash')], { stopReason: 'error' }));
		session.message(toolResult('c-f', textOfTokens(50_000), 'bash'), 'failed');
		result(session, 'edited', 50_000);
		result(session, 'omitted', 50_000);
		session.add({
			...{ type: 'context_edit', targetId: 'edited' },
			replacement: { content: textOfTokens(50_000) },
		});
		session.add({ type: 'context_edit', targetId: 'omitted', replacement: null });
		assert.deepEqual(plan(), { outputs: [], savedTokens: 0, possibleTokens: 0 });
	});

	it('counts with the counter that it is given', async () => {
		result(session, 'r1', 100);
		result(session, 'r2', 100);
		const { outputs } = plan(undefined, (text) => text.length * 100);
		assert.deepEqual(
			outputs.map(({ tokens }) => tokens),
			[40_000],
		);
	});

	it('takes anything for a result of a damaged file', async () => {
		for (const content of [null, 'text', [null, 7, { type: 'text' }], { a: 1 }]) {
			session.message(assistant('', [toolCall('c', 'bash')]));
			session.add({
				type: 'message',
				message: { role: 'toolResult', toolCallId: 'c', toolName: 7, content, prunedAt: 'x' },
			});
		}
		assert.deepEqual(pruned(), []);
	});
});
