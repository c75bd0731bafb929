/** A folder that lies with a provider of VS Code and not on this machine, as the workspace of tools. */
import * as vscode from 'vscode';
import { joined, pathBelow } from '../../tools/paths.ts';
import type { FileInfo, FolderItem, WorkspaceFiles } from '../../tools/workspace-files.ts';

export class VirtualFiles implements WorkspaceFiles {
	readonly root: string;
	readonly alsoReadable: readonly string[] = [];
	private readonly folder: vscode.Uri;

	constructor(folder: vscode.Uri) {
		this.folder = folder;
		this.root = folder.path;
	}

	/** Where a link leads cannot be found out here, so that none is followed. */
	async realPath(path: string): Promise<string | undefined> {
		let part = this.root;
		const below = pathBelow(this.root, path);
		for (const name of below === '.' ? [] : below.split('/')) {
			part = joined(part, name);
			const found = await this.found(part);
			if (!found) return undefined;
			if (found.type & vscode.FileType.SymbolicLink)
				throw new Error(`"${part}" is a link, which cannot be followed here.`);
		}
		return path;
	}

	async stat(path: string): Promise<FileInfo | undefined> {
		const found = await this.found(path);
		return found && { kind: kindOf(found.type), size: found.size };
	}

	readFile(path: string): Promise<Uint8Array> {
		return told(path, vscode.workspace.fs.readFile(this.uri(path)));
	}

	async writeFile(path: string, bytes: Uint8Array): Promise<void> {
		// Makes the folders too.
		await told(path, vscode.workspace.fs.writeFile(this.uri(path), bytes));
	}

	async readFolder(path: string): Promise<FolderItem[]> {
		const items = await told(path, vscode.workspace.fs.readDirectory(this.uri(path)));
		return items.map(([name, type]) => ({
			name,
			kind: type & vscode.FileType.SymbolicLink ? 'link' : kindOf(type),
		}));
	}

	private uri(path: string): vscode.Uri {
		return this.folder.with({ path });
	}

	private async found(path: string): Promise<vscode.FileStat | undefined> {
		try {
			return await vscode.workspace.fs.stat(this.uri(path));
		} catch (error) {
			if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound')
				return undefined;
			throw failure(path, error);
		}
	}
}

function kindOf(type: vscode.FileType): FileInfo['kind'] {
	if (type & vscode.FileType.Directory) return 'folder';
	return type & vscode.FileType.File ? 'file' : 'other';
}

async function told<T>(path: string, done: Thenable<T>): Promise<T> {
	try {
		return await done;
	} catch (error) {
		throw failure(path, error);
	}
}

function failure(path: string, error: unknown): Error {
	const why = error instanceof Error ? error.message : String(error);
	return new Error(`"${path}": ${why}`, { cause: error });
}
