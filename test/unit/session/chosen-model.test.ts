/** The model that a session names: written when chosen, read from the path. */
import assert from 'node:assert/strict';
import { emptyUsage } from '../../../src/agent/messages.ts';
import type { Model } from '../../../src/agent/model.ts';
import { AgentSession } from '../../../src/session/agent-session.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { MemorySessionStorage } from '../../../src/session/session-storage.ts';
import { UserError } from '../../../src/util/errors.ts';
import { EchoSummarizer } from '../../support/echo-summarizer.ts';
import { SessionBuilder } from '../../support/session-builder.ts';

const one = { provider: 'vscode-lm', modelId: 'v/one' };
const two = { provider: 'vscode-lm', modelId: 'v/two' };

const model: Model = {
	provider: 'p',
	id: 'm',
	contextWindow: 1000,
	async *stream() {
		yield {
			type: 'done',
			message: {
				...{ role: 'assistant', content: [{ type: 'text', text: 'yes' }] },
				...{ api: 'x', provider: 'p', model: 'm', usage: emptyUsage() },
				...{ stopReason: 'stop', timestamp: 1 },
			},
		};
	},
};

function sessionOn(manager: SessionManager): AgentSession {
	return new AgentSession(manager, {
		model: () => Promise.resolve(model),
		offline: new EchoSummarizer(),
		settings: () => ({
			compaction: { reserveTokens: 100, keepRecentTokens: 1 },
			branchSummary: { enabled: false, reserveTokens: 100 },
			contextWindow: 1000,
		}),
	});
}

describe('the model of a session', () => {
	it('is written with the first prompt of an empty session, before it', async () => {
		const manager = SessionManager.inMemory();
		const session = sessionOn(manager);
		await session.chooseModel(one);
		await session.chooseModel(two);
		assert.deepEqual([session.chosenModel, manager.tree.size], [two, 0]);
		await session.prompt('Hello');
		await session.whenIdle();
		await session.prompt('Again');
		await session.whenIdle();
		const branch = manager.getBranch();
		assert.deepEqual(
			branch.map(({ type }) => type),
			['model_change', 'message', 'message', 'message', 'message'],
		);
		const { id: _id, parentId: _parent, timestamp: _time, ...change } = branch[0]!;
		assert.deepEqual(change, { type: 'model_change', ...two });
	});

	it('is the path’s newest change that names one, in either shape', async () => {
		const builder = new SessionBuilder();
		const first = builder.add({ type: 'model_change', ...one });
		builder.add({ type: 'model_change', model: 'anthropic/claude' });
		builder.add({ type: 'model_change' });
		const manager = await SessionManager.open(new MemorySessionStorage(builder.lines(), '/s'));
		const session = sessionOn(manager);
		assert.deepEqual(session.chosenModel, { provider: 'anthropic', modelId: 'claude' });
		manager.branch(first);
		assert.deepEqual(session.chosenModel, one);
		await session.chooseModel(two);
		assert.deepEqual(session.chosenModel, two);
		manager.branch(null);
		assert.equal(session.chosenModel, undefined);
	});

	it('does not change under a compaction, which counts on the leaf', async () => {
		const builder = new SessionBuilder();
		for (const text of ['a', 'b']) {
			builder.user(text.repeat(400));
			builder.assistant(text.repeat(400));
		}
		const manager = await SessionManager.open(new MemorySessionStorage(builder.lines(), '/s'));
		const session = sessionOn(manager);
		const compaction = session.compact({ summarizer: 'offline' });
		await assert.rejects(
			session.chooseModel(one),
			(error: unknown) => error instanceof UserError && error.reason === 'busy',
		);
		await compaction;
		assert.equal(manager.tree.countOf('model_change'), 0);
	});
});
