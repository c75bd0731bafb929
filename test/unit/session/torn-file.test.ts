/** Files that a crash cut off: at every byte, opened, appended to and opened again. */
import { strict as assert } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileSessionStorage } from '../../../src/node/file-session-storage.ts';
import type { SessionEntry } from '../../../src/session/entries.ts';
import { SessionManager } from '../../../src/session/session-manager.ts';
import { isDamaged } from '../../../src/session/entry-parse.ts';
import { UserError } from '../../../src/util/errors.ts';
import { everyKind, fileLines, lineSpans, TITLE_SLOT } from '../../support/every-kind.ts';

interface Cut {
	bytes: Uint8Array;
	/** The entries whose lines are whole; undefined where the header's is not. */
	whole: SessionEntry[] | undefined;
}

/** What stands above the header. */
const TOPS: Record<string, string[]> = {
	'a file': [],
	'a file with a title slot': [TITLE_SLOT],
};

/** The file of these entries, cut off before each of its bytes, and whole. */
function* cutsOf(title: readonly string[], entries: readonly SessionEntry[]): Generator<Cut> {
	const lines = [...title, ...fileLines(entries)];
	const bytes = Buffer.from(`${lines.join('\n')}\n`);
	const spans = lineSpans(lines);
	const before = lines.length - entries.length;
	for (let length = 0; length <= bytes.length; length++) {
		const count = spans.filter(({ end }) => end <= length).length - before;
		yield {
			bytes: bytes.subarray(0, length),
			whole: count < 0 ? undefined : entries.slice(0, count),
		};
	}
}

describe('a file cut off at any byte', function () {
	this.timeout(120_000);
	let folder: string;
	let path: string;

	before(async () => {
		folder = await mkdtemp(join(tmpdir(), 'espalier-torn-'));
		path = join(folder, 'session.jsonl');
	});
	after(() => rm(folder, { recursive: true, force: true }));

	async function open(bytes?: Uint8Array): Promise<SessionManager> {
		if (bytes) await writeFile(path, bytes);
		return SessionManager.open(new FileSessionStorage(path));
	}

	for (const [name, title] of Object.entries(TOPS)) {
		// What stands above the header changes nothing below it, so that a few entries do there.
		const entries = everyKind().slice(0, title.length > 0 ? 4 : undefined);

		it(`${name} is no session while its header is cut, else keeps each whole entry (C11)`, async () => {
			for (const { bytes, whole } of cutsOf(title, entries)) {
				const opening = open(bytes);
				if (!whole) await assert.rejects(opening, isNoSession);
				else
					assert.deepEqual(
						[...(await opening).tree.entries()].slice(0, whole.length),
						whole,
						`cut at ${bytes.length}`,
					);
			}
		});

		it(`${name} shows nothing but the whole entries (C11)`, async () => {
			for (const { bytes, whole } of cutsOf(title, entries)) {
				if (!whole) continue;
				const { tree, leafId } = await open(bytes);
				assert.deepEqual([...tree.entries()], whole, `cut at ${bytes.length}`);
				assert.equal(leafId, whole.at(-1)?.id ?? null);
			}
		});

		it(`${name} is appended to without a loss (C11)`, async () => {
			for (const { bytes, whole } of cutsOf(title, entries)) {
				if (!whole) continue;
				const manager = await open(bytes);
				const before = [...manager.tree.entries()];
				const added = await manager.appendName('new');
				const { tree, leafId, name: title } = await open();
				// A torn line that begins and ends like a whole one is a gap, now that others follow it.
				const sound = [...tree.entries()].filter((entry) => !isDamaged(entry));
				assert.deepEqual(sound, [...before, added], `cut at ${bytes.length}`);
				assert.deepEqual(tree.get(added.id), manager.tree.get(added.id));
				assert.equal(tree.parentOf(added.id), before.at(-1)?.id ?? null);
				assert.equal(leafId, added.id);
				assert.equal(title, 'new');
			}
		});
	}
});

function isNoSession(error: unknown): boolean {
	return error instanceof UserError && error.reason === 'not-a-session';
}
