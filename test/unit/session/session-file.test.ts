import { strict as assert } from 'node:assert';
import { SessionFile } from '../../../src/session/session-file.ts';
import { MemorySessionStorage } from '../../../src/session/session-storage.ts';
import { UserError } from '../../../src/util/errors.ts';

const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"","cwd":"/w"}';
/** Reads a file and looks at every entry. */
async function parse(...lines: string[]) {
	const { header, tree, warnings, version } = await SessionFile.read(
		new MemorySessionStorage(lines),
	);
	return { header, entries: [...tree.entries()], warnings, fileVersion: version };
}
const label = (id: string, parentId: string | null = null) =>
	JSON.stringify({ type: 'label', id, parentId, timestamp: '', targetId: 'x', label: 'l' });

describe('session file', () => {
	it('costs only the damaged line (C11)', async () => {
		const { entries, warnings } = await parse(HEADER, label('a'), '{"type":"mess', label('b', 'a'));
		assert.deepEqual(
			entries.map(({ id }) => id),
			['a', 'b'],
		);
		assert.equal(warnings.length, 1);
		assert.equal(warnings[0]?.line, 3);
	});

	it('reads past zero-filled blocks, blank lines, CRLF and a byte order mark (C11)', async () => {
		const { entries, warnings } = await parse(
			`\uFEFF${HEADER}\r`,
			'\0'.repeat(500),
			'',
			`${label('a')}\r`,
		);
		assert.equal(entries.length, 1);
		assert.deepEqual(
			warnings.map(({ kind }) => kind),
			['bad-line'],
		);
	});

	it('shows a gap where the body of an entry is missing, and sets aside what is no entry', async () => {
		const { entries, warnings } = await parse(
			HEADER,
			'{"type":"message","id":"a","parentId":null}',
			'{"type":"compaction","id":"b","parentId":null}',
			'{"type":"label","id":7}',
		);
		assert.deepEqual(
			entries.map(({ type }) => type),
			['damaged', 'damaged'],
		);
		assert.equal(warnings.length, 3);
	});

	it('keeps unknown types and says so once per type', async () => {
		const unknown = (id: string) => `{"type":"hologram","id":"${id}","parentId":null,"x":[1]}`;
		const { entries, warnings } = await parse(HEADER, unknown('a'), unknown('b'));
		assert.equal(entries.length, 2);
		assert.equal(warnings.length, 1);
		assert.match(warnings[0]?.message ?? '', /2 entries .*hologram/);
	});

	it("skips oh-my-pi's title slot before the header", async () => {
		const { header } = await parse('{"type":"title","v":1,"title":"t"}', HEADER, label('a'));
		assert.equal(header.id, 's');
		assert.equal(header.title, 't');
	});

	it('refuses what is not a session, and a newer version', async () => {
		const refused = (reason: string) => (error: unknown) =>
			error instanceof UserError && error.reason === reason;
		await assert.rejects(parse('hello'), refused('not-a-session'));
		await assert.rejects(parse(), refused('not-a-session'));
		await assert.rejects(
			parse('{"type":"session","version":4,"id":"s"}'),
			refused('newer-version'),
		);
	});

	it('migrates version 1: a chain of stable ids, the kept index as an id', async () => {
		const lines = [
			'{"type":"session","id":"old","timestamp":"","cwd":"/w"}',
			'{"type":"message","message":{"role":"user","content":"one"}}',
			'{"type":"message","message":{"role":"user","content":"two"}}',
			'{"type":"compaction","summary":"s","firstKeptEntryIndex":2,"tokensBefore":9}',
		];
		const first = await parse(...lines);
		const again = await parse(...lines);
		assert.equal(first.fileVersion, 1);
		assert.deepEqual(first.entries, again.entries);
		const [one, two, compaction] = first.entries;
		assert.equal(one?.parentId, null);
		assert.equal(two?.parentId, one?.id);
		assert.match(one?.id ?? '', /^[0-9a-f]{8}$/);
		assert(compaction?.type === 'compaction');
		assert.equal(compaction.firstKeptEntryId, two?.id);
	});

	it('migrates version 2: hookMessage becomes custom', async () => {
		const { entries } = await parse(
			'{"type":"session","version":2,"id":"old","timestamp":"","cwd":"/w"}',
			'{"type":"message","id":"a","parentId":null,"message":{"role":"hookMessage","content":"x"}}',
		);
		const [entry] = entries;
		assert(entry?.type === 'message');
		assert.equal(entry.message.role, 'custom');
	});
});
