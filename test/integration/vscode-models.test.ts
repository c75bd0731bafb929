// Models of VS Code's Language Model API in a real extension host, provided by another extension.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { readSettings } from '../../src/config/settings-schema.ts';
import { ActiveModel } from '../../src/host/models/active-model.ts';
import { createVscodeLmModel } from '../../src/host/models/vscode-lm-model.ts';
import { FileSessionStorage } from '../../src/node/file-session-storage.ts';
import { createOfflineSummarizer } from '../../src/providers/offline/offline-summarizer.ts';
import { AgentSession } from '../../src/session/agent-session.ts';
import { SessionManager } from '../../src/session/session-manager.ts';
import { Emitter } from '../../src/util/emitter.ts';
import type { UserError } from '../../src/util/errors.ts';
import { ModelLimits } from '../../src/providers/openai/model-limits.ts';
import { silentLogger } from '../../src/util/logger.ts';
import type { ScriptedModels } from '../support/scripted-models/extension.js';
import { assistant, SessionBuilder, textOfTokens } from '../support/session-builder.ts';

type Entry = Record<string, unknown> & { message?: Record<string, unknown> };

const lm = (id: string) => ({ provider: 'vscode-lm', modelId: `scripted/${id}` });
const run = (command: string, ...args: unknown[]) =>
	vscode.commands.executeCommand(`espalier.${command}`, ...args);
const text = (value: string) => new vscode.LanguageModelTextPart(value);

describe('models of VS Code', () => {
	let models: ScriptedModels;
	let folder: string;
	let file: string;

	before(async () => {
		const extension = vscode.extensions.getExtension<ScriptedModels>(
			'espalier-tests.scripted-models',
		);
		assert.ok(extension, 'the helper extension is not installed');
		models = await extension.activate();
	});
	beforeEach(async () => {
		models.reset();
		folder = mkdtempSync(path.join(tmpdir(), 'espalier-models-'));
		file = path.join(folder, 'session.jsonl');
		const session = new SessionBuilder();
		for (let turn = 1; turn <= 4; turn++) {
			session.user(`Request ${turn}: ${textOfTokens(180)}`, `u${turn}`);
			session.message(assistant(`Answer ${turn}: ${textOfTokens(180)}`), `a${turn}`);
		}
		writeFileSync(file, `${session.lines().join('\n')}\n`);
		await keepRecentTokens(500);
	});
	afterEach(async () => {
		await vscode.commands.executeCommand('notifications.clearAll');
		await run('newSession');
		await keepRecentTokens(undefined);
		rmSync(folder, { recursive: true, force: true });
	});

	const keepRecentTokens = (tokens: number | undefined) =>
		vscode.workspace
			.getConfiguration('espalier')
			.update('compaction.keepRecentTokens', tokens, vscode.ConfigurationTarget.Global);
	const entries = () =>
		readFileSync(file, 'utf8')
			.trim()
			.split('\n')
			.map((line) => JSON.parse(line) as Entry);
	const chat = async (id: string) => {
		const [found] = await vscode.lm.selectChatModels({ vendor: 'scripted', id });
		assert.ok(found, `no model ${id}`);
		return found;
	};

	/** A session on the file that asks a model of VS Code. */
	async function sessionWith(id: string) {
		const model = createVscodeLmModel(await chat(id), 32_000);
		const failures: UserError[] = [];
		const session = new AgentSession(await SessionManager.open(new FileSessionStorage(file)), {
			model: () => Promise.resolve(model),
			offline: createOfflineSummarizer(),
			setup: () => Promise.resolve({ systemPrompt: 'Be brief.' }),
			settings: () => ({
				compaction: { reserveTokens: 1000, keepRecentTokens: 500 },
				branchSummary: { enabled: false, reserveTokens: 1000 },
				contextWindow: model.contextWindow,
			}),
		});
		session.events.on((event) => {
			if (event.type === 'turnFailed') failures.push(event.error);
		});
		return { session, failures };
	}

	// The first one: nothing has been chosen in this window yet.
	it('are in the picker; the choice is written to the session, and nothing is sent', async () => {
		await run('openSessionFile', vscode.Uri.file(file));
		let done = false;
		const chosen = run('chooseModel').then(() => (done = true));
		for (let tries = 0; tries < 150 && !done; tries++) {
			await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
		await chosen;
		const change = entries().at(-1);
		assert.equal(change?.['type'], 'model_change');
		assert.equal(change['parentId'], 'a4');
		assert.deepEqual([change['provider'], change['modelId']], ['vscode-lm', 'scripted/one']);
		await run('chooseModel', lm('one'));
		assert.equal(entries().filter(({ type }) => type === 'model_change').length, 1);
		assert.equal(models.requests.length, 0);
	});

	it('make the summary of a compaction once they are chosen', async () => {
		await run('openSessionFile', vscode.Uri.file(file));
		await run('chooseModel', lm('two'));
		models.answerWith(async (_asked, progress) => {
			progress.report(text('## Goal\nBuild the shop.'));
		});
		await run('compact');
		const compaction = entries().at(-1);
		assert.equal(compaction?.['type'], 'compaction');
		assert.match(String(compaction['summary']), /Build the shop\./);
		const { summarizer } = compaction['details'] as { summarizer: { name: string } };
		assert.equal(summarizer.name, 'Model two (scripted)');
		assert.ok(models.requests.length > 0);
		assert.ok(models.requests.every(({ model }) => model === 'two'));
	});

	it('stream their answers into the session file', async () => {
		const { session, failures } = await sessionWith('one');
		const deltas: string[] = [];
		session.events.on((event) => {
			if (event.type === 'textDelta') deltas.push(event.delta);
		});
		await session.prompt('Hello there');
		await session.whenIdle();
		assert.deepEqual(failures, []);
		const { message } = entries().at(-1)!;
		assert.deepEqual(
			[message?.['role'], message?.['provider'], message?.['model'], message?.['stopReason']],
			['assistant', 'vscode-lm', 'scripted/one', 'stop'],
		);
		assert.deepEqual(message?.['content'], [{ type: 'text', text: 'You said: Hello there' }]);
		assert.equal(deltas.join(''), 'You said: Hello there');
		const [asked] = models.requests;
		assert.equal(asked?.messages.length, 9);
		assert.match(JSON.stringify(asked.messages[0]), /<instructions>.*Be brief\..*Request 1:/s);
	});

	it('that fail leave the prompt in the session, and say what to do', async () => {
		const { session, failures } = await sessionWith('one');
		models.answerWith(async (_asked, progress) => {
			progress.report(text('I begin'));
			throw vscode.LanguageModelError.Blocked('Quota used up');
		});
		await session.prompt('Hello');
		await session.whenIdle();
		assert.equal(failures[0]?.reason, 'billing');
		assert.match(failures[0].fullText, /Model one \(scripted\): Quota used up.*another model/);
		const [prompt, answer] = entries().slice(-2);
		assert.equal(prompt?.message?.['content'], 'Hello');
		assert.equal(answer?.message?.['stopReason'], 'error');
		assert.equal(answer.message['api'], 'vscode-lm');
		models.answerWith(async () => {});
		await session.continue();
		await session.whenIdle();
		assert.match(failures[1]?.message ?? '', /empty answer/);
	});

	it('stop when the turn is stopped, and what came is kept', async () => {
		const { session, failures } = await sessionWith('one');
		let cancelled = false;
		models.answerWith(async (_asked, progress, token) => {
			progress.report(text('So far'));
			await new Promise<void>((resolve) => token.onCancellationRequested(() => resolve()));
			cancelled = true;
		});
		const began = new Promise<void>((resolve) => {
			session.events.on((event) => {
				if (event.type === 'textDelta') resolve();
			});
		});
		await session.prompt('Hello');
		await began;
		await session.abort();
		await session.whenIdle();
		for (let tries = 0; tries < 100 && !cancelled; tries++)
			await new Promise((resolve) => setTimeout(resolve, 50));
		assert.ok(cancelled, 'the provider was not told');
		const { message } = entries().at(-1)!;
		assert.equal(message?.['stopReason'], 'aborted');
		assert.deepEqual(message['content'], [{ type: 'text', text: 'So far' }]);
		assert.deepEqual(failures, []);
	});

	it('that are gone are replaced by the next choice, with a notice, until they come back', async () => {
		const kept = new Map<string, unknown>([['model', lm('one')]]);
		const active = new ActiveModel({
			memory: {
				get: (key: string) => kept.get(key),
				keys: () => [...kept.keys()],
				update: async (key: string, value: unknown) => void kept.set(key, value),
			} as vscode.Memento,
			settings: { current: readSettings(() => undefined).settings, onDidChange: new Emitter() },
			connection: {
				model: async () => undefined,
				summaryModels: async () => [],
				contextWindow: () => 128_000,
				findWindow: async () => {},
				limits: new ModelLimits(silentLogger),
			},
			log: silentLogger,
		});
		const label = async (wanted: string) => {
			for (let tries = 0; tries < 100 && active.label !== wanted; tries++)
				await new Promise((resolve) => setTimeout(resolve, 50));
			assert.equal(active.label, wanted);
		};
		try {
			await label('Model one (scripted)');
			const { session } = await sessionWith('one');
			active.follow(session);
			await active.choose(lm('two'));
			assert.deepEqual(session.chosenModel, lm('two'));
			kept.set('model', lm('one'));
			await label('Model two (scripted)');
			assert.equal(active.contextWindow, 32_000);
			models.offer(['one']);
			await label('Model one (scripted)');
			assert.match(active.notice?.message ?? '', /scripted\/two, is not available now/);
			assert.equal((await active.model())?.id, 'scripted/one');
			models.offer(['one', 'two']);
			await label('Model two (scripted)');
			assert.equal(active.notice, undefined);
			assert.equal(models.requests.length, 0);
		} finally {
			active.dispose();
		}
	});
});
