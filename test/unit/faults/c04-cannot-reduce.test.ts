/** C04: compaction cannot reduce. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { createOpenAIModel } from '../../../src/providers/openai/openai-model.ts';
import type { AgentMessage } from '../../../src/session/messages.ts';
import { UserError } from '../../../src/util/errors.ts';
import {
	startScriptedServer,
	steps,
	type RecordedRequest,
	type ScriptedServer,
} from '../../support/scripted-server.ts';
import {
	assistant,
	SessionBuilder,
	textOfTokens,
	toolCall,
	toolResult,
} from '../../support/session-builder.ts';
import { openBuilt, type AtWorkOptions } from '../../support/session-at-work.ts';
import { wireText, wireTokens, wireTokensWithAnswer } from '../../support/wire.ts';

/** `turns` turns of about `each` tokens: a prompt, a read, an answer. */
function session(turns: number, each: number): SessionBuilder {
	const builder = new SessionBuilder();
	for (let turn = 0; turn < turns; turn++) {
		builder.user(`Request ${turn}: ${textOfTokens(each / 4)}`);
		builder.message(assistant('', [toolCall(`c${turn}`, 'read', { path: `f${turn}.ts` })]));
		builder.message(toolResult(`c${turn}`, textOfTokens(each / 2)));
		builder.assistant(textOfTokens(each / 4));
	}
	return builder;
}

function thinking(tokens: number): AgentMessage {
	const message = assistant('Thought about it.');
	message.content.unshift({ type: 'thinking', thinking: textOfTokens(tokens) });
	return message;
}

interface Case extends AtWorkOptions {
	name: string;
	build: () => SessionBuilder;
	/** What each request of a summary must hold, so that nothing is left out unseen. */
	told?: RegExp[];
}

const small = { contextWindow: 8_000, reserveTokens: 1_600, keepRecentTokens: 20_000 };
const medium = { contextWindow: 32_000, reserveTokens: 16_384, keepRecentTokens: 20_000 };
const large = { contextWindow: 200_000, reserveTokens: 16_384, keepRecentTokens: 20_000 };

const cases: Case[] = [
	{ name: 'ten times too large, 8k', ...small, build: () => session(100, 800) },
	{ name: 'ten times too large, 32k', ...medium, build: () => session(320, 1_000) },
	{
		name: 'one message of 5 MB in the region to summarize',
		...medium,
		build: () => {
			const builder = session(2, 400);
			builder.user(`BEGIN ${'m'.repeat(5_000_000)} END`);
			builder.assistant('Noted.');
			return withTail(builder);
		},
		told: [/BEGIN mmm.*characters cut.*mmm END/s],
	},
	{
		name: 'one message of 5 MB as the newest',
		...medium,
		build: () => {
			const builder = session(4, 400);
			builder.user(`BEGIN ${'m'.repeat(5_000_000)} END`);
			return builder;
		},
	},
	{
		name: 'one message of 5 MB that is not ASCII',
		...medium,
		build: () => {
			const builder = session(2, 400);
			builder.user('漢字'.repeat(850_000));
			return withTail(builder);
		},
	},
	{
		name: '4,000 tool results in one turn',
		...medium,
		build: () => {
			const builder = new SessionBuilder();
			builder.user('Read all of it');
			for (let call = 0; call < 4_000; call++) {
				builder.message(assistant('', [toolCall(`c${call}`, 'read', { path: `f${call}` })]));
				builder.message(toolResult(`c${call}`, textOfTokens(40)));
			}
			return builder;
		},
	},
	{
		name: '4,000 results of one message',
		...medium,
		build: () => {
			const builder = session(4, 400);
			builder.user('Read all of it at once');
			const ids = Array.from({ length: 4_000 }, (_, call) => `c${call}`);
			builder.message(
				assistant(
					'',
					ids.map((id) => toolCall(id)),
				),
			);
			for (const id of ids) builder.message(toolResult(id, textOfTokens(20)));
			builder.assistant('All read.');
			return withTail(builder);
		},
	},
	{
		name: 'results of the latest turn above what is kept',
		...large,
		build: () => {
			const builder = session(40, 1_000);
			builder.user('Four big ones');
			const ids = ['p', 'q', 'r', 's'];
			builder.message(
				assistant(
					'',
					ids.map((id) => toolCall(id)),
				),
			);
			for (const id of ids) builder.message(toolResult(id, textOfTokens(13_000)));
			return builder;
		},
	},
	{
		name: 'a pair that just fits, behind a large prompt',
		...medium,
		build: () => {
			const builder = new SessionBuilder();
			builder.user(textOfTokens(3_000));
			builder.message(assistant('', [toolCall('c')]));
			builder.message(toolResult('c', textOfTokens(18_000)));
			return builder;
		},
	},
	{
		name: 'thinking and extension messages, twice the window',
		...medium,
		build: () => {
			const builder = new SessionBuilder();
			builder.user('Think hard');
			for (let i = 0; i < 10; i++) {
				builder.message(thinking(3_000));
				const content = textOfTokens(3_500);
				builder.add({ type: 'custom_message', customType: 'note', content, display: true });
			}
			return withTail(builder);
		},
	},
	{
		name: 'thinking alone, twice the window',
		...medium,
		build: () => {
			const builder = new SessionBuilder();
			builder.user('Think hard');
			for (let i = 0; i < 20; i++) builder.message(thinking(3_200));
			return withTail(builder);
		},
	},
	{
		name: 'a newest result of 14k in a window of 8k',
		...small,
		build: () => {
			const builder = session(6, 600);
			builder.message(assistant('', [toolCall('big')]));
			builder.message(toolResult('big', textOfTokens(14_000)));
			return builder;
		},
	},
	{
		name: 'arguments of a call that hold a whole file, 8k',
		...small,
		build: () => {
			const builder = session(6, 600);
			const content = textOfTokens(14_000);
			builder.message(assistant('', [toolCall('big', 'write', { path: 'a.ts', content })]));
			builder.message(toolResult('big', 'written'));
			return builder;
		},
	},
	{ name: 'grown on 1M, compacted on 200k', ...large, build: () => session(204, 1_000) },
	{ name: 'grown on 1M, full, compacted on 200k', ...large, build: () => session(960, 1_000) },
	{ name: 'at 101 %', ...medium, build: () => session(32, 1_010) },
	{ name: 'two turns at 95 %', ...medium, build: () => session(2, 15_200) },
	{
		name: 'one turn at 95 %, nothing but a prompt and an answer',
		...medium,
		build: () => {
			const builder = new SessionBuilder();
			builder.user(textOfTokens(15_000));
			builder.assistant(textOfTokens(15_000));
			return builder;
		},
	},
	{
		name: 'output of ! commands',
		...small,
		build: () => {
			const builder = new SessionBuilder();
			for (let i = 0; i < 6; i++)
				builder.message({
					...{ role: 'bashExecution', command: 'make', output: textOfTokens(4_000) },
					...{ exitCode: 0, cancelled: false, truncated: false, timestamp: 0 },
				});
			return withTail(builder);
		},
	},
	{
		name: '50 images in the newest message, 32k',
		...medium,
		build: () => {
			const builder = session(4, 400);
			const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' };
			const content = [
				{ type: 'text' as const, text: 'Look' },
				...Array.from({ length: 50 }, () => image),
			];
			builder.message({ role: 'user', content, timestamp: 0 });
			return builder;
		},
	},
	{
		name: 'results full of images, 8k',
		...small,
		build: () => {
			const builder = session(4, 600);
			const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' };
			builder.message(
				assistant(
					'',
					['p', 'q', 'r'].map((id) => toolCall(id)),
				),
			);
			for (const id of ['p', 'q', 'r'])
				builder.message({ ...toolResult(id, ''), content: [image, image, image] });
			return builder;
		},
	},
	{
		name: 'a reserve as large as the window',
		...medium,
		reserveTokens: 40_000,
		build: () => session(64, 1_000),
	},
];

function withTail(builder: SessionBuilder): SessionBuilder {
	builder.user('And now?');
	builder.assistant('Wait.');
	return builder;
}

function summaryText(request: RecordedRequest): string {
	return request.body.messages.map(wireText).join('\n');
}

describe('C04 compaction cannot reduce: whatever the history, it ends in a context that fits and is smaller, and no request of it exceeds the window', () => {
	let server: ScriptedServer;
	before(async () => {
		server = await startScriptedServer();
	});
	after(() => server.close());
	beforeEach(() => server.reset());

	/** Compacts by the scripted model (or offline), then sends a prompt; checks every size on the way. */
	async function check(builder: SessionBuilder, options: AtWorkOptions, offline = false) {
		const { contextWindow = 0, reserveTokens = 0 } = options;
		const reserve =
			reserveTokens >= contextWindow * 0.85 ? Math.floor(contextWindow * 0.15) : reserveTokens;
		const room = contextWindow - reserve;
		const work = await openBuilt(builder, { ...options, server });
		// Summaries of the size that was asked for; a prompt's answer is short.
		server.setDefault(({ body }) => {
			const most = Number(body['max_tokens'] ?? 10);
			return steps.text([textOfTokens(Math.min(most, 1_500))]);
		});
		const before = (await work.session.contextUsage()).tokens;
		const outcome = await work.session.compact(offline ? { summarizer: 'offline' } : {});
		const summaries = [...server.requests];
		assert.equal(offline, summaries.length === 0);
		for (const request of summaries)
			assert(
				wireTokensWithAnswer(request) <= contextWindow,
				`${wireTokensWithAnswer(request)} tokens asked for in a window of ${contextWindow}`,
			);
		const { tokens } = await work.session.contextUsage();
		assert(tokens < before, `${tokens} after, ${before} before`);
		assert.equal(tokens, outcome.tokensAfter, 'the meter shows what the outcome says');
		assert.equal(before, outcome.tokensBefore);
		assert(tokens <= room, `${tokens} in a room of ${room}`);
		// What is really sent is what was counted.
		await work.session.prompt('x');
		await work.session.whenIdle();
		const sent = server.requests[summaries.length];
		assert(sent);
		const rounding = 2 * sent.body.messages.length;
		assert(wireTokens(sent) <= tokens + rounding, 'no more is sent than the meter says');
		assert(wireTokens(sent) <= room + rounding);
		// Images are no text, and thinking is counted although this adapter sends none.
		const thought = builder.entries.some((entry) =>
			/"type":"(thinking|image)"/.test(JSON.stringify(entry)),
		);
		assert(thought || wireTokens(sent) >= tokens - rounding, 'and no less');
		assert(sent.body.messages.length > 1, 'something is kept besides the prompt');
		return { ...work, outcome, summaries };
	}

	for (const { name, build, told, ...options } of cases) {
		it(`${name}: by a model`, async () => {
			const { summaries } = await check(build(), options);
			const all = summaries.map(summaryText).join('\n');
			for (const pattern of told ?? []) assert.match(all, pattern);
		});
		it(`${name}: offline`, async () => {
			await check(build(), options, true);
		});
	}

	it('any sizes in any window: smaller and fitting, or a refusal that changes nothing', () =>
		fc.assert(
			fc.asyncProperty(
				fc.array(
					fc.tuple(
						fc.constantFrom('user', 'answer', 'tool', 'thinking', 'custom', 'cjk'),
						fc.oneof(
							fc.integer({ min: 1, max: 300 }),
							fc.integer({ min: 300, max: 5_000 }),
							fc.integer({ min: 5_000, max: 60_000 }),
						),
					),
					{ minLength: 1, maxLength: 14 },
				),
				fc.constantFrom(4_096, 8_192, 16_384, 32_768, 200_000),
				fc.constantFrom(0.05, 0.2, 0.5, 0.9, 1.2),
				fc.constantFrom(1, 500, 20_000),
				async (messages, contextWindow, reserveShare, keepRecentTokens) => {
					server.reset();
					const builder = new SessionBuilder();
					for (const [place, [kind, tokens]] of messages.entries()) {
						if (kind === 'user') builder.user(textOfTokens(tokens));
						if (kind === 'answer') builder.assistant(textOfTokens(tokens));
						if (kind === 'thinking') builder.message(thinking(tokens));
						if (kind === 'cjk') builder.user('字'.repeat(tokens));
						if (kind === 'custom')
							builder.add({
								...{ type: 'custom_message', customType: 'n', display: true },
								content: textOfTokens(tokens),
							});
						if (kind !== 'tool') continue;
						builder.message(assistant('', [toolCall(`t${place}`)]));
						builder.message(toolResult(`t${place}`, textOfTokens(tokens)));
					}
					const reserveTokens = Math.floor(contextWindow * reserveShare);
					const options = { server, contextWindow, reserveTokens, keepRecentTokens };
					const { session, storage } = await openBuilt(builder, options);
					const reserve =
						reserveTokens >= contextWindow * 0.85
							? Math.floor(contextWindow * 0.15)
							: reserveTokens;
					server.setDefault(({ body }) =>
						steps.text(['## Goal\nGo on.'.slice(0, Number(body['max_tokens']) * 4)]),
					);
					const lines = [...storage.lines];
					const before = (await session.contextUsage()).tokens;
					try {
						await session.compact();
						const { tokens } = await session.contextUsage();
						assert(tokens < before);
						assert(tokens <= contextWindow - reserve, `${tokens} in ${contextWindow} - ${reserve}`);
					} catch (error) {
						if (!(error instanceof UserError)) throw error;
						assert(['too-small', 'no-gain', 'nothing'].includes(error.reason), error.fullText);
						assert.deepEqual(storage.lines, lines);
						// A refusal is for contexts that have no need of it.
						const items = builder.entries.length;
						assert(
							before <= contextWindow - reserve || items <= 2,
							`refused (${error.reason}) at ${before} in ${contextWindow - reserve}`,
						);
					}
					for (const request of server.requests)
						assert(wireTokensWithAnswer(request) <= contextWindow);
				},
			),
			{ numRuns: 40 },
		)).timeout(60_000);

	it('a server whose window is smaller than configured gets smaller parts, until they fit', async () => {
		for (const really of [20_000, 12_000, 6_000]) {
			server.reset();
			const { session: work } = await openBuilt(session(60, 1_000), {
				...{ server, contextWindow: 32_000, reserveTokens: 8_000, keepRecentTokens: 1_000 },
			});
			server.setDefault((request) =>
				wireTokensWithAnswer(request) > really
					? steps.status(400, {
							error: { message: `This model's maximum context length is ${really} tokens.` },
						})
					: steps.text(['## Goal\nGo on.']),
			);
			await work.compact().catch((error: unknown) => {
				// An answer of half the configured window cannot fit in a quarter of it.
				assert(error instanceof UserError && really < 8_000, String(error));
			});
			assert(server.requests.length < 200);
		}
	});

	it('a summary far longer than asked for is refused or clipped, and never fills the window', async () => {
		for (const tokens of [2_000, 8_000, 12_000, 40_000]) {
			server.reset();
			const { session: work, manager } = await openBuilt(session(60, 1_000), { server, ...medium });
			server.setDefault(steps.text([textOfTokens(tokens)]));
			try {
				const { tokensAfter } = await work.compact();
				assert(tokensAfter <= 32_000 - 16_384);
			} catch (error) {
				assert(error instanceof UserError && error.reason === 'tooLong', String(error));
				assert.equal(manager.tree.countOf('compaction'), 0);
			}
		}
	});

	it('a second compaction is made from summary and kept messages, not from the raw history', async () => {
		const builder = session(90, 1_000);
		const kept = builder.user('KEPT');
		builder.compaction('## Goal\nFIRST SUMMARY', kept);
		for (let i = 0; i < 12; i++) builder.assistant(textOfTokens(1_000));
		builder.user('Next');
		for (let i = 0; i < 12; i++) builder.assistant(textOfTokens(1_000));
		const { summaries } = await check(builder, medium);
		const all = summaries.map(summaryText).join('\n');
		assert.match(all, /FIRST SUMMARY/);
		assert.match(all, /KEPT/);
		assert.doesNotMatch(all, /Request \d/);
	});

	it('a branch summary fits its window, too', async () => {
		for (const { name, build, ...options } of cases) {
			if (/5 MB/.test(name)) continue;
			server.reset();
			const builder = build();
			const { session: work, manager } = await openBuilt(builder, { ...options, server });
			server.setDefault(steps.text(['What was tried.']));
			const { summaryEntry } = await work.navigateTree('e1', { summarize: true });
			assert(summaryEntry, name);
			assert.equal(manager.leafId, summaryEntry.id);
			for (const request of server.requests)
				assert(wireTokensWithAnswer(request) <= (options.contextWindow ?? 0), name);
		}
	});

	it('at 7 % of a large window nothing is compacted or pruned by itself, and no text poses as a fresh prompt', async () => {
		const builder = session(12, 5_800);
		const { session: work, storage } = await openBuilt(builder, {
			...{ server, contextWindow: 1_000_000, keepRecentTokens: 20_000 },
		});
		server.setDefault(steps.text(['Fine.']));
		await work.prompt('Next');
		await work.whenIdle();
		assert.equal(server.requests.length, 1);
		assert.deepEqual(storage.lines.slice(0, builder.entries.length + 1), builder.lines());
		assert.equal(storage.lines.length, builder.entries.length + 3);
		await work.compact();
		await work.prompt('Again');
		await work.whenIdle();
		const [first] = server.requests.at(-1)?.body.messages ?? [];
		assert.match(wireText(first ?? { role: '', content: '' }), /<summary>[\s\S]*Fine\./);
	});

	it('a summary asks for no more output than the model can give beside its prompt', async () => {
		const model = createOpenAIModel({
			...{ baseUrl: server.baseUrl, model: 'm', contextWindow: 8_192, maxOutputTokens: 512 },
		});
		const { session: work } = await openBuilt(session(40, 1_000), {
			...{ contextWindow: 200_000, reserveTokens: 16_384, keepRecentTokens: 1_000 },
			session: { model: () => Promise.resolve(model) },
		});
		server.setDefault(steps.text(['Short.']));
		await work.compact();
		assert(server.requests.length > 1);
		for (const request of server.requests) {
			assert(Number(request.body['max_tokens']) <= 512);
			assert(wireTokensWithAnswer(request) <= 8_192);
		}
	});
});
