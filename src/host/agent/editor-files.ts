/** A workspace's files as the editor shows them: text that is not saved yet counts, and stays undoable. */
import { isAbsolute, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { FileInfo, FolderItem, WorkspaceFiles } from '../../tools/workspace-files.ts';

export class EditorFiles implements WorkspaceFiles {
	private readonly files: WorkspaceFiles;
	private readonly folder: vscode.Uri;

	/**
	 * @param files the files as they are stored
	 * @param folder where they lie, as editors name it
	 */
	constructor(files: WorkspaceFiles, folder: vscode.Uri) {
		this.files = files;
		this.folder = folder;
	}

	get root(): string {
		return this.files.root;
	}

	get alsoReadable(): readonly string[] {
		return this.files.alsoReadable;
	}

	realPath(path: string): Promise<string | undefined> {
		return this.files.realPath(path);
	}

	stat(path: string): Promise<FileInfo | undefined> {
		return this.files.stat(path);
	}

	readFolder(path: string): Promise<FolderItem[]> {
		return this.files.readFolder(path);
	}

	async readFile(path: string): Promise<Uint8Array> {
		const unsaved = await this.unsaved(path);
		return unsaved ? new TextEncoder().encode(unsaved.getText()) : this.files.readFile(path);
	}

	/**
	 * What an editor holds unsaved is replaced there and saved, so that the person can undo it; elsewhere
	 * the editor takes up what is written by itself.
	 */
	async writeFile(path: string, bytes: Uint8Array): Promise<void> {
		const unsaved = await this.unsaved(path);
		if (!unsaved) return this.files.writeFile(path, bytes);
		const edit = new vscode.WorkspaceEdit();
		const whole = new vscode.Range(0, 0, unsaved.lineCount, 0);
		edit.replace(unsaved.uri, whole, new TextDecoder().decode(bytes));
		if (!(await vscode.workspace.applyEdit(edit)))
			throw new Error(`"${path}" has unsaved changes, and its editor took no change.`);
		if (!(await unsaved.save()))
			throw new Error(`"${path}" was changed in its editor, but could not be saved there.`);
	}

	/** The document whose text differs from the stored file, if any does. */
	private async unsaved(path: string): Promise<vscode.TextDocument | undefined> {
		const uris = await this.urisOf(path);
		return vscode.workspace.textDocuments.find(
			(document) => document.isDirty && uris.includes(document.uri.toString()),
		);
	}

	/** A path is resolved, but editors name files as the workspace was opened, perhaps over a link. */
	private async urisOf(path: string): Promise<string[]> {
		const resolved = this.folder.with({ path: vscode.Uri.file(path).path });
		const inside = relative((await this.files.realPath(this.root)) ?? this.root, path);
		const isInside = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
		const opened = isInside ? [vscode.Uri.joinPath(this.folder, ...inside.split(sep))] : [];
		return [resolved, ...opened].map(String);
	}
}
