// The editor's unsaved text where the workspace was opened over a link.
import assert from 'node:assert/strict';
import {
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { EditorFiles } from '../../src/host/agent/editor-files.ts';
import { FolderFiles } from '../../src/node/workspace-files.ts';

describe('files of the editor', () => {
	let temporary: string;

	beforeEach(() => {
		temporary = realpathSync(mkdtempSync(path.join(tmpdir(), 'espalier-link-')));
		mkdirSync(path.join(temporary, 'real'));
		writeFileSync(path.join(temporary, 'real/notes.txt'), 'on disk\n');
		symlinkSync(path.join(temporary, 'real'), path.join(temporary, 'link'));
	});
	afterEach(async () => {
		await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
		rmSync(temporary, { recursive: true, force: true });
	});

	for (const root of ['real', 'link'])
		it(`are read and written with their unsaved text (opened over the ${root} folder)`, async () => {
			const folder = path.join(temporary, root);
			const document = await vscode.workspace.openTextDocument(path.join(folder, 'notes.txt'));
			const editor = await vscode.window.showTextDocument(document);
			await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'unsaved '));
			const files = new EditorFiles(new FolderFiles(folder, []), vscode.Uri.file(folder));
			const resolved = await files.realPath(path.join(folder, 'notes.txt'));
			assert(resolved);
			const text = new TextDecoder().decode(await files.readFile(resolved));
			assert.equal(text, 'unsaved on disk\n');
			await files.writeFile(resolved, new TextEncoder().encode('written\n'));
			assert.equal(document.getText(), 'written\n');
			assert.equal(document.isDirty, false);
			assert.equal(readFileSync(path.join(temporary, 'real/notes.txt'), 'utf8'), 'written\n');
		});
});
