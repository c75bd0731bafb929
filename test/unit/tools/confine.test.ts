import { strict as assert } from 'node:assert';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { confine } from '../../../src/tools/confine.ts';
import { isInside, resolvePath } from '../../../src/tools/paths.ts';
import { tempWorkspace, type TempWorkspace } from '../../support/temp-workspace.ts';

describe('tools stay inside the workspace', () => {
	let workspace: TempWorkspace;

	before(async () => {
		workspace = await tempWorkspace();
		const { root, outside } = workspace;
		await mkdir(path.join(root, 'a/b'), { recursive: true });
		await writeFile(path.join(root, 'a/file'), 'inside');
		await writeFile(path.join(outside, 'secret'), 'outside');
		await symlink(outside, path.join(root, 'out'));
		await symlink(path.join(outside, 'secret'), path.join(root, 'a/leak'));
		await symlink(path.join(outside, 'new'), path.join(root, 'dangling'));
		await symlink(path.join(root, 'a'), path.join(root, 'in'));
		await symlink('..', path.join(root, 'a/b/up'));
		await symlink(root, path.join(outside, 'back'));
	});
	after(() => workspace.remove());

	const segment = fc.constantFrom(
		...['a', 'b', 'file', 'leak', 'out', 'secret', 'dangling', 'in', 'up', 'back', 'x', 'inside'],
		...['..', '..', '.', '', 'outside', '...'],
	);

	it('whatever the path: what is resolved lies inside, without a link', async () => {
		const { root, outside, files } = workspace;
		await fc.assert(
			fc.asyncProperty(
				fc.array(segment, { minLength: 1, maxLength: 7 }),
				fc.constantFrom('', '/', `${root}/`, `${outside}/`, `${outside}/back/`),
				fc.constantFrom('read' as const, 'write' as const),
				async (segments, prefix, access) => {
					const given = prefix + segments.join('/');
					const confined = await confine(files, given, access).catch(() => undefined);
					if (!confined) return;
					assert(isInside(root, confined.real), `${given} → ${confined.real}`);
					const real = await files.realPath(confined.real);
					assert(real === undefined || real === confined.real);
				},
			),
			{ numRuns: 400 },
		);
	});

	it('whatever the path: write changes nothing outside', async () => {
		const { outside } = workspace;
		await fc.assert(
			fc.asyncProperty(fc.array(segment, { minLength: 1, maxLength: 6 }), async (segments) => {
				await workspace.run('write', { path: segments.join('/'), content: 'w' }).catch(() => {});
				assert.deepEqual((await readdir(outside)).sort(), ['back', 'secret']);
				assert.equal(await readFile(path.join(outside, 'secret'), 'utf8'), 'outside');
			}),
			{ numRuns: 150 },
		);
	});

	it('says which paths lead outside, and follows links that stay inside', async () => {
		const { files, root, outside } = workspace;
		for (const outer of [
			'../outside/secret',
			'out/secret',
			'a/leak',
			`${outside}/secret`,
			'out/new',
		])
			await assert.rejects(confine(files, outer, 'read'), /outside of the workspace/);
		await assert.rejects(confine(files, 'dangling', 'write'), /link that leads nowhere/);
		await assert.rejects(confine(files, 'a\0b', 'read'), /NUL/);
		assert.equal((await confine(files, 'in/b/up/c/new', 'write')).shown, 'a/c/new');
		assert.equal((await confine(files, `${outside}/back/a`, 'read')).shown, 'a');
		assert.equal((await confine(files, root, 'read')).shown, '.');
	});

	it('leaves the insides of git alone, and reads kept outputs without writing there', async () => {
		const { files, outputs } = workspace;
		await assert.rejects(confine(files, 'sub/.GIT/hooks/pre-commit', 'write'), /belongs to git/);
		await mkdir(outputs, { recursive: true });
		await writeFile(path.join(outputs, 'o.log'), 'all');
		assert.equal(await workspace.text('read', { path: path.join(outputs, 'o.log') }), 'all');
		await assert.rejects(
			workspace.run('write', { path: path.join(outputs, 'o.log'), content: '' }),
			/outside/,
		);
	});

	it('knows the ways out that Windows has', () => {
		const root = 'C:\\repos\\project';
		assert.equal(resolvePath(root, 'src\\..\\a.ts'), 'C:/repos/project/a.ts');
		assert.equal(resolvePath(root, '\\x'), 'C:/x');
		assert.equal(resolvePath('/w', 'a\\..\\b'), '/w/a\\..\\b');
		for (const odd of ['a:stream', 'con', 'NUL.txt', 'a.', 'a ', '\\\\?\\C:\\x', 'a?b'])
			assert.throws(() => resolvePath(root, odd), /no file name on Windows/, odd);
		assert.throws(() => resolvePath(root, '\\\\server\\share\\x'), /another machine/);
		assert(!isInside('/repos/project', '/repos/project-two'));
	});
});
