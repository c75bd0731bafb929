// The extension activates, and every command it declares exists.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';

interface Manifest {
	contributes?: { commands?: { command: string }[] };
}

/** This extension, whatever its publisher is called. */
function espalier(): vscode.Extension<unknown> {
	const found = vscode.extensions.all.find(({ id }) => id.endsWith('.espalier'));
	assert.ok(found, 'the extension is not installed');
	return found;
}

describe('activation', () => {
	it('activates', async () => {
		await espalier().activate();
		assert.equal(espalier().isActive, true);
	});

	it('registers every espalier command of the manifest', async () => {
		const manifest = espalier().packageJSON as Manifest;
		const declared = (manifest.contributes?.commands ?? []).map(({ command }) => command);
		assert.ok(declared.length > 0, 'the manifest declares no commands');
		const registered = new Set(await vscode.commands.getCommands(true));
		assert.deepEqual(
			declared.filter((command) => !command.startsWith('espalier.')),
			[],
			'declared outside espalier.*',
		);
		assert.deepEqual(
			declared.filter((command) => !registered.has(command)),
			[],
			'declared but not registered',
		);
	});
});
