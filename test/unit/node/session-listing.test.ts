import { strict as assert } from 'node:assert';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionFolder } from '../../../src/node/session-folders.ts';
import {
	SessionListing,
	type ListingFiles,
	type ListingPage,
} from '../../../src/node/session-listing.ts';

const lines = (id: number, cwd = '/w', prompt = `Prompt ${id}`) =>
	[
		{ type: 'session', version: 3, id: `s${id}`, timestamp: '', cwd },
		{ type: 'message', id: 'u', parentId: null, message: { role: 'user', content: prompt } },
	]
		.map((line) => `${JSON.stringify(line)}\n`)
		.join('');

/** Generated files, and how many were opened. */
class CountedFiles implements ListingFiles {
	readonly contents = new Map<string, { text: string; modified: number }>();
	opened: string[] = [];
	openNow = 0;
	mostOpen = 0;
	bytesRead = 0;

	names(folder: string) {
		const start = `${folder}/`;
		const names = [...this.contents.keys()]
			.filter((path) => path.startsWith(start))
			.map((path) => path.slice(start.length));
		if (names.length > 0) return Promise.resolve(names);
		return Promise.reject(Object.assign(new Error('none'), { code: 'ENOENT' }));
	}

	facts(path: string) {
		const file = this.contents.get(path);
		return Promise.resolve(file && { bytes: file.text.length, modified: file.modified });
	}

	open(path: string) {
		this.opened.push(path);
		this.mostOpen = Math.max(this.mostOpen, ++this.openNow);
		const bytes = Buffer.from(this.contents.get(path)?.text ?? '');
		return Promise.resolve({
			read: (buffer: Uint8Array, position: number) => {
				const read = bytes.copy(buffer, 0, position);
				this.bytesRead += read;
				return Promise.resolve(read);
			},
			close: () => {
				this.openNow--;
				return Promise.resolve();
			},
		});
	}
}

const folder = (path: string, cwd?: string): SessionFolder => ({
	path,
	group: 'workspace',
	archived: false,
	accepts: (summary) => cwd === undefined || summary.cwd === cwd,
});

async function all(pages: AsyncIterable<ListingPage>) {
	const rows = [];
	for await (const page of pages) rows.push(...page.rows);
	return rows;
}

describe('session listing', () => {
	describe('of 3,000 files (C12)', () => {
		let files: CountedFiles;

		beforeEach(() => {
			files = new CountedFiles();
			for (let id = 0; id < 3000; id++)
				files.contents.set(`/s/${id}.jsonl`, { text: lines(id), modified: (id * 7919) % 3000 });
		});

		it('gives the newest before it reads any other, a few at a time', async () => {
			const pages = new SessionListing(files).pages([folder('/s')]);
			const { value: first } = await pages.next();
			assert.ok(first);
			assert.equal(first.total, 3000);
			assert.equal(first.rows.length, 40);
			assert.equal(files.opened.length, 40);
			assert.deepEqual(
				first.rows.map(({ summary }) => summary.modified),
				Array.from({ length: 40 }, (_, index) => 2999 - index),
			);
			const rest = await all(pages);
			assert.equal(rest.length, 2960);
			assert.equal(files.opened.length, 3000);
			assert.ok(files.mostOpen <= 4);
			const times = [...first.rows, ...rest].map(({ summary }) => summary.modified);
			assert.deepEqual(
				times,
				times.toSorted((a, b) => b - a),
			);
		});

		it('reads again only what has changed', async () => {
			const listing = new SessionListing(files);
			await all(listing.pages([folder('/s')]));
			files.opened = [];
			files.contents.set('/s/5.jsonl', { text: lines(5, '/w', 'Changed!'), modified: 9999 });
			files.contents.set('/s/new.jsonl', { text: lines(1), modified: 9998 });
			files.contents.delete('/s/6.jsonl');
			const rows = await all(listing.pages([folder('/s')]));
			assert.deepEqual(files.opened, ['/s/5.jsonl', '/s/new.jsonl']);
			assert.equal(rows.length, 3000);
			assert.equal(rows[0]?.summary.firstPrompt, 'Changed!');
		});

		it('stops where it is told to', async () => {
			const stop = new AbortController();
			const pages = new SessionListing(files).pages([folder('/s')], stop.signal);
			await pages.next();
			stop.abort();
			assert.deepEqual(await all(pages), []);
			assert.equal(files.opened.length, 40);
			assert.equal(files.openNow, 0);
		});

		it('finds the few of this folder among those of others', async () => {
			files.contents.set('/s/mine.jsonl', { text: lines(1, '/mine'), modified: -1 });
			const rows = await all(new SessionListing(files).pages([folder('/s', '/mine')]));
			assert.deepEqual(
				rows.map(({ path }) => path),
				['/s/mine.jsonl'],
			);
		});
	});

	it('reads the beginning and the end of a large file, and all of it only to count', async () => {
		const files = new CountedFiles();
		const filler = `${JSON.stringify({ type: 'custom', id: 'c', data: 'x'.repeat(990) })}\n`;
		const name = `${JSON.stringify({ type: 'session_info', id: 'n', name: 'Middle' })}\n`;
		const text = lines(1) + filler.repeat(2000) + name + filler.repeat(2000);
		files.contents.set('/s/large.jsonl', { text, modified: 1 });
		files.contents.set('/s/small.jsonl', { text: lines(2), modified: 2 });
		const listing = new SessionListing(files);
		const rows = await all(listing.pages([folder('/s')]));
		const small = lines(2).length;
		assert.equal(files.bytesRead, (64 << 10) + (32 << 10) + small);
		assert.deepEqual(
			rows.map(({ summary }) => summary.exact),
			[true, false],
		);
		for await (const counted of listing.counted(rows)) {
			assert.equal(counted.length, 1);
			assert.deepEqual(
				[counted[0]?.summary.entries, counted[0]?.summary.exact, counted[0]?.summary.name],
				[4002, true, 'Middle'],
			);
		}
		files.opened = [];
		const again = await all(listing.pages([folder('/s')]));
		assert.equal(again[1]?.summary.name, 'Middle');
		assert.deepEqual(files.opened, []);
	});

	describe('of real folders', () => {
		let root: string;

		beforeEach(async () => (root = await mkdtemp(join(tmpdir(), 'espalier-listing-'))));
		afterEach(() => rm(root, { recursive: true, force: true }));

		it('lists plain files of that ending, whatever is in them', async () => {
			await writeFile(join(root, 'good.jsonl'), lines(1));
			await writeFile(join(root, 'empty.jsonl'), '');
			await writeFile(join(root, 'bad.jsonl'), 'junk\n');
			await writeFile(join(root, 'note.txt'), 'no session');
			await mkdir(join(root, 'folder.jsonl'));
			await writeFile(join(root, 'old.jsonl'), lines(2));
			await utimes(join(root, 'old.jsonl'), 1, 1);
			const listing = new SessionListing();
			const rows = await all(listing.pages([folder(root), folder(join(root, 'missing'))]));
			assert.equal(rows.length, 4);
			assert.deepEqual(rows.map(({ summary }) => summary.kind).sort(), [
				...['empty', 'not-a-session', 'session', 'session'],
			]);
			assert.equal(rows[3]?.summary.id, 's2');
			assert.deepEqual([...listing.unreadable], []);
		});

		it('says which folder cannot be read, and lists the others', async () => {
			await writeFile(join(root, 'good.jsonl'), lines(1));
			const listing = new SessionListing();
			const file = join(root, 'good.jsonl');
			const rows = await all(listing.pages([folder(file), folder(root)]));
			assert.equal(rows.length, 1);
			assert.deepEqual([...listing.unreadable], [[file, 'ENOTDIR']]);
		});
	});

	it('gives a row to a file that cannot be read, and none to one that vanished', async () => {
		const files = new CountedFiles();
		files.contents.set('/s/a.jsonl', { text: lines(1), modified: 1 });
		files.contents.set('/s/b.jsonl', { text: lines(2), modified: 2 });
		const failing: ListingFiles = {
			names: (path) => files.names(path),
			facts: (path) => files.facts(path),
			open: (path) =>
				Promise.reject(
					Object.assign(new Error('no'), { code: path.includes('a.') ? 'EACCES' : 'ENOENT' }),
				),
		};
		const rows = await all(new SessionListing(failing).pages([folder('/s')]));
		assert.deepEqual(
			rows.map(({ path, summary }) => [path, summary.kind]),
			[['/s/a.jsonl', 'unreadable']],
		);
	});
});
