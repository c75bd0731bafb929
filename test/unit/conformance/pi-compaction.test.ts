/**
 * Plans of compactions, ours against pi's own. They are equal but for what ARCHITECTURE.md lists: pi
 * keeps the message with which the budget is exceeded, ours goes on to the next place to cut; and
 * metadata pulled into the kept part makes a split turn of a whole one in pi.
 */
import { strict as assert } from 'node:assert';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import type * as peers from '../../../scripts/peers.mjs';
import { findCutPoint } from '../../../src/session/compaction/cut-point.ts';
import { prepareCompaction } from '../../../src/session/compaction/compaction.ts';
import { keptContextEntries } from '../../../src/session/context.ts';
import type { SessionEntry } from '../../../src/session/entries.ts';
import type { AgentMessage } from '../../../src/session/messages.ts';
import type { TokenCounter } from '../../../src/util/tokens.ts';
import {
	assistant,
	SessionBuilder,
	textOfTokens,
	toolCall,
	toolResult,
} from '../../support/session-builder.ts';

interface PiPlan {
	firstKeptEntryId: string;
	messagesToSummarize: AgentMessage[];
	turnPrefixMessages: AgentMessage[];
	isSplitTurn: boolean;
	previousSummary?: string;
	fileOps: { read: Set<string>; written: Set<string>; edited: Set<string> };
}

interface Pi {
	estimateTokens(message: AgentMessage): number;
	prepareCompaction(path: readonly SessionEntry[], settings: object): PiPlan | undefined;
	findCutPoint(
		path: readonly SessionEntry[],
		start: number,
		end: number,
		keep: number,
	): { firstKeptEntryIndex: number; turnStartIndex: number; isSplitTurn: boolean };
}

const piece = fc.record({
	kind: fc.constantFrom(
		...([
			'user',
			'answer',
			'tools',
			'tools',
			'bash',
			'custom',
			'branch',
			'meta',
			'compact',
		] as const),
	),
	tokens: fc.integer({ min: 1, max: 90 }),
	calls: fc.integer({ min: 1, max: 3 }),
	back: fc.integer({ min: 1, max: 6 }),
});
type Piece = typeof piece extends fc.Arbitrary<infer T> ? T : never;

/** A session as tools write it: each call answered right behind it. */
function pathOf(pieces: readonly Piece[]): SessionEntry[] {
	const session = new SessionBuilder();
	const places: string[] = [];
	for (const [index, { kind, tokens, calls, back }] of pieces.entries()) {
		const text = textOfTokens(tokens);
		if (kind === 'user') places.push(session.user(text));
		else if (kind === 'answer') places.push(session.assistant(text));
		else if (kind === 'tools') {
			const tools = ['read', 'write', 'edit'];
			const made = Array.from({ length: calls }, (_, call) =>
				toolCall(`t${index}-${call}`, tools[call] ?? 'read', { path: `f${tokens}.ts` }),
			);
			places.push(session.message(assistant('', made)));
			for (const { id } of made) session.message(toolResult(id, text));
		} else if (kind === 'bash')
			places.push(
				session.message({
					...{ role: 'bashExecution', command: 'ls', output: text, exitCode: 0 },
					...{ cancelled: false, truncated: false, timestamp: 0 },
				}),
			);
		else if (kind === 'custom')
			places.push(
				session.add({ type: 'custom_message', customType: 'c', content: text, display: true }),
			);
		else if (kind === 'branch')
			places.push(session.add({ type: 'branch_summary', fromId: 'x', summary: text }));
		else if (kind === 'meta') session.add({ type: 'custom', customType: 'c' });
		else session.compaction(`summary ${index}`, places.at(-back) ?? session.leaf ?? '');
	}
	return session.entries;
}

describe('plans of compactions as pi makes them', function () {
	this.timeout(120_000);
	let pi: Pi;
	let count: TokenCounter;

	before(async () => {
		// A script finds its files from where it lies, so it is not bundled.
		const script = pathToFileURL(resolve('scripts', 'peers.mjs')).href;
		const { ensurePeer } = (await import(script)) as typeof peers;
		const index = await ensurePeer('pi');
		pi = (await import(new URL('core/compaction/compaction.js', index).href)) as Pi;
		const known = (message: object) => pi.estimateTokens(message as AgentMessage);
		count = Object.assign((text: string) => text.length / 4, { known });
	});

	/** The window as messages with sizes, and where it may be cut. */
	function windowOf(path: readonly SessionEntry[]) {
		const items = keptContextEntries(path);
		const isCut = ({ message }: (typeof items)[number]) => message && message.role !== 'toolResult';
		const cuts = items.flatMap((item, place) => (isCut(item) ? [place] : []));
		const keptFrom = (place: number) =>
			items
				.slice(place)
				.reduce((sum, { message }) => sum + (message ? count.known!(message)! : 0), 0);
		return { items, cuts, keptFrom };
	}

	/** Our cut, told from pi's: the next one where pi's keeps more than the budget. */
	function expectedCut(
		path: readonly SessionEntry[],
		piFirstKept: string | undefined,
		keep: number,
	) {
		const { items, cuts, keptFrom } = windowOf(path);
		const start = items.findIndex(({ entry }) => entry.id === piFirstKept);
		const piCut = cuts.find((place) => place >= Math.max(0, start)) ?? -1;
		const next = cuts.find((place) => place > piCut);
		return keptFrom(piCut) > keep && next !== undefined ? next : piCut;
	}

	it('plans what pi plans, or cuts one message later where pi exceeds the budget', () => {
		let plans = 0;
		let same = 0;
		fc.assert(
			fc.property(
				fc.array(piece, { maxLength: 30, size: 'max' }),
				fc.integer({ min: 20, max: 600 }),
				(pieces, keepRecentTokens) => {
					const path = pathOf(pieces);
					const settings = { reserveTokens: 1000, keepRecentTokens };
					const theirs = pi.prepareCompaction(path, { enabled: true, ...settings });
					const ours = prepareCompaction(path, settings, count);
					if (path.at(-1)?.type === 'compaction') {
						assert.deepEqual([ours, theirs], [undefined, undefined]);
						return;
					}
					const { items } = windowOf(path);
					const cut = expectedCut(path, theirs?.firstKeptEntryId, keepRecentTokens);
					const summarized = items.slice(0, Math.max(0, cut)).filter(({ message }) => message);
					assert.equal(ours !== undefined, summarized.length > 0);
					if (!ours) return;
					plans++;
					const all = [...ours.messagesToSummarize, ...ours.turnPrefixMessages];
					assert.deepEqual(
						all,
						summarized.map(({ message }) => message),
					);
					assert.equal(ours.previousSummary, theirs?.previousSummary ?? ours.previousSummary);
					if (!theirs || theirs.firstKeptEntryId !== ours.firstKeptEntryId) return;
					// Where metadata is pulled in, pi looks at it instead of the message that is cut at.
					if (items.find(({ entry }) => entry.id === ours.firstKeptEntryId)?.message === undefined)
						return;
					same++;
					assert.equal(ours.isSplitTurn, theirs.isSplitTurn);
					assert.deepEqual(ours.messagesToSummarize, theirs.messagesToSummarize);
					assert.deepEqual(ours.turnPrefixMessages, theirs.turnPrefixMessages);
					const { read, written, edited } = theirs.fileOps;
					const hasBranch = items.some(({ entry }) => entry.type === 'branch_summary');
					if (!hasBranch)
						assert.deepEqual(
							[ours.fileOps.read, ours.fileOps.modified],
							[read, new Set([...written, ...edited])],
						);
				},
			),
			{ numRuns: 3000 },
		);
		assert(plans > 1000 && same > 500, `${plans} plans, ${same} the same`);
	});

	it('finds the cut that pi finds, or the next one, in any part of a path', () => {
		fc.assert(
			fc.property(
				fc.array(
					piece.filter(({ kind }) => kind !== 'compact'),
					{ minLength: 1, maxLength: 30, size: 'max' },
				),
				fc.integer({ min: 20, max: 600 }),
				(pieces, keep) => {
					const path = pathOf(pieces);
					const theirs = pi.findCutPoint(path, 0, path.length, keep);
					const ours = findCutPoint(path, 0, path.length, keep, count);
					const { cuts } = windowOf(path);
					if (cuts.length === 0) {
						assert.deepEqual(ours, theirs);
						return;
					}
					const cut = expectedCut(path, path[theirs.firstKeptEntryIndex]?.id, keep);
					const first = cuts.find((place) => place >= ours.firstKeptEntryIndex);
					assert.equal(first, cut);
				},
			),
			{ numRuns: 3000 },
		);
	});
});
