import { strict as assert } from 'node:assert';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { replaceIn } from '../../../src/tools/edit.ts';
import { tempWorkspace, type TempWorkspace } from '../../support/temp-workspace.ts';

const file = { shown: 'f' };
const once = { replaceAll: false };

describe('the edit tool', () => {
	let workspace: TempWorkspace;
	before(async () => {
		workspace = await tempWorkspace();
	});
	after(() => workspace.remove());

	const line = fc.string({
		unit: fc.constantFrom('a', 'b', '$', '&', '(', '\\', '.', ' ', 'é', '😀'),
	});
	const lineEnd = fc.constantFrom('\n', '\r\n');

	it('replaces what stands between two parts and leaves these as they are', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.tuple(line, lineEnd), { maxLength: 6 }),
				fc.array(line, { minLength: 1, maxLength: 3 }),
				fc.array(line, { maxLength: 3 }),
				lineEnd,
				fc.array(fc.tuple(line, lineEnd), { maxLength: 6 }),
				async (before, old, fresh, end, behind) => {
					const head = before.flat().join('');
					const tail = behind.flat().join('');
					// A mark makes the text stand there once.
					const oldLines = [...old.slice(0, -1), `${old.at(-1)}§`];
					const text = `${head}${oldLines.join(end)}${tail}`;
					const { after, count } = await replaceIn(file, text, {
						...once,
						oldText: oldLines.join('\n'),
						newText: fresh.join('\n'),
					});
					const used = oldLines.length > 1 ? end : (/\r?\n/.exec(text)?.[0] ?? '\n');
					assert.equal(count, 1);
					assert.equal(after, `${head}${fresh.join(used)}${tail}`);
				},
			),
		);
	});

	it('keeps the byte order mark, the line ends, the mode, and leaves no other file', async () => {
		const at = path.join(workspace.root, 'crlf.sh');
		await writeFile(at, '\ufeffone\r\ntwo\r\nthree\r\n');
		await chmod(at, 0o750);
		await workspace.run('edit', { path: 'crlf.sh', oldText: 'one\ntwo', newText: '1\n2\n2b' });
		assert.equal(await readFile(at, 'utf8'), '\ufeff1\r\n2\r\n2b\r\nthree\r\n');
		assert.equal((await stat(at)).mode & 0o777, 0o750);
		assert.deepEqual(await readdir(workspace.root), ['crlf.sh']);
	});

	it('changes nothing where the text stands there twice, and says where; all of them where asked', async () => {
		const text = 'x\ny\nx\n';
		const twice = replaceIn(file, text, { ...once, oldText: 'x', newText: 'z' });
		await assert.rejects(twice, /2 times in f \(lines 1, 3\)/);
		const all = await replaceIn(file, text, { oldText: 'x', newText: 'z', replaceAll: true });
		assert.deepEqual(all, { after: 'z\ny\nz\n', count: 2 });
	});

	it('shows what comes closest, and says where only blanks differ', async () => {
		const text = 'function a() {\n\treturn compute(1);\n}\n';
		const blanks = replaceIn(file, text, { ...once, oldText: '  return compute(1);', newText: '' });
		await assert.rejects(
			blanks,
			/Lines 2 to 2, which differ in blanks alone:\n\treturn compute\(1\);/,
		);
		const nothing = replaceIn(file, text, { ...once, oldText: 'zzzz', newText: '' });
		await assert.rejects(nothing, /Nothing in it comes close/);
	});

	it('does only what was allowed: a file that changed meanwhile stays', async () => {
		const at = path.join(workspace.root, 'shown.txt');
		await writeFile(at, 'one two');
		const edit = workspace.tools.find(({ name }) => name === 'edit');
		const args = { path: 'shown.txt', oldText: 'one', newText: '1' };
		const { signal } = new AbortController();
		const act = await edit?.describe?.(args, signal);
		assert.deepEqual(act, { kind: 'edit', path: 'shown.txt', before: 'one two', after: '1 two' });
		await writeFile(at, 'one three');
		await assert.rejects(
			edit?.run(args, { signal, onOutput: () => {}, act }) ?? Promise.resolve(),
			/changed meanwhile/,
		);
		assert.equal(await readFile(at, 'utf8'), 'one three');
	});
});
