/** C01: compaction loop or thrash. What starts automatic runs by itself is tested where it lives. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import type { Summarizer } from '../../../src/session/compaction/summarizer.ts';
import { UserError } from '../../../src/util/errors.ts';
import { startScriptedServer, steps, type ScriptedServer } from '../../support/scripted-server.ts';
import {
	assistant,
	SessionBuilder,
	textOfTokens,
	toolCall,
	toolResult,
} from '../../support/session-builder.ts';
import { openAtWork, openBuilt } from '../../support/session-at-work.ts';
import { wireText, wireTokens } from '../../support/wire.ts';

const refusals = ['already-compacted', 'too-small', 'no-gain'];

/** Turns of given sizes, in tokens: a prompt, a read and an answer each. */
function turns(sizes: readonly number[]): SessionBuilder {
	const builder = new SessionBuilder();
	for (const [turn, size] of sizes.entries()) {
		builder.user(`Request ${turn}: ${textOfTokens(size)}`);
		builder.message(assistant('', [toolCall(`c${turn}`, 'read', { path: `src/f${turn}.ts` })]));
		builder.message(toolResult(`c${turn}`, textOfTokens(size * 2)));
		builder.assistant(`Answer ${turn}: ${textOfTokens(size)}`);
	}
	return builder;
}

/** Answers with a share of the input's length, or more than it: a summarizer that hardly helps. */
function lazySummarizer(share: number): Summarizer & { calls: number } {
	return {
		name: 'lazy',
		contextWindow: undefined,
		calls: 0,
		summarize({ messages, maxTokens }) {
			this.calls++;
			const length = Math.min(JSON.stringify(messages).length * share, maxTokens * 4);
			return Promise.resolve({ text: 'x'.repeat(Math.max(1, Math.floor(length))) });
		},
	};
}

describe('C01 compaction loop or thrash: a compaction makes the context smaller or stores nothing, and none follows by itself', () => {
	let server: ScriptedServer;
	before(async () => {
		server = await startScriptedServer();
	});
	after(() => server.close());
	beforeEach(() => server.reset());

	it('whatever the summarizer gives, each stored compaction shrinks the context and repeating comes to an end', () =>
		fc.assert(
			fc.asyncProperty(
				fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 }),
				fc.constantFrom(0, 0.01, 0.5, 0.97, 1, 3),
				fc.constantFrom(8_000, 32_000, 1_000_000),
				fc.integer({ min: 1, max: 1_500 }),
				async (sizes, share, contextWindow, keepRecentTokens) => {
					const offline = lazySummarizer(share);
					const { session, storage } = await openBuilt(turns(sizes), {
						contextWindow,
						keepRecentTokens,
						reserveTokens: contextWindow / 4,
						session: { offline },
					});
					let { tokens } = await session.contextUsage();
					let stored = 0;
					for (let run = 0; run < 4; run++) {
						const lines = storage.lines.length;
						const { calls } = offline;
						try {
							const outcome = await session.compact();
							stored++;
							assert.equal(outcome.tokensBefore, tokens);
							assert(outcome.tokensAfter < tokens);
							assert.equal(storage.lines.length, lines + 1);
						} catch (error) {
							assert(error instanceof UserError && refusals.includes(error.reason), String(error));
							assert.equal(storage.lines.length, lines);
						}
						assert(
							offline.calls - calls <= 2,
							'one attempt: at most the two parts of a split turn',
						);
						const after = (await session.contextUsage()).tokens;
						if (stored > 0) assert(after <= tokens);
						else assert.equal(after, tokens);
						tokens = after;
					}
					assert(stored <= 1, 'nothing happened between, so that there was nothing more to do');
				},
			),
			{ numRuns: 60 },
		));

	it('asks no model where the session has just been compacted, metadata and a reload in between or not', async () => {
		const { session, storage, manager } = await openBuilt(turns([400, 400, 400]), { server });
		server.setDefault(steps.text('The summary.'));
		await session.compact();
		const asked = server.requests.length;
		await assert.rejects(session.compact(), { reason: 'already-compacted' });
		await manager.appendName('A name');
		await assert.rejects(session.compact(), { reason: 'too-small' });
		const reopened = await openAtWork(storage, { server });
		await assert.rejects(reopened.session.compact(), { reason: 'too-small' });
		assert.equal(server.requests.length, asked);
	});

	const failures = [
		['refused', steps.status(400, { error: { message: 'no' } })],
		['an overflow each time', steps.status(400, { error: { code: 'context_length_exceeded' } })],
		['empty', steps.text('')],
		['longer than what it stands for', steps.text(['word '.repeat(12_000)])],
	] as const;
	for (const [name, step] of failures)
		it(`a compaction that fails (${name}) is not begun again, not even by opening the session`, async () => {
			const { session, storage } = await openBuilt(turns([400, 400, 400]), { server });
			const before = [...storage.lines];
			server.setDefault(step);
			await assert.rejects(session.compact(), UserError);
			const asked = server.requests.length;
			assert(asked <= 5, 'smaller parts are tried a few times, not for ever');
			await session.whenIdle();
			const reopened = await openAtWork(storage, { server });
			await reopened.session.contextUsage();
			await reopened.session.whenIdle();
			assert.equal(server.requests.length, asked);
			assert.deepEqual(storage.lines, before);
		});

	it('one compaction is enough where the newest result alone is larger than the window', async () => {
		for (const contextWindow of [4_096, 8_000, 16_000])
			for (const size of [contextWindow, contextWindow * 2, contextWindow * 20]) {
				server.reset();
				const builder = turns([300, 300, 300]);
				builder.user('Read the big one');
				builder.message(assistant('', [toolCall('big', 'read', { path: 'big.txt' })]));
				builder.message(toolResult('big', `BEGIN ${textOfTokens(size)} END`));
				const options = { server, contextWindow, keepRecentTokens: 20_000, reserveTokens: 1_500 };
				const { session, manager } = await openBuilt(builder, options);
				server.setDefault(steps.text('The summary.'));
				await session.compact();
				const compactions = server.requests.length;
				await session.continue();
				await session.whenIdle();
				const request = server.requests[compactions];
				assert(request);
				assert(wireTokens(request) <= contextWindow - 1_500);
				const sent = request.body.messages.map(wireText).join('\n');
				assert.match(sent, /BEGIN .*characters cut.* END/s);
				assert.equal(manager.tree.countOf('compaction'), 1);
				assert.equal(server.requests.length, compactions + 1);
			}
	});

	it('tells which files were read and what was found, so that they need not be read again', async () => {
		const builder = new SessionBuilder();
		builder.user('Find where the price is rounded in src/money.ts, src/vat.ts and src/order.ts');
		for (const name of ['money', 'vat', 'order']) {
			const path = `src/${name}.ts`;
			builder.message(assistant('', [toolCall(name, 'read', { path })]));
			builder.message(toolResult(name, textOfTokens(3_000)));
			builder.assistant(`Finding: ${path} rounds with roundHalfEven in ${name}Total().`);
		}
		builder.user('And now?');
		builder.assistant(textOfTokens(50));
		const { session, manager } = await openBuilt(builder, {
			contextWindow: 8_000,
			reserveTokens: 1_600,
			keepRecentTokens: 100,
		});
		const { entry } = await session.compact();
		for (const name of ['money', 'vat', 'order']) {
			assert.match(entry.summary, new RegExp(`<read-files>[^<]*src/${name}\\.ts`));
			assert.match(JSON.stringify(manager.context().messages), new RegExp(`${name}Total`));
		}
	});

	it('a prompt after a compaction is sent with the smaller context, and nothing else is asked', async () => {
		const { session, storage } = await openBuilt(turns([900, 20]), {
			server,
			keepRecentTokens: 90,
		});
		server.setDefault(steps.text('Fine.'));
		const { tokensAfter } = await session.compact();
		const summaries = server.requests.length;
		for (let turn = 0; turn < 3; turn++) {
			await session.prompt(`Short question ${turn}`);
			await session.whenIdle();
		}
		const later = server.requests.slice(summaries);
		assert.equal(later.length, 3);
		for (const request of later) assert(wireTokens(request) <= tokensAfter + 60);
		const compactions = storage.lines.filter((line) => line.includes('"type":"compaction"'));
		assert.equal(compactions.length, 1);
	});
});
