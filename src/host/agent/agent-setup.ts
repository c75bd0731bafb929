/** What the agent works with in this window: tools on its folder, our prompt, and who is asked. */
import { platform } from 'node:os';
import * as vscode from 'vscode';
import type { ApprovalPort, Tool } from '../../agent/tool.ts';
import { ProcessCommandRunner } from '../../node/command-runner.ts';
import { workerLineMatchers } from '../../node/line-matchers.ts';
import { FolderFiles } from '../../node/workspace-files.ts';
import type { AgentSetup } from '../../session/agent-setup.ts';
import type { SessionManager } from '../../session/session-manager.ts';
import { toolDefinitions } from '../../session/session-turn.ts';
import { buildSystemPrompt, type SystemPrompt } from '../../session/system-prompt.ts';
import type { WorkspaceFiles } from '../../tools/workspace-files.ts';
import { workspaceTools } from '../../tools/workspace-tools.ts';
import { errorText } from '../../util/errors.ts';
import type { Logger } from '../../util/logger.ts';
import { readAgentsMd } from './agents-md.ts';
import { EditorFiles } from './editor-files.ts';
import { VirtualFiles } from './virtual-files.ts';

export interface WindowSetup extends AgentSetup {
	/** Estimated tokens of each part of what every request carries. */
	promptTokens: SystemPrompt['tokens'];
}

export interface AgentSetupParts {
	/** Where whole outputs of long commands are kept, an absolute path. */
	outputFolder: string;
	/** Who is asked before a tool writes or runs in a folder, for a session. */
	approval?(sessionId: string, folder: string): ApprovalPort;
	log: Logger;
}

/**
 * Returns what tells the setup of a session, which never fails. Without a folder, and in one that the
 * person does not trust, there are no tools, and nothing is read.
 */
export function createAgentSetup(
	parts: AgentSetupParts,
): (manager: SessionManager) => Promise<WindowSetup> {
	const matchers = workerLineMatchers();
	const runner = new ProcessCommandRunner(parts.outputFolder);
	return async (manager) => {
		const folder = vscode.workspace.isTrusted ? folderFor(manager.header.cwd) : undefined;
		if (!folder) return withPrompt({}, { cwd: manager.header.cwd, tools: [] });
		const isLocal = folder.uri.scheme === 'file';
		const files = new EditorFiles(
			isLocal
				? new FolderFiles(folder.uri.fsPath, [parts.outputFolder])
				: new VirtualFiles(folder.uri),
			folder.uri,
		);
		const tools = workspaceTools({ files, matchers, ...(isLocal ? { commands: runner } : {}) });
		const agentsMd = await agentsMdOf(files, parts.log);
		return withPrompt(
			{
				tools,
				...(parts.approval ? { approval: parts.approval(manager.id, files.root) } : {}),
				...(isLocal ? { commands: { runner, folder: files.root } } : {}),
			},
			{ cwd: files.root, tools, ...(agentsMd === undefined ? {} : { agentsMd }) },
		);
	};
}

/** The folder where the session was begun, where it is open; else the first one. */
function folderFor(cwd: string): vscode.WorkspaceFolder | undefined {
	const folders = vscode.workspace.workspaceFolders ?? [];
	return folders.find(({ uri }) => uri.fsPath === cwd) ?? folders[0];
}

function withPrompt(
	setup: AgentSetup,
	{ cwd, tools, agentsMd }: { cwd: string; tools: readonly Tool[]; agentsMd?: string },
): WindowSetup {
	const { text, tokens } = buildSystemPrompt({
		tools: toolDefinitions(tools),
		cwd,
		platform: platform(),
		date: today(),
		...(agentsMd === undefined ? {} : { agentsMd }),
	});
	return { ...setup, systemPrompt: text, promptTokens: tokens };
}

/** A day, and no time: servers cache a prompt for as long as it stays the same. */
function today(): string {
	const now = new Date();
	const padded = (value: number) => String(value).padStart(2, '0');
	return `${now.getFullYear()}-${padded(now.getMonth() + 1)}-${padded(now.getDate())}`;
}

async function agentsMdOf(files: WorkspaceFiles, log: Logger): Promise<string | undefined> {
	try {
		return await readAgentsMd(files);
	} catch (error) {
		log.warn(`AGENTS.md was not read, so the model is not told of it: ${errorText(error)}`);
		return undefined;
	}
}
