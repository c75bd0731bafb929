import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { explainContext, type EntryCoverage } from '../../../src/session/explain-context.ts';
import { readRecentPath } from '../../../src/session/recent-path.ts';
import { SessionTree } from '../../../src/session/session-tree.ts';
import { assistant, SessionBuilder, toolCall, toolResult } from '../../support/session-builder.ts';

const act = fc.oneof(
	{ weight: 4, arbitrary: fc.constant('turn' as const) },
	{ weight: 1, arbitrary: fc.constant('reset' as const) },
	{
		weight: 3,
		arbitrary: fc.record({ keep: fc.integer({ min: 0, max: 9 }), recorded: fc.boolean() }),
	},
);

/** A path with compactions that keep some of what is in the context, and say so or not. */
function storyOf(acts: (typeof act extends fc.Arbitrary<infer T> ? T : never)[]): SessionTree {
	const session = new SessionBuilder();
	/** The entries of the context, oldest first. */
	let context: string[] = [];
	for (const each of acts) {
		if (each === 'reset') {
			session.add({ type: 'reset_boundary' });
			context = [];
		} else if (each === 'turn') {
			const call = `call${session.entries.length}`;
			context.push(
				session.user('ask'),
				session.message(assistant('', [toolCall(call)])),
				session.message(toolResult(call, 'out')),
				session.assistant('answer'),
			);
		} else {
			const kept = each.keep === 0 ? [] : context.slice(-each.keep * 4);
			const covered = context.slice(0, context.length - kept.length);
			const range = {
				firstEntryId: covered[0],
				lastEntryId: covered.at(-1),
				messages: covered.length,
			};
			const own = `e${session.entries.length + 1}`;
			session.compaction(
				'sum',
				kept[0] ?? own,
				each.recorded ? { details: { covered: range } } : {},
			);
			context = kept;
		}
	}
	return SessionTree.of(session.entries);
}

describe('the newest part of a path', () => {
	it('is accounted for as in the whole path, wherever it is cut', async () => {
		let cuts = 0;
		await fc.assert(
			fc.asyncProperty(
				fc.array(act, { minLength: 2, maxLength: 25 }),
				fc.integer({ min: 1, max: 60 }),
				async (acts, most) => {
					const tree = storyOf(acts);
					const leafId = tree.idAt(tree.size - 1) ?? null;
					const whole = explainContext(tree.pathTo(leafId));
					const { path, omitted } = await readRecentPath(tree, leafId, most);
					assert.equal(omitted + path.length, tree.size);
					assert(path.length <= Math.max(most, 0));
					// A last turn longer than the part is cut in its middle.
					const [first] = path;
					if (first?.type !== 'message' || first.message.role !== 'user') return;
					if (omitted > 0) cuts++;
					const part = explainContext(path);
					assert.deepEqual(facts(part), facts(whole.slice(-part.length)));
				},
			),
			{ numRuns: 500 },
		);
		assert(cuts > 50, `only ${cuts} paths were cut`);
	});

	it('is the whole path where that is short enough, with the entries as they are', async () => {
		const tree = storyOf(['turn', { keep: 0, recorded: true }, 'turn']);
		const leafId = tree.idAt(tree.size - 1) ?? null;
		assert.deepEqual(await readRecentPath(tree, leafId, 9), {
			path: tree.pathTo(leafId),
			omitted: 0,
		});
		assert.deepEqual(await readRecentPath(tree, null, 9), { path: [], omitted: 0 });
	});
});

function facts(coverage: readonly EntryCoverage[]): unknown[] {
	return coverage.map(({ entryId, status, compactionId, reason }) => ({
		...{ entryId, status, compactionId, reason },
	}));
}
