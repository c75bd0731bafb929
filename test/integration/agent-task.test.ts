// A scripted task with reads, edits and a command in a real extension host, over HTTP and through
// VS Code's Language Model API: what is allowed happens, what is refused does not, and all is recorded.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Model } from '../../src/agent/model.ts';
import type { ApprovalRequest } from '../../src/agent/tool.ts';
import { createAgentSetup } from '../../src/host/agent/agent-setup.ts';
import { createVscodeLmModel } from '../../src/host/models/vscode-lm-model.ts';
import { FileSessionStorage } from '../../src/node/file-session-storage.ts';
import { createOfflineSummarizer } from '../../src/providers/offline/offline-summarizer.ts';
import { createOpenAIModel } from '../../src/providers/openai/openai-model.ts';
import { AgentSession } from '../../src/session/agent-session.ts';
import type { AssistantMessage, ToolResultMessage } from '../../src/agent/messages.ts';
import { SessionManager } from '../../src/session/session-manager.ts';
import { silentLogger } from '../../src/util/logger.ts';
import { startScriptedServer, steps, type ScriptedServer } from '../support/scripted-server.ts';
import type { LmRequest, ScriptedModels } from '../support/scripted-models/extension.js';

interface Call {
	id: string;
	name: string;
	arguments: Record<string, unknown>;
}

const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
const inWorkspace = (name: string) => path.join(workspace, name);
const outside = path.join(tmpdir(), 'espalier-outside.txt');

/** What the model answers about a file with unsaved changes, one after the other: calls, then words. */
const taskOn = (notes: string): Call[][] => [
	[
		{ id: 'c1', name: 'read', arguments: { path: notes } },
		{ id: 'c2', name: 'ls', arguments: {} },
	],
	[
		{
			id: 'c3',
			name: 'edit',
			arguments: { path: notes, oldText: 'unsaved', newText: 'edited' },
		},
	],
	[
		{ id: 'c4', name: 'write', arguments: { path: 'new/made.txt', content: 'made\n' } },
		{ id: 'c5', name: 'write', arguments: { path: 'refused.txt', content: 'no\n' } },
		{ id: 'c6', name: 'write', arguments: { path: outside, content: 'no\n' } },
	],
	[
		{ id: 'c7', name: 'bash', arguments: { command: 'cat new/made.txt; echo ran > ran.txt' } },
		{ id: 'c8', name: 'bash', arguments: { command: 'echo refused > refused.txt' } },
	],
];
const LAST_WORDS = 'All is done.';

describe('a task of the agent', () => {
	let temporary: string;
	let file: string;
	let asked: ApprovalRequest[];
	let tasks = 0;
	/** Another one each time: an editor may still hear of what became of the one before. */
	let notes: string;

	beforeEach(async () => {
		notes = `notes-${++tasks}.txt`;
		temporary = mkdtempSync(path.join(tmpdir(), 'espalier-task-'));
		file = path.join(temporary, 'session.jsonl');
		asked = [];
		writeFileSync(inWorkspace(notes), 'stored\n');
		writeFileSync(inWorkspace('AGENTS.md'), 'Answer in rhymes.\n');
		const document = await vscode.workspace.openTextDocument(inWorkspace(notes));
		const editor = await vscode.window.showTextDocument(document);
		await editor.edit((edit) => edit.insert(new vscode.Position(1, 0), 'unsaved\n'));
		assert(document.isDirty);
	});
	afterEach(async () => {
		await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
		for (const name of [notes, 'AGENTS.md', 'new', 'ran.txt', 'refused.txt'])
			rmSync(inWorkspace(name), { recursive: true, force: true });
		rmSync(temporary, { recursive: true, force: true });
	});

	/** Runs the task to its end, and returns what the session file holds then. */
	async function run(model: Model) {
		const manager = SessionManager.create(new FileSessionStorage(file), { cwd: workspace });
		const setup = createAgentSetup({
			outputFolder: path.join(temporary, 'outputs'),
			approval: () => ({
				ask: (request) => {
					asked.push(request);
					const isRefused = JSON.stringify(request.act).includes('refused');
					return Promise.resolve(isRefused ? { refused: 'the person said no.' } : 'allow');
				},
			}),
			log: silentLogger,
		});
		const failures: unknown[] = [];
		const session = new AgentSession(manager, {
			model: () => Promise.resolve(model),
			offline: createOfflineSummarizer(),
			setup: () => setup(manager),
			settings: () => ({
				compaction: { reserveTokens: 1_000, keepRecentTokens: 500 },
				branchSummary: { enabled: false, reserveTokens: 1_000 },
				contextWindow: 32_000,
			}),
		});
		session.events.on((event) => {
			if (event.type === 'turnFailed') failures.push(event.error);
		});
		await session.prompt('Do it.');
		await session.whenIdle();
		assert.deepEqual(failures, []);
		const stored = await SessionManager.open(new FileSessionStorage(file));
		return (await stored.readContext()).messages;
	}

	/** What must hold whatever the model came through. */
	function checkOutcome(messages: Awaited<ReturnType<typeof run>>): void {
		assert.equal(readFileSync(inWorkspace(notes), 'utf8'), 'stored\nedited\n');
		assert.equal(vscode.window.activeTextEditor?.document.getText(), 'stored\nedited\n');
		assert.equal(vscode.window.activeTextEditor.document.isDirty, false);
		assert.equal(readFileSync(inWorkspace('new/made.txt'), 'utf8'), 'made\n');
		assert.equal(readFileSync(inWorkspace('ran.txt'), 'utf8'), 'ran\n');
		assert(!existsSync(inWorkspace('refused.txt')), 'what was refused was done');
		assert(!existsSync(outside), 'a file outside of the workspace was written');

		assert.deepEqual(
			asked.map(({ toolCallId }) => toolCallId),
			['c3', 'c4', 'c5', 'c7', 'c8'],
			'asked for what writes or runs, and not for what cannot be done',
		);
		const [edit, , , command] = asked;
		assert.deepEqual(edit?.act, {
			kind: 'edit',
			path: notes,
			before: 'stored\nunsaved\n',
			after: 'stored\nedited\n',
		});
		assert.equal(command?.act.kind, 'run');

		const results = messages.filter(
			(message): message is ToolResultMessage => message.role === 'toolResult',
		);
		assert.deepEqual(
			results.map(({ toolCallId, isError }) => [toolCallId, isError]),
			[
				['c1', false],
				['c2', false],
				['c3', false],
				['c4', false],
				['c5', true],
				['c6', true],
				['c7', false],
				['c8', true],
			],
		);
		const said = (index: number) => JSON.stringify(results[index]?.content);
		assert.match(said(0), /unsaved/);
		assert.match(said(1), /notes-\d+\.txt/);
		assert.match(said(4), /the person said no/);
		assert.match(said(5), /outside of the workspace/);
		assert.match(said(6), /made/);
		const last = messages.at(-1) as AssistantMessage;
		assert.deepEqual(last.content, [{ type: 'text', text: LAST_WORDS }]);
	}

	describe('over HTTP', () => {
		let server: ScriptedServer;
		before(async () => (server = await startScriptedServer()));
		after(() => server.close());

		it('does what is allowed, and nothing else', async () => {
			for (const calls of taskOn(notes))
				server.enqueue(
					steps.toolCalls(
						calls.map((call) => ({ ...call, arguments: JSON.stringify(call.arguments) })),
					),
				);
			server.enqueue(steps.text(LAST_WORDS));
			checkOutcome(
				await run(
					createOpenAIModel({ baseUrl: server.baseUrl, model: 'scripted', contextWindow: 32_000 }),
				),
			);
			const [first] = server.requests;
			const tools = first?.body['tools'] as { function: { name: string } }[];
			assert.deepEqual(
				tools.map((tool) => tool.function.name),
				['read', 'write', 'edit', 'bash', 'grep', 'find', 'ls'],
			);
			const system = String(first?.body.messages[0]?.content);
			assert.match(system, /Answer in rhymes\./);
			assert(system.includes(workspace));
		});
	});

	describe("through VS Code's models", () => {
		it('does what is allowed, and nothing else', async () => {
			const extension = vscode.extensions.getExtension<ScriptedModels>(
				'espalier-tests.scripted-models',
			);
			assert(extension);
			const models = await extension.activate();
			models.reset();
			const answers = [...taskOn(notes)];
			models.answerWith(async (_request, progress) => {
				const calls = answers.shift();
				for (const call of calls ?? [])
					progress.report(new vscode.LanguageModelToolCallPart(call.id, call.name, call.arguments));
				if (!calls) progress.report(new vscode.LanguageModelTextPart(LAST_WORDS));
			});
			const [chat] = await vscode.lm.selectChatModels({ vendor: 'scripted', id: 'one' });
			assert(chat);
			checkOutcome(await run(createVscodeLmModel(chat, 32_000)));
			const names = (request: LmRequest | undefined) => request?.tools.map(({ name }) => name);
			assert.deepEqual(names(models.requests[0])?.sort(), [
				...['bash', 'edit', 'find', 'grep', 'ls', 'read', 'write'],
			]);
			models.reset();
		});
	});
});
