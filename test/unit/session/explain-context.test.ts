import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { compact, prepareCompaction } from '../../../src/session/compaction/compaction.ts';
import { serializeConversation } from '../../../src/session/compaction/serialize.ts';
import { explainContext, type EntryCoverage } from '../../../src/session/explain-context.ts';
import { pruneToolOutputs } from '../../../src/session/compaction/pruning.ts';
import { originalPlace } from '../../../src/session/original-place.ts';
import { MemoryPruneOverlay } from '../../../src/session/prune-overlay.ts';
import { buildRequest } from '../../../src/session/request-builder.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { MemorySessionStorage, type SessionStorage } from '../../../src/session/session-storage.ts';
import { UserError } from '../../../src/util/errors.ts';
import { EchoSummarizer } from '../../support/echo-summarizer.ts';
import {
	assistant,
	SessionBuilder,
	textOfTokens,
	toolCall,
	toolResult,
} from '../../support/session-builder.ts';

/** What happens in a session, one thing after the other. */
const act = fc.record({
	kind: fc.constantFrom(
		...(['user', 'user', 'answer', 'answer', 'tools', 'tools', 'late', 'orphan'] as const),
		...(['aborted', 'failed', 'empty', 'command', 'bash', 'custom', 'edit', 'reset'] as const),
		...(['meta', 'move', 'leave', 'reload', 'compact', 'compact', 'boundary', 'prune'] as const),
	),
	tokens: fc.integer({ min: 1, max: 120 }),
	place: fc.nat(),
});
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** A session in which things happen; each text that a model could read holds a mark of its own. */
class Story {
	storage = new MemorySessionStorage(new SessionBuilder().lines());
	manager!: SessionManager;
	/** What each compaction's summarizer was told, by the compaction's entry. */
	readonly told = new Map<string, string>();
	/** What is pruned outlives a reload, as in a file of another tool. */
	private readonly overlay = new MemoryPruneOverlay();
	private marks = 0;
	private keep = 0;

	async run(acts: readonly Act[], keep: number): Promise<void> {
		this.keep = keep;
		await this.open();
		for (const each of acts) await this.act(each);
	}

	private async open(): Promise<void> {
		const saved = this.manager?.savedLeaf;
		this.manager = await SessionManager.open(this.stored(), saved);
	}

	private stored(): SessionStorage {
		const { overlay } = this;
		return Object.assign(new MemorySessionStorage(this.storage.lines), { overlay });
	}

	private text(tokens: number): string {
		return `<#${++this.marks}#>${textOfTokens(tokens)}`;
	}

	/** Lines are added as another tool would write them, so that anything can be. */
	private async add(fields: { type: string } & Record<string, unknown>): Promise<void> {
		const id = `e${this.storage.lines.length}`;
		const parentId = this.manager.leafId;
		const line = JSON.stringify({ ...fields, id, parentId, timestamp: '2026-01-01T00:00:00Z' });
		await this.storage.append([line]);
		this.manager = await SessionManager.open(this.stored());
	}

	private message(message: object): Promise<void> {
		return this.add({ type: 'message', message: { timestamp: 0, ...message } });
	}

	private async act({ kind, tokens, place }: Act): Promise<void> {
		const text = () => this.text(tokens);
		const call = `t${this.storage.lines.length}`;
		const ids = this.manager.tree.idsTo(this.manager.leafId);
		const somewhere = ids[place % Math.max(1, ids.length)] ?? null;
		switch (kind) {
			case 'user':
				return this.message({ role: 'user', content: text() });
			case 'answer':
				return this.message(assistant(text()));
			case 'tools':
				await this.message(assistant('', [toolCall(call), toolCall(`${call}b`)]));
				await this.message(toolResult(call, text()));
				return this.message(toolResult(`${call}b`, text()));
			case 'late':
				await this.message(assistant(text(), [toolCall(call)]));
				await this.message({ role: 'user', content: text() });
				return this.message(toolResult(call, text()));
			case 'orphan':
				return this.message(toolResult(`no-${call}`, text()));
			case 'aborted':
				return this.message(assistant(text(), [toolCall(call)], { stopReason: 'aborted' }));
			case 'failed':
				return this.message(assistant(text(), [], { stopReason: 'error' }));
			case 'empty':
				return this.message({ role: 'user', content: [] });
			case 'command':
			case 'bash':
				return this.message({
					...{ role: 'bashExecution', command: 'ls', output: text(), exitCode: 0 },
					...{ cancelled: false, truncated: false, excludeFromContext: kind === 'command' },
				});
			case 'custom':
				return this.add({
					...{ type: 'custom_message', customType: 'note', content: text(), display: true },
				});
			case 'edit':
				return this.add({ type: 'context_edit', targetId: somewhere ?? '', replacement: null });
			case 'reset':
				return place % 4 === 0 ? this.add({ type: 'reset_boundary' }) : undefined;
			case 'meta':
				return this.add({ type: 'custom', customType: 'note' });
			case 'move':
				return this.manager.branch(somewhere);
			case 'leave':
				if (somewhere !== null) this.manager.branch(somewhere);
				return this.add({ type: 'branch_summary', fromId: ids.at(-1) ?? '', summary: text() });
			case 'reload':
				return this.open();
			case 'compact':
				return this.compact();
			case 'prune':
				return this.prune(tokens);
			case 'boundary':
				return somewhere === null ? undefined : this.compact(somewhere);
		}
	}

	private async prune(protectTokens: number): Promise<void> {
		const settings = { protectTokens, minimumSavings: 1, protectedTools: [] };
		const { outputs } = pruneToolOutputs(this.manager.contextPath(), settings);
		const release = await this.manager.hold();
		if (outputs.length > 0) await this.manager.prune(outputs);
		await release();
	}

	private async compact(boundaryId?: string): Promise<void> {
		const path = this.manager.contextPath();
		const settings = { reserveTokens: 1000, keepRecentTokens: this.keep };
		const plan = prepareCompaction(path, settings, undefined, { boundaryId });
		if (!plan) return;
		const summarizer = new EchoSummarizer();
		try {
			const { summary, firstKeptEntryId, tokensBefore, tokensAfter, details } = await compact(
				plan,
				summarizer,
			);
			assert(tokensAfter < tokensBefore);
			await this.add({
				...{ type: 'compaction', summary, firstKeptEntryId, tokensBefore, tokensAfter, details },
			});
		} catch (error) {
			if (error instanceof UserError && error.reason === 'no-gain') return;
			throw error;
		}
		const told = summarizer.requests.map(({ messages }) =>
			serializeConversation(buildRequest(messages).messages),
		);
		this.told.set(this.manager.leafId ?? '', told.join('\n'));
	}
}

/** What the coverage says of each entry, held against what was really sent. */
function assertTrue(story: Story, leafId: string | null): void {
	const { manager } = story;
	const path = manager.getBranch(leafId);
	const sent = JSON.stringify(buildRequest(manager.context(leafId).messages).messages);
	const originalOf = (id: string) => originalPlace(manager, id);
	for (const coverage of explainContext(path, { originalOf })) {
		const { entryId, status, reason, compactionId } = coverage;
		const mark = markOf(manager, entryId);
		const where = JSON.stringify(coverage);
		assert.notEqual(status, 'missing', where);
		if (mark === undefined) continue;
		const told = story.told.get(compactionId ?? '') ?? '';
		if (coverage.pruned) {
			assert.equal(coverage.pruned, 'session');
			assert(
				JSON.stringify(manager.originalOf(entryId)).includes(mark) && !sent.includes(mark),
				where,
			);
			continue;
		}
		if (status === 'context') assert(sent.includes(mark), where);
		if (status === 'summarized') assert(told.includes(mark) && !coverage.assumed, where);
		if (status === 'excluded') assert(reason && !sent.includes(mark), where);
	}
}

function markOf(manager: SessionManager, id: string): string | undefined {
	const entry = manager.tree.get(id);
	const text = JSON.stringify(entry?.type === 'message' ? entry.message : entry);
	return /<#\d+#>/.exec(text)?.[0];
}

describe('coverage of a context', () => {
	it('accounts for every message, whatever happened in the session (C02, C03)', async function () {
		this.timeout(300_000);
		await fc.assert(
			fc.asyncProperty(
				fc.array(act, { maxLength: 24, size: 'max' }),
				fc.integer({ min: 1, max: 300 }),
				async (acts, keep) => {
					const story = new Story();
					await story.run(acts, keep);
					for (const leaf of story.manager.tree.leaves()) assertTrue(story, leaf);
					assertTrue(story, story.manager.leafId);
				},
			),
			{ numRuns: 10_000 },
		);
	});

	it('says of each entry what became of it', () => {
		const session = new SessionBuilder();
		session.user('first', 'u1');
		session.message(assistant('half', [], { stopReason: 'aborted' }), 'a1');
		session.compaction('foreign', 'u2', { id: 'c0' });
		session.user('second', 'u2');
		session.message(assistant('', [toolCall('t')]), 'a2');
		session.message(toolResult('t', textOfTokens(900)), 'r2');
		const explained = (room?: number) =>
			explainContext(session.entries, { room }).map(({ entryId, ...rest }) => [entryId, rest]);
		const expected: [string, Omit<EntryCoverage, 'entryId'>][] = [
			['u1', { role: 'user', status: 'summarized', compactionId: 'c0', assumed: true }],
			['a1', { role: 'assistant', status: 'excluded', reason: 'aborted' }],
			['u2', { role: 'user', status: 'context' }],
			['a2', { role: 'assistant', status: 'context' }],
			['r2', { role: 'toolResult', status: 'context' }],
		];
		assert.deepEqual(explained(), expected);
		expected[4] = ['r2', { role: 'toolResult', status: 'context', clipped: true }];
		assert.deepEqual(explained(800), expected);
	});

	it('names what nothing accounts for', () => {
		const session = new SessionBuilder();
		session.user('covered', 'u1');
		session.user('lost by another tool', 'u2');
		session.user('kept', 'u3');
		const covered = { firstEntryId: 'u1', lastEntryId: 'u1', messages: 1 };
		session.compaction('of u1 alone', 'u3', { details: { covered } });
		const lost = explainContext(session.entries).filter(({ status }) => status === 'missing');
		assert.deepEqual(
			lost.map(({ entryId }) => entryId),
			['u2'],
		);
	});
});
