/** The reader that looks at the heads of lines, against one that parses every line. */
import { strict as assert } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { FileSessionStorage } from '../../../src/node/file-session-storage.ts';
import { isDamaged } from '../../../src/session/entry-parse.ts';
import { SessionFile } from '../../../src/session/session-file.ts';
import { MemorySessionStorage, type SessionStorage } from '../../../src/session/session-storage.ts';
import { BytesSessionStorage } from '../../support/bytes-storage.ts';
import { plainRole, readPlainly } from '../../support/plain-reader.ts';
import { sessionBytes } from '../../support/spelled-lines.ts';

const CHUNK_BYTES = 1 << 20;
const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"","cwd":"/w"}';

/** Reads bytes with both readers and compares everything that the tree knows. */
async function assertReadAlike(bytes: Uint8Array, storage: SessionStorage): Promise<number> {
	const expected = readPlainly(bytes);
	const { header, tree, warnings } = await SessionFile.read(storage);
	assert.equal(header.id, 's');
	const ids = Array.from({ length: tree.size }, (_, place) => tree.idAt(place) ?? '');
	assert.deepEqual(
		ids.map((id) => [id, tree.typeOf(id), tree.roleOf(id), tree.parentOf(id)]),
		expected.map((entry) => [entry.id, entry.type, plainRole(entry), entry.parentId]),
	);
	assert.deepEqual([...tree.entries()], expected);
	assert.deepEqual(
		warnings.filter(({ kind }) => kind !== 'unknown-type' && kind !== 'duplicate-id'),
		[],
	);
	return expected.length;
}

function inMemory(bytes: Uint8Array): MemorySessionStorage {
	// The mark that a decoder would drop belongs to the first line.
	const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
	return new MemorySessionStorage(text.split('\n'));
}

describe('reading the heads of lines', function () {
	this.timeout(60_000);
	let folder: string;
	let path: string;

	before(async () => {
		folder = await mkdtemp(join(tmpdir(), 'espalier-lazy-'));
		path = join(folder, 'session.jsonl');
	});
	after(() => rm(folder, { recursive: true, force: true }));

	it('gives what parsing every line gives, however the lines are spelled (C11)', async () => {
		await fc.assert(
			fc.asyncProperty(sessionBytes, fc.integer({ min: 1, max: 200 }), async (bytes, chunk) => {
				await writeFile(path, bytes);
				await assertReadAlike(bytes, inMemory(bytes));
				await assertReadAlike(bytes, new BytesSessionStorage(bytes, chunk));
				await assertReadAlike(bytes, new FileSessionStorage(path));
			}),
			{ numRuns: 2_500 },
		);
	});

	it('reads lines that lie across the border of two chunks, wherever it cuts them (C11)', async () => {
		const line = (id: string, parentId: string, text: string) =>
			`{"type":"message","id":"${id}","parentId":"${parentId}","timestamp":"",` +
			`"message":{"role":"user","content":"${text}","timestamp":1}}`;
		const fillers = (length: number) =>
			`{"type":"custom","id":"a","parentId":null,"data":"${'x'.repeat(length)}"}`;
		const around = line('bbbbbbbb', 'a', 'naïve 😀 text');
		const emptyBytes = Buffer.byteLength(`${HEADER}\n${fillers(0)}\n`);
		for (let cut = -2; cut <= Buffer.byteLength(around) + 2; cut += 3) {
			const filler = fillers(CHUNK_BYTES - emptyBytes - cut);
			const text = [HEADER, filler, around, line('c', 'bbbbbbbb', ''), ''].join('\n');
			const bytes = Buffer.from(text);
			await writeFile(path, bytes);
			assert.equal(await assertReadAlike(bytes, new FileSessionStorage(path)), 3, `cut at ${cut}`);
		}
	});

	it('reads lines longer than several chunks (C11)', async () => {
		const long = (id: string, length: number) =>
			JSON.stringify({
				...{ type: 'message', id, parentId: null, timestamp: '' },
				message: { role: 'user', content: 'ü'.repeat(length), timestamp: 1 },
			});
		const lengths = [CHUNK_BYTES / 2, CHUNK_BYTES, 1, CHUNK_BYTES * 2, 0, 5];
		const lines = [HEADER, ...lengths.map((length, index) => long(`e${index}`, length))];
		for (const end of ['', '\n', '\r\n']) {
			const bytes = Buffer.from(lines.join('\n') + end);
			await writeFile(path, bytes);
			assert.equal(await assertReadAlike(bytes, new FileSessionStorage(path)), lengths.length);
			assert.equal(await assertReadAlike(bytes, inMemory(bytes)), lengths.length);
		}
	});

	it('shows a gap where the id comes twice in a line, which no tool writes (C11)', async () => {
		const line = '{"type":"label","id":"a","parentId":null,"timestamp":"","targetId":"x","id":"b"}';
		const { tree, warnings } = await SessionFile.read(
			inMemory(Buffer.from([HEADER, line].join('\n') + '\n')),
		);
		const entry = tree.get('a');
		assert(entry && isDamaged(entry));
		assert.equal(warnings.length, 1);
	});
});
