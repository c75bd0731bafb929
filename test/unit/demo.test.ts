// The demo model over real HTTP, with the real tools on a copy of the sample workspace.
import { strict as assert } from 'node:assert';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AssistantMessage, LlmMessage } from '../../src/agent/messages.ts';
import { ModelError } from '../../src/agent/model.ts';
import type { ApprovalRequest } from '../../src/agent/tool.ts';
import { createOfflineSummarizer } from '../../src/providers/offline/offline-summarizer.ts';
import { createOpenAIModel } from '../../src/providers/openai/openai-model.ts';
import { askServerLimits } from '../../src/providers/openai/server-limits.ts';
import { listModels } from '../../src/providers/openai/list-models.ts';
import { FileSessionStorage } from '../../src/node/file-session-storage.ts';
import { AgentSession } from '../../src/session/agent-session.ts';
import { SessionManager } from '../../src/session/session-manager.ts';
import { toolDefinitions } from '../../src/session/session-turn.ts';
import { buildSystemPrompt } from '../../src/session/system-prompt.ts';
import {
	DEMO_MODEL,
	DEMO_PROMPTS,
	DEMO_WINDOW,
	startDemoServer,
	type DemoServer,
} from '../../scripts/demo/server.ts';
import { tempWorkspace, type TempWorkspace } from '../support/temp-workspace.ts';

/** What is kept free of a window this small (see the settings' documentation). */
const RESERVE = 0.15 * DEMO_WINDOW;
const [LOOK = '', COUPON = '', PRICE = ''] = DEMO_PROMPTS;
const never = new AbortController().signal;

describe('the demo model', () => {
	let server: DemoServer;
	let workspace: TempWorkspace;
	let asked: ApprovalRequest[];
	let isAllowed: boolean;
	let session: AgentSession;
	let thinking: string;

	before(async () => (server = await startDemoServer({ paceMs: 0 })));
	after(() => server.close());
	beforeEach(async () => {
		workspace = await tempWorkspace();
		await cp('sample/workspace', workspace.root, { recursive: true });
		asked = [];
		isAllowed = true;
		session = newSession(true);
	});
	afterEach(async () => {
		session.dispose();
		await workspace.remove();
	});

	const model = () =>
		createOpenAIModel({
			baseUrl: server.baseUrl,
			model: DEMO_MODEL,
			contextWindow: DEMO_WINDOW,
		});

	function newSession(withTools: boolean): AgentSession {
		const tools = withTools ? workspace.tools : [];
		const storage = new FileSessionStorage(join(workspace.outside, 'session.jsonl'));
		const manager = SessionManager.create(storage, { cwd: workspace.root });
		const { text } = buildSystemPrompt({
			tools: toolDefinitions(tools),
			cwd: workspace.root,
			platform: 'linux',
			date: '2026-01-01',
		});
		const made = new AgentSession(manager, {
			model: () => Promise.resolve(model()),
			offline: createOfflineSummarizer(),
			setup: async () => ({
				systemPrompt: text,
				tools,
				approval: {
					ask: (request) => {
						asked.push(request);
						return Promise.resolve(isAllowed ? 'allow' : { refused: 'the person said no.' });
					},
				},
			}),
			settings: () => ({
				compaction: { reserveTokens: 16_384, keepRecentTokens: 1_000 },
				branchSummary: { enabled: false, reserveTokens: 16_384 },
				contextWindow: DEMO_WINDOW,
			}),
		});
		thinking = '';
		made.events.on((event) => {
			if (event.type === 'thinkingDelta') thinking += event.delta;
		});
		return made;
	}

	/** Sends a prompt and returns the messages that it led to. */
	async function say(text: string): Promise<LlmMessage[]> {
		const before = (await messages()).length;
		await session.prompt(text);
		await session.whenIdle();
		return (await messages()).slice(before) as LlmMessage[];
	}
	const messages = async () => (await session.manager.readContext()).messages;
	const answers = (list: LlmMessage[]) =>
		list.filter((message): message is AssistantMessage => message.role === 'assistant');
	const textOf = (message: LlmMessage | undefined) =>
		(Array.isArray(message?.content) ? message.content : [])
			.map((part) => (part.type === 'text' ? part.text : ''))
			.join('');
	const coupons = () => readFile(join(workspace.root, 'src/discount.ts'), 'utf8');

	it('says in its name what it is, and tells its window', async () => {
		assert.match(DEMO_MODEL, /not a language model/);
		assert.deepEqual(await listModels({ baseUrl: server.baseUrl }), [DEMO_MODEL]);
		const limits = await askServerLimits({ baseUrl: server.baseUrl, model: DEMO_MODEL }, never);
		assert.deepEqual(limits, { contextWindow: DEMO_WINDOW, served: true });
	});

	it('thinks, makes two calls at once, and answers from what they gave', async () => {
		const [first, last] = answers(await say(LOOK));
		assert.match(thinking, /^The README says .* at once\.$/);
		assert.deepEqual(
			first?.content.flatMap((part) => (part.type === 'toolCall' ? [part.name] : [])),
			['read', 'ls'],
		);
		assert.match(textOf(last), /^## tea-shop\n\n> Prices orders for a small tea shop/);
		assert.match(textOf(last), /\| `src\/` \| folder \|/);
		assert.match(textOf(last), /^- VAT$/m);
		assert(last && last.usage.input > 0 && last.usage.output > 0);
	});

	it('edits and runs what it is allowed, from what the file holds', async () => {
		const last = textOf((await say(COUPON)).at(-1));
		assert.deepEqual(
			asked.map(({ act }) => act.kind),
			['edit', 'run'],
		);
		assert.match(await coupons(), /^\tSPRING: .*\n\tAUTUMN: \{ rate: 700 \},\n\tTASTING/m);
		assert.match(last, /^The test run (is done\.|did not work)/);
		await say(COUPON);
		assert.match(await coupons(), /^\tAUTUMN: \{ rate: 800 \},$/m);
	});

	it('says what was refused, and goes on', async () => {
		isAllowed = false;
		const before = await coupons();
		const said = answers(await say(COUPON)).map(textOf);
		assert.equal(asked.length, 2);
		assert.match(said[2] ?? '', /The edit was \*\*refused\*\* \(the person said no\.\)/);
		assert.match(said[3] ?? '', /The test run was \*\*refused\*\*/);
		assert.equal(await coupons(), before);
	});

	it('changes nothing in a file that it does not know', async () => {
		await workspace.run('write', { path: 'src/discount.ts', content: 'nothing\n' });
		assert.match(textOf((await say(COUPON)).at(-1)), /I change nothing/);
		assert.equal(asked.length, 0);
	});

	it('says which tools it misses', async () => {
		session.dispose();
		session = newSession(false);
		assert.match(textOf((await say(COUPON)).at(-1)), /`read`, `edit`, `bash`/);
	});

	it('fills its window with its prompts, and refuses what does not fit', async () => {
		for (const prompt of DEMO_PROMPTS) await say(prompt);
		const last = (await messages()).at(-1) as AssistantMessage;
		assert.match(textOf(last), /2\. \*\*`src\/order\.ts`\*\*: Prices an order/);
		assert(
			last.usage.totalTokens > DEMO_WINDOW - RESERVE,
			`only ${last.usage.totalTokens} of ${DEMO_WINDOW} tokens`,
		);
		assert(last.usage.totalTokens <= DEMO_WINDOW);
		const content = 'word '.repeat(2 * DEMO_WINDOW);
		const stream = model().stream({ messages: [{ role: 'user', content, timestamp: 0 }] }, never);
		await assert.rejects(
			async () => {
				for await (const _ of stream);
			},
			(error) =>
				error instanceof ModelError &&
				error.reason === 'overflow' &&
				error.namedWindow === DEMO_WINDOW,
		);
	});

	it('summarizes what stands in the request, over what an earlier summary says', async () => {
		await say(LOOK);
		await say(PRICE);
		const first = await session.compact();
		assert.match(first.summarizer, /not a language model/);
		const { summary } = first.entry;
		assert(summary.includes(`## Goal\n- ${LOOK}`), summary);
		assert.match(summary, /- \[x\] `read\(path="README\.md"\)`/);
		await say(COUPON);
		await say('Never mind the tea.');
		await session.compact();
		await say('What do you remember?');
		const told = textOf((await messages()).at(-1) as LlmMessage);
		assert(told.includes(`> - ${LOOK}\n> - ${PRICE}`), told);
	});

	it('goes on in its script when the conversation before it was summarized', async () => {
		const found = answers(await say(LOOK)).flatMap(({ content }) => content);
		const call = found.find((part) => part.type === 'toolCall');
		assert(call);
		const timestamp = 0;
		const usage = answers((await messages()) as LlmMessage[])[0]!.usage;
		const request = {
			messages: [
				{ role: 'user' as const, content: 'A summary of all that was.', timestamp },
				{
					...{ role: 'assistant' as const, content: [call], stopReason: 'toolUse' as const },
					...{ api: '', provider: '', model: '', usage, timestamp },
				},
				{
					...{ role: 'toolResult' as const, toolCallId: call.id, toolName: 'read' },
					...{
						content: [{ type: 'text' as const, text: '# Another\n' }],
						isError: false,
						timestamp,
					},
				},
			],
		};
		const told: string[] = [];
		for (let round = 0; round < 2; round++)
			for await (const event of model().stream(request, never))
				if (event.type === 'done') told.push(textOf(event.message));
		assert.match(told[0] ?? '', /^## Another/);
		assert.equal(told[0], told[1]);
	});
});
