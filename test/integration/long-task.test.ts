// Thirty turns with tools in a window of 8,000 tokens, in a real extension host: the session compacts by
// itself and goes on, every file is right, and every message is accounted for.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { createAgentSetup } from '../../src/host/agent/agent-setup.ts';
import { FileSessionStorage } from '../../src/node/file-session-storage.ts';
import { createOfflineSummarizer } from '../../src/providers/offline/offline-summarizer.ts';
import { createOpenAIModel } from '../../src/providers/openai/openai-model.ts';
import { AgentSession } from '../../src/session/agent-session.ts';
import type { AgentSessionEvent } from '../../src/session/agent-events.ts';
import { explainContext } from '../../src/session/explain-context.ts';
import { SessionManager } from '../../src/session/session-manager.ts';
import { silentLogger } from '../../src/util/logger.ts';
import { startScriptedServer, steps, type RecordedRequest } from '../support/scripted-server.ts';
import { assertPaired, wireText, wireTokens } from '../support/wire.ts';

const TURNS = 30;
const WINDOW = 8_000;
const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
const inWorkspace = (name: string) => path.join(workspace, name);
const line = (turn: number) => `turn ${turn} was here`;

describe('a long task in a small window', () => {
	let temporary: string;

	before(() => {
		temporary = mkdtempSync(path.join(tmpdir(), 'espalier-long-'));
		writeFileSync(inWorkspace('long-log.txt'), 'begin\n');
		writeFileSync(inWorkspace('long-input.txt'), 'A line of what has to be read.\n'.repeat(120));
	});
	after(() => {
		for (const name of ['long-log.txt', 'long-input.txt'])
			rmSync(inWorkspace(name), { force: true });
		rmSync(temporary, { recursive: true, force: true });
	});

	/** Reads, edits and tells, whatever the turn; a summary request gets one line. */
	function answer(request: RecordedRequest, turn: number) {
		const { messages } = request.body;
		if (messages.some((message) => wireText(message).includes('<conversation>')))
			return steps.text('## Goal\nAppend a line in each turn.');
		const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
		const usage = { prompt_tokens: wireTokens(request), completion_tokens: 40 };
		const call = (name: string, args: object) =>
			steps.toolCalls([{ id: `${name}-${turn}`, name, arguments: JSON.stringify(args) }], {
				usage,
			});
		const results = since.filter(({ role }) => role === 'tool').length;
		if (results === 0) return call('read', { path: 'long-input.txt' });
		if (results === 1) {
			const last = turn === 1 ? 'begin' : line(turn - 1);
			const change = { oldText: `${last}\n`, newText: `${last}\n${line(turn)}\n` };
			return call('edit', { path: 'long-log.txt', ...change });
		}
		return steps.text(`Turn ${turn} is done.`, { usage });
	}

	it('completes, compacting several times by itself', async () => {
		const server = await startScriptedServer();
		try {
			let turn = 0;
			server.setDefault((request) => answer(request, turn));
			const file = path.join(temporary, 'session.jsonl');
			const manager = SessionManager.create(new FileSessionStorage(file), { cwd: workspace });
			const setup = createAgentSetup({
				outputFolder: path.join(temporary, 'outputs'),
				approval: () => ({ ask: () => Promise.resolve('allow') }),
				log: silentLogger,
			});
			const model = createOpenAIModel({
				baseUrl: server.baseUrl,
				model: 'scripted',
				contextWindow: WINDOW,
			});
			const session = new AgentSession(manager, {
				model: () => Promise.resolve(model),
				offline: createOfflineSummarizer(),
				setup: () => setup(manager),
				settings: () => ({
					compaction: { reserveTokens: 1_500, keepRecentTokens: 1_500, mode: 'auto' },
					branchSummary: { enabled: false, reserveTokens: 1_500 },
					contextWindow: WINDOW,
				}),
			});
			const problems: AgentSessionEvent[] = [];
			session.events.on((event) => {
				const isProblem =
					['turnFailed', 'autoCompactionStopped'].includes(event.type) ||
					(event.type === 'compactionEnded' && event.error);
				if (isProblem) problems.push(event);
			});
			for (turn = 1; turn <= TURNS; turn++) {
				await session.prompt(`Please do turn ${turn}.`);
				await session.whenIdle();
			}
			assert.deepEqual(problems, []);
			const lines = Array.from({ length: TURNS }, (_, index) => line(index + 1));
			const log = readFileSync(inWorkspace('long-log.txt'), 'utf8');
			assert.equal(log, `${['begin', ...lines].join('\n')}\n`);

			const stored = await SessionManager.open(new FileSessionStorage(file));
			const branch = stored.getBranch();
			const compactions = branch.filter(({ type }) => type === 'compaction').length;
			assert(compactions >= 3, `${compactions} compactions`);
			assert(compactions <= TURNS, `${compactions} compactions are a loop`);
			assert.deepEqual(
				explainContext(branch).filter(({ status }) => status === 'missing'),
				[],
			);
			const prompts = branch.filter(
				(entry) => entry.type === 'message' && entry.message.role === 'user',
			);
			assert.equal(prompts.length, TURNS);
			for (const request of server.requests) {
				assertPaired(request.body.messages);
				assert(wireTokens(request) <= WINDOW, 'a request larger than the window');
			}
		} finally {
			await server.close();
		}
	});
});
