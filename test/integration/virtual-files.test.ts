// Tools on a folder that is on no disk, through a real FileSystemProvider of VS Code.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { VirtualFiles } from '../../src/host/agent/virtual-files.ts';
import { readAgentsMd } from '../../src/host/agent/agents-md.ts';
import { workerLineMatchers } from '../../src/node/line-matchers.ts';
import { workspaceTools } from '../../src/tools/workspace-tools.ts';
import { textOf } from '../support/temp-workspace.ts';

const SCHEME = 'espalier-virtual';
const { Directory, File, SymbolicLink } = vscode.FileType;

/** Files in memory, by path. */
class MemoryFiles implements vscode.FileSystemProvider {
	readonly entries = new Map<string, { type: vscode.FileType; bytes: Uint8Array }>();
	readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;

	put(path: string, text: string, type: vscode.FileType = File): void {
		this.entries.set(path, { type, bytes: new TextEncoder().encode(text) });
	}
	text(path: string): string | undefined {
		const entry = this.entries.get(path);
		return entry && new TextDecoder().decode(entry.bytes);
	}
	stat({ path }: vscode.Uri): vscode.FileStat {
		const { type, bytes } = this.found(path);
		return { type, ctime: 0, mtime: 0, size: bytes.length };
	}
	readDirectory({ path }: vscode.Uri): [string, vscode.FileType][] {
		this.found(path);
		return [...this.entries].flatMap(([name, { type }]): [string, vscode.FileType][] => {
			const below = name.startsWith(`${path}/`) ? name.slice(path.length + 1) : '/';
			return below.includes('/') ? [] : [[below, type]];
		});
	}
	readFile({ path }: vscode.Uri): Uint8Array {
		return this.found(path).bytes;
	}
	writeFile({ path }: vscode.Uri, bytes: Uint8Array): void {
		if (path.endsWith('locked.txt')) throw vscode.FileSystemError.NoPermissions('It is locked.');
		this.found(path.slice(0, path.lastIndexOf('/')));
		this.entries.set(path, { type: File, bytes });
	}
	createDirectory({ path }: vscode.Uri): void {
		this.put(path, '', Directory);
	}
	delete({ path }: vscode.Uri): void {
		this.entries.delete(path);
	}
	rename(): void {
		throw vscode.FileSystemError.NoPermissions();
	}
	watch(): vscode.Disposable {
		return { dispose: () => {} };
	}
	private found(path: string) {
		const entry = this.entries.get(path);
		if (!entry) throw vscode.FileSystemError.FileNotFound(path);
		return entry;
	}
}

describe('tools on a virtual folder', () => {
	let provider: MemoryFiles;
	let registered: vscode.Disposable;
	let files: VirtualFiles;

	beforeEach(() => {
		provider = new MemoryFiles();
		for (const folder of ['', '/ws', '/ws/src', '/other'])
			provider.put(folder === '' ? '/' : folder, '', Directory);
		provider.put('/ws/src/one.ts', 'const one = 1;\n');
		provider.put('/ws/notes.txt', 'remember\n');
		provider.put('/ws/link.txt', 'elsewhere\n', File | SymbolicLink);
		provider.put('/other/secret.txt', 'secret\n');
		registered = vscode.workspace.registerFileSystemProvider(SCHEME, provider);
		files = new VirtualFiles(vscode.Uri.from({ scheme: SCHEME, path: '/ws' }));
	});
	afterEach(() => void registered.dispose());

	/** Runs a tool, unasked. */
	async function use(name: string, args: Record<string, unknown>): Promise<string> {
		const tool = workspaceTools({ files, matchers: workerLineMatchers(2_000) }).find(
			(each) => each.name === name,
		);
		assert(tool, `There is no tool ${name}`);
		const { signal } = new AbortController();
		return textOf(await tool.run(args, { signal, onOutput: () => {} }));
	}

	it('offer no commands: there is no folder to run them in', () => {
		const names = workspaceTools({ files, matchers: workerLineMatchers() }).map(({ name }) => name);
		assert.deepEqual(names, ['read', 'write', 'edit', 'grep', 'find', 'ls']);
	});

	it('read, list, search and find', async () => {
		assert.equal(await use('read', { path: 'src/one.ts' }), 'const one = 1;');
		assert.equal(await use('ls', {}), 'link.txt@\nnotes.txt\nsrc/');
		assert.match(await use('grep', { pattern: 'one = \\d' }), /src\/one\.ts/);
		assert.match(await use('find', { pattern: '**/*.ts' }), /^src\/one\.ts$/m);
	});

	it('write and edit, folders included', async () => {
		await use('write', { path: 'new/deep/file.txt', content: 'made\n' });
		assert.equal(provider.text('/ws/new/deep/file.txt'), 'made\n');
		await use('edit', { path: 'notes.txt', oldText: 'remember', newText: 'forget' });
		assert.equal(provider.text('/ws/notes.txt'), 'forget\n');
	});

	it('say what is missing, and what the provider refused', async () => {
		await assert.rejects(use('read', { path: 'gone.txt' }), /gone\.txt is not there/);
		await assert.rejects(use('ls', { path: 'nowhere' }), /nowhere/);
		await assert.rejects(
			use('write', { path: 'locked.txt', content: '' }),
			/"\/ws\/locked\.txt": .*locked/i,
		);
		assert.equal(await readAgentsMd(files), undefined);
	});

	it("read the project's words to agents", async () => {
		provider.put('/ws/AGENTS.md', 'Be brief.\n');
		assert.equal(await readAgentsMd(files), 'Be brief.\n');
	});

	it('keep to the folder', async () => {
		for (const path of ['../other/secret.txt', '/other/secret.txt', 'src/../../other/secret.txt']) {
			await assert.rejects(use('read', { path }), /outside of the workspace/);
			await assert.rejects(use('write', { path, content: 'x' }), /outside of the workspace/);
		}
		await assert.rejects(use('ls', { path: '..' }), /outside of the workspace/);
		assert.equal(provider.text('/other/secret.txt'), 'secret\n');
	});

	it('follow no link, since nobody can say where it leads', async () => {
		await assert.rejects(use('read', { path: 'link.txt' }), /is a link/);
		await assert.rejects(use('write', { path: 'link.txt', content: 'x' }), /is a link/);
		assert.equal(provider.text('/ws/link.txt'), 'elsewhere\n');
	});
});
