/** Files with random damage: nothing throws, and whatever was not touched is still there. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import type { SessionEntry } from '../../../src/session/entries.ts';
import {
	collectEntriesForBranchSummary,
	prepareBranchEntries,
} from '../../../src/session/compaction/branch-summarization.ts';
import { prepareCompaction } from '../../../src/session/compaction/compaction.ts';
import { buildRequest } from '../../../src/session/request-builder.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { BytesSessionStorage } from '../../support/bytes-storage.ts';
import { damagedFile, hostileEntry, junkValue } from '../../support/damage.ts';
import { everyKind, fileLines } from '../../support/every-kind.ts';

const ENTRIES = everyKind();
const [HEADER = ''] = fileLines([]);
const IDS = ENTRIES.map(({ id }) => id);

/** Looks at everything that a session offers. */
function lookAtAll(manager: SessionManager): void {
	const { tree } = manager;
	const open = [...tree.childrenOf(null)];
	const reached = new Set<string>();
	for (let id = open.pop(); id !== undefined; id = open.pop()) {
		assert(!reached.has(id), `${id} is reached twice`);
		reached.add(id);
		assert.equal(tree.get(id)?.id, id);
		assert.equal(manager.getBranch(id).at(-1)?.id, id);
		assert(manager.context(id).messages);
		open.push(...tree.childrenOf(id));
	}
	assert.equal(reached.size, tree.size);
	const rest = [manager.labels(), manager.context(), manager.name];
	assert.equal(rest.length, 3);
}

/** The entries that a tree still has as they were, in file order. */
function found(manager: SessionManager, entries: readonly SessionEntry[]) {
	const places = entries.map(({ id }) => manager.tree.placeOf(id) ?? -1);
	assert.deepEqual(
		places,
		places.toSorted((a, b) => a - b),
	);
	return entries.map(({ id }) => manager.tree.get(id));
}

async function compactAtLeaf(manager: SessionManager): Promise<void> {
	const compaction = { summary: 's', firstKeptEntryId: IDS[2]!, tokensBefore: 1 };
	const { id } = await manager.appendCompaction({ ...compaction, fromExtension: false });
	assert.equal(manager.leafId, id);
}

/** Plans a compaction and a branch summary. */
function planAll(manager: SessionManager): void {
	prepareCompaction(manager.getBranch(), { reserveTokens: 16_384, keepRecentTokens: 5 });
	const left = collectEntriesForBranchSummary(manager.tree, manager.leafId, null);
	assert(prepareBranchEntries(left.entries, 1_000));
}

describe('a damaged session file', function () {
	this.timeout(60_000);

	it('opens, and shows each entry whose line was not touched (C11)', async () => {
		await fc.assert(
			fc.asyncProperty(
				damagedFile(HEADER, ENTRIES),
				fc.integer({ min: 1, max: 3_000 }),
				async ({ bytes, untouched }, chunk) => {
					const manager = await SessionManager.open(new BytesSessionStorage(bytes, chunk));
					assert.deepEqual(found(manager, untouched), untouched);
					lookAtAll(manager);
				},
			),
			{ numRuns: 1_500 },
		);
	});

	it('shows a gap, with one warning, where a body is damaged behind a good head (C11)', async () => {
		const bytes = fc.uint8Array({ minLength: 1, maxLength: 8 });
		await fc.assert(
			fc.asyncProperty(
				fc.nat({ max: ENTRIES.length - 1 }),
				fc.nat(),
				bytes,
				async (index, offset, put) => {
					const damaged = damagedBehindHead(ENTRIES[index]!, offset, put);
					fc.pre(damaged !== undefined);
					const lines = fileLines(ENTRIES).map((line) => Buffer.from(line));
					lines[index + 1] = damaged;
					const file = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
					const manager = await SessionManager.open(new BytesSessionStorage(file));
					lookAtAll(manager);
					const shown = [...manager.tree.entries()];
					assert.deepEqual(
						shown.map(({ id }) => id),
						IDS,
					);
					assert.deepEqual(shown.toSpliced(index, 1), ENTRIES.toSpliced(index, 1));
					assert.equal(shown[index]?.type, 'damaged');
					assert.equal(manager.tree.parentOf(IDS[index]!), IDS[index - 1] ?? null);
					const warnings = manager.warnings.filter(({ entryId }) => entryId === IDS[index]);
					assert.deepEqual(
						warnings.map(({ kind }) => kind),
						['bad-line'],
					);
				},
			),
			{ numRuns: 1_000 },
		);
	});

	/** Opens files whose last entries hold anything in any field. */
	async function withHostileEntries(test: (manager: SessionManager) => unknown) {
		const some = fc.array(hostileEntry(IDS), { minLength: 1, maxLength: 4 });
		await fc.assert(
			fc.asyncProperty(some, async (hostile) => {
				const lines = [...fileLines(ENTRIES), ...hostile.map((value) => JSON.stringify(value))];
				const file = Buffer.from(`${lines.join('\n')}\n`);
				await test(await SessionManager.open(new BytesSessionStorage(file)));
			}),
			{ numRuns: 1_500 },
		);
	}

	it('opens where fields hold anything, and shows the other entries (C11)', () =>
		withHostileEntries((manager) => {
			lookAtAll(manager);
			assert.deepEqual(found(manager, ENTRIES), ENTRIES);
		}));

	it('has a context of messages with roles, whatever fields hold (C11)', () =>
		withHostileEntries((manager) => {
			const { tree } = manager;
			const ids = Array.from({ length: tree.size }, (_, place) => tree.idAt(place) ?? '');
			const messages = ids.flatMap((id) => manager.context(id).messages);
			for (const message of messages) assert.equal(typeof message?.role, 'string');
		}));

	it('has settings that are texts, whatever fields hold (C11)', () =>
		withHostileEntries((manager) => {
			const { thinkingLevel, model } = manager.context();
			assert.equal(typeof thinkingLevel, 'string');
			if (!model) return;
			assert.equal(typeof model.provider, 'string');
			assert.equal(typeof model.modelId, 'string');
		}));

	it('has a name that is a text, whatever fields hold (C11)', () =>
		withHostileEntries(({ name }) => assert.equal(typeof (name ?? ''), 'string')));

	it('has labels that are texts, whatever fields hold (C11)', () =>
		withHostileEntries((manager) => {
			for (const label of manager.labels().values()) assert.equal(typeof label, 'string');
		}));

	it('is compacted, whatever fields hold (C11)', () => withHostileEntries(compactAtLeaf));

	it('turns into a request and is planned for, whatever fields hold (C11)', () =>
		withHostileEntries((manager) => {
			assert(buildRequest(manager.context().messages));
			planAll(manager);
		}));

	it('is used and compacted, whatever an older compaction restates (C11)', async () => {
		await fc.assert(
			fc.asyncProperty(junkValue, async (systemMessage) => {
				const parentId = IDS.at(-1);
				const older = { type: 'compaction', id: 'x', parentId, summary: 's', systemMessage };
				const file = Buffer.from([...fileLines(ENTRIES), JSON.stringify(older)].join('\n'));
				const manager = await SessionManager.open(new BytesSessionStorage(file));
				const { messages } = manager.context();
				for (const message of messages) assert.equal(typeof message?.role, 'string');
				assert(buildRequest(messages));
				planAll(manager);
				await compactAtLeaf(manager);
			}),
			{ numRuns: 500 },
		);
	});
});

/** The line of an entry with bytes put in behind its head; undefined where it still parses. */
function damagedBehindHead(entry: SessionEntry, offset: number, put: Uint8Array) {
	const { type, id, parentId, timestamp } = entry;
	const head = { type, id, parentId };
	const start =
		entry.type === 'message'
			? JSON.stringify({ ...head, timestamp, message: { role: entry.message.role } }).length - 2
			: JSON.stringify(head).length - 1;
	const line = Buffer.from(JSON.stringify(entry));
	const at = start + (offset % (line.length - start));
	const damaged = Buffer.concat([line.subarray(0, at), put, line.subarray(at)]);
	return put.includes(0x0a) || parses(damaged) ? undefined : damaged;
}

function parses(line: Uint8Array): boolean {
	try {
		return Boolean(JSON.parse(new TextDecoder().decode(line)));
	} catch {
		return false;
	}
}
