// Another extension takes part: it gets Espalier's exports and registers all five hooks, which a
// compaction and moves in the tree reach.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { runAndAnswer } from '../support/answer-question.ts';
import type { HookCall, HookingExtension } from '../support/hooking-extension/extension.js';
import { assistant, SessionBuilder, textOfTokens } from '../support/session-builder.ts';

const ACCEPT = 'workbench.action.acceptSelectedQuickOpenItem';

describe('hooks of another extension', () => {
	let other: HookingExtension;
	let folder: string;
	let file: string;

	const set = (key: string, value: unknown) =>
		vscode.workspace
			.getConfiguration('espalier')
			.update(key, value, vscode.ConfigurationTarget.Global);
	const run = (command: string, ...args: unknown[]) =>
		vscode.commands.executeCommand(`espalier.${command}`, ...args);
	const lastEntry = () =>
		JSON.parse(readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? '') as Record<
			string,
			unknown
		>;
	const told = () => other.calls.map(({ event }) => event);
	function payloadOf<E extends HookCall['event']>(event: E) {
		const call = other.calls.find((each) => each.event === event);
		assert(call, `${event} was not told`);
		return call.payload as Extract<HookCall, { event: E }>['payload'];
	}

	before(async () => {
		const extension = vscode.extensions.getExtension<HookingExtension>(
			'espalier-tests.hooking-extension',
		);
		assert(extension);
		other = await extension.activate();
	});
	beforeEach(async () => {
		folder = mkdtempSync(path.join(tmpdir(), 'espalier-hooks-'));
		file = path.join(folder, 'session.jsonl');
		const session = new SessionBuilder();
		for (let turn = 1; turn <= 5; turn++) {
			session.user(`Request ${turn}: ${textOfTokens(180)}`, `u${turn}`);
			session.message(assistant(`Answer ${turn}: ${textOfTokens(180)}`), `a${turn}`);
		}
		writeFileSync(file, `${session.lines().join('\n')}\n`);
		await set('compaction.keepRecentTokens', 500);
		await set('branchSummary.enabled', true);
		await run('openSessionFile', vscode.Uri.file(file));
		other.register();
	});
	afterEach(async () => {
		other.unregister();
		await vscode.commands.executeCommand('notifications.clearAll');
		await run('newSession');
		await set('compaction.keepRecentTokens', undefined);
		await set('branchSummary.enabled', undefined);
		rmSync(folder, { recursive: true, force: true });
	});

	it('are registered through the exports, of version 1', () => {
		assert.equal(other.version, 1);
	});

	it('are told of a compaction, and what they add is in it', async () => {
		other.answerWith({ 'session.compacting': () => ({ preserveData: { ticket: 'T-1' } }) });
		await run('compact');
		assert.deepEqual(told(), ['session_before_compact', 'session.compacting', 'session_compact']);
		const before = payloadOf('session_before_compact');
		assert.equal(before.reason, 'manual');
		assert.equal(before.branchEntries.at(-1)?.id, 'a5');
		assert(payloadOf('session.compacting').messages.length > 0);
		const { compactionEntry, fromExtension } = payloadOf('session_compact');
		assert.equal(compactionEntry.id, lastEntry()['id']);
		assert.equal(fromExtension, false);
		assert.deepEqual(lastEntry()['preserveData'], { ticket: 'T-1' });
	});

	it('may make the whole compaction', async () => {
		other.answerWith({
			session_before_compact: () => ({
				compaction: { summary: 'By another.', firstKeptEntryId: 'u5', tokensBefore: 1 },
			}),
		});
		await run('compact');
		assert.deepEqual(told(), ['session_before_compact', 'session_compact']);
		assert.equal(payloadOf('session_compact').fromExtension, true);
		const { type, summary, firstKeptEntryId } = lastEntry();
		assert.deepEqual([type, summary, firstKeptEntryId], ['compaction', 'By another.', 'u5']);
	});

	it('may refuse a compaction: nothing is written', async () => {
		const written = readFileSync(file, 'utf8');
		other.answerWith({ session_before_compact: () => ({ cancel: true }) });
		// The command ends when the person has put away what it says.
		await runAndAnswer('espalier.compact', undefined, 'notifications.clearAll');
		assert.deepEqual(told(), ['session_before_compact']);
		assert.equal(readFileSync(file, 'utf8'), written);
	});

	it('are told of a move, and may make its summary', async () => {
		other.answerWith({
			session_before_tree: () => ({ summary: { summary: 'The branch by another.' } }),
		});
		await runAndAnswer('espalier.goToEntry', { entryId: 'a2' }, ACCEPT);
		assert.deepEqual(told(), ['session_before_tree', 'session_tree']);
		const { preparation } = payloadOf('session_before_tree');
		assert.deepEqual([preparation.oldLeafId, preparation.commonAncestorId], ['a5', 'a2']);
		assert.equal(preparation.userWantsSummary, true);
		assert.equal(preparation.entriesToSummarize.length, 6);
		const { summaryEntry, newLeafId, fromExtension } = payloadOf('session_tree');
		assert.equal(summaryEntry?.summary, 'The branch by another.');
		assert.equal(newLeafId, summaryEntry.id);
		assert.equal(fromExtension, true);
		assert.equal(lastEntry()['parentId'], 'a2');
	});

	it('may refuse a move: the leaf stays', async () => {
		other.answerWith({ session_before_tree: () => ({ cancel: true }) });
		await runAndAnswer('espalier.goToEntry', { entryId: 'a2' }, ACCEPT);
		assert.deepEqual(told(), ['session_before_tree']);
		await run('showEntry');
		assert.match(vscode.window.activeTextEditor?.document.getText() ?? '', /Answer 5: /);
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
	});

	it('are told nothing once they are taken back', async () => {
		other.unregister();
		await run('compact');
		assert.deepEqual(told(), []);
		assert.equal(lastEntry()['type'], 'compaction');
	});
});
