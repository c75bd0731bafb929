import { strict as assert } from 'node:assert';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { linesOf, someLines } from '../../../src/tools/text-file.ts';
import { tempWorkspace, type TempWorkspace } from '../../support/temp-workspace.ts';

describe('tools that read and find', () => {
	let workspace: TempWorkspace;
	const put = async (name: string, content: string | Uint8Array) => {
		const file = path.join(workspace.root, name);
		await mkdir(path.dirname(file), { recursive: true });
		await writeFile(file, content);
	};

	beforeEach(async () => {
		workspace = await tempWorkspace();
	});
	afterEach(() => workspace.remove());

	it('read gives a part and says how to go on, to the last line', async () => {
		await put('long.txt', Array.from({ length: 4_500 }, (_, at) => `line ${at + 1}\n`).join(''));
		const seen: string[] = [];
		for (let offset: number | undefined = 1; offset;) {
			const text = await workspace.text('read', { path: 'long.txt', offset });
			const [body = ''] = text.split('\n\n[');
			seen.push(...body.split('\n'));
			const next = /To go on: offset (\d+)/.exec(text)?.[1];
			offset = next ? Number(next) : undefined;
		}
		assert.equal(seen.length, 4_500);
		assert.equal(seen.at(-1), 'line 4500');
		const two = await workspace.text('read', { path: 'long.txt', offset: 7, limit: 2 });
		assert.match(two, /^line 7\nline 8\n\n\[Lines 7 to 8 of 4500/);
	});

	it('knows lines as their ends part them', async () => {
		await fc.assert(
			fc.asyncProperty(fc.string({ unit: fc.constantFrom('a', '\r', '\n', '') }), async (text) => {
				const lines = text.split(/\r?\n/);
				if (lines.at(-1) === '') lines.pop();
				assert.deepEqual(linesOf(text), lines);
				const some = { lines: lines.slice(1, 3), total: lines.length };
				assert.deepEqual(await someLines(text, 2, 2), some);
			}),
		);
	});

	it('read cuts a line that is longer than all it may give, and goes on behind it', async () => {
		await put('wide.txt', `${'x'.repeat(90_000)}\nend\n`);
		const text = await workspace.text('read', { path: 'wide.txt' });
		assert(text.length < 51_000);
		assert.match(text, /has 90000 characters.*offset 2\.\]$/s);
	});

	it('read gives images as images, and refuses what is no text', async () => {
		const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1, 2);
		await put('a.png', png);
		const { content } = await workspace.run('read', { path: 'a.png' });
		const image = content.find((part) => part.type === 'image');
		assert(image?.type === 'image');
		assert.equal(image.mimeType, 'image/png');
		assert.deepEqual(Uint8Array.from(Buffer.from(image.data, 'base64')), png);
		await put('a.bin', Uint8Array.of(1, 0, 2));
		await assert.rejects(workspace.run('read', { path: 'a.bin' }), /binary file/);
		await put('latin', Uint8Array.of(0x61, 0xe9, 0x62));
		await assert.rejects(workspace.run('read', { path: 'latin' }), /no UTF-8/);
		await assert.rejects(workspace.run('read', { path: 'none' }), /not there/);
		await assert.rejects(workspace.run('read', { path: '.' }), /use ls/);
	});

	it('write makes folders, and replaces a file only as it was shown', async () => {
		assert.equal(
			await workspace.text('write', { path: 'a/b/c.txt', content: 'one\ntwo\n' }),
			'Created a/b/c.txt: 2 lines.',
		);
		const write = workspace.tools.find(({ name }) => name === 'write');
		const args = { path: 'a/b/c.txt', content: 'three' };
		const { signal } = new AbortController();
		const act = await write?.describe?.(args, signal);
		assert.deepEqual(act, {
			kind: 'write',
			path: 'a/b/c.txt',
			before: 'one\ntwo\n',
			after: 'three',
		});
		await put('a/b/c.txt', 'other');
		const run = write?.run(args, { signal, onOutput: () => {}, act });
		await assert.rejects(run ?? Promise.resolve(), /changed meanwhile/);
		assert.equal(await readFile(path.join(workspace.root, 'a/b/c.txt'), 'utf8'), 'other');
	});

	it('ls marks folders and links', async () => {
		await put('b/x', '');
		await put('.a', '');
		await symlink('b', path.join(workspace.root, 'l'));
		assert.equal(await workspace.text('ls', {}), '.a\nb/\nl@');
		assert.match(await workspace.text('ls', { limit: 1 }), /^\.a\n\n\[The first 1 of 3/);
		await assert.rejects(workspace.run('ls', { path: '.a' }), /no folder/);
	});

	it('find and grep leave out what git ignores, and do not follow links', async () => {
		await put('.gitignore', '*.log\n/build\n');
		await put('sub/.gitignore', '!keep.log\nown\n');
		for (const name of [
			...['a.ts', 'sub/b.ts', 'sub/own/c.ts', 'build/d.ts', 'sub/build/e.ts', 'x.log'],
			...['sub/keep.log', 'node_modules/m/f.ts', '.git/g.ts', '.hidden/h.ts'],
		])
			await put(name, `needle in ${name}\n`);
		await writeFile(path.join(workspace.outside, 'o.ts'), 'needle');
		await symlink(workspace.outside, path.join(workspace.root, 'out'));
		await symlink(path.join(workspace.outside, 'o.ts'), path.join(workspace.root, 'o.ts'));
		const expected = ['.hidden/h.ts', 'a.ts', 'sub/b.ts', 'sub/build/e.ts'];
		const found = await workspace.text('find', { pattern: '*.ts' });
		assert.deepEqual(found.split('\n').sort(), expected);
		const hits = await workspace.text('grep', { pattern: 'NEEDLE', ignoreCase: true });
		const files = hits.split('\n').map((line) => line.split(':')[0]);
		assert.deepEqual(files.sort(), [...expected, 'sub/keep.log']);
		assert.equal(
			await workspace.text('find', { pattern: 'sub/*.{ts,log}' }),
			'sub/b.ts\nsub/keep.log',
		);
		const below = await workspace.text('grep', { pattern: 'needle', path: 'sub', glob: '*.log' });
		assert.equal(below, 'sub/keep.log:1: needle in sub/keep.log');
	});

	it('grep shows lines around, stops at its limit, and says so', async () => {
		await put('f.txt', 'one\ntwo\nthree\nfour\ntwo\nsix\n');
		assert.equal(
			await workspace.text('grep', { pattern: '^two$', path: 'f.txt', context: 1 }),
			'f.txt-1- one\nf.txt:2: two\nf.txt-3- three\nf.txt-4- four\nf.txt:5: two\nf.txt-6- six',
		);
		assert.match(
			await workspace.text('grep', { pattern: 'two', limit: 1 }),
			/^f\.txt:2: two\n\n\[The first 1/,
		);
		assert.equal(await workspace.text('grep', { pattern: 'seven' }), 'Nothing was found.');
		await assert.rejects(workspace.run('grep', { pattern: '(' }), /no regular expression/);
	});

	it('a pattern that would take for ever is ended, and so is a glob', async () => {
		await put('evil.txt', `${'a'.repeat(50)}!\n`);
		await assert.rejects(workspace.run('grep', { pattern: '^(a+)+$' }), /takes too long/);
		await put('a'.repeat(200), '');
		const glob = `${'*a'.repeat(30)}b`;
		await assert.rejects(workspace.run('find', { pattern: glob }), /takes too long/);
		// A rule of the workspace runs on our own thread: such a one is not obeyed.
		await put('.gitignore', `${glob}\nevil.txt\n`);
		assert.equal(await workspace.text('find', { pattern: '*' }), `.gitignore\n${'a'.repeat(200)}`);
	});
});
