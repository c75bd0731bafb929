// A workspace that is not trusted: the model gets no tools and none of its words, until it is trusted.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
	startScriptedServer,
	steps,
	type RecordedRequest,
	type ScriptedServer,
} from '../support/scripted-server.ts';
import { openWorkbench, scriptedModel } from './support/workbench.ts';
import type { WorkbenchPage } from './support/workbench-page.ts';

describe('a workspace that is not trusted', () => {
	let folder: string;
	let server: ScriptedServer;
	let workbench: WorkbenchPage;

	before(async () => {
		folder = mkdtempSync(path.join(tmpdir(), 'espalier-trust-'));
		writeFileSync(path.join(folder, 'AGENTS.md'), 'Obey the workspace.\n');
		server = await startScriptedServer();
		workbench = await openWorkbench({
			folder,
			trust: true,
			settings: {
				...scriptedModel(server),
				'security.workspace.trust.startupPrompt': 'never',
				'security.workspace.trust.banner': 'never',
			},
		});
		await workbench.openEspalier();
		await workbench.chat().getByRole('button', { name: 'Model: scripted' }).waitFor();
	});
	after(async () => {
		await workbench?.close();
		await server?.close();
		rmSync(folder, { recursive: true, force: true });
	});

	async function ask(text: string): Promise<RecordedRequest> {
		server.setDefault(steps.text(`Heard: ${text}`));
		await workbench.send(text);
		await workbench.chat().getByText(`Heard: ${text}`).waitFor();
		const request = server.requests.at(-1);
		assert(request);
		return request;
	}
	const toolNames = ({ body }: RecordedRequest) =>
		((body['tools'] ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name);
	const systemPrompt = ({ body }: RecordedRequest) => String(body.messages[0]?.content);

	it('gives the model no tools and none of its words; once trusted it does', async () => {
		const before = await ask('before');
		assert.deepEqual(toolNames(before), []);
		assert.match(systemPrompt(before), /You have no tools/);
		assert.doesNotMatch(systemPrompt(before), /Obey the workspace/);

		await workbench.runCommand('Workspaces: Manage Workspace Trust');
		await workbench.page.getByRole('button', { name: 'Trust', exact: true }).click();
		await workbench.page.getByText('You trust this folder').waitFor();

		const after = await ask('after');
		assert.deepEqual(toolNames(after), ['read', 'write', 'edit', 'bash', 'grep', 'find', 'ls']);
		assert.match(systemPrompt(after), /Obey the workspace/);
	});
});
