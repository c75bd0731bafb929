/** A real workspace folder, for tests: with a folder beside it that no tool may reach. */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Tool, ToolArguments, ToolOutcome } from '../../src/agent/tool.ts';
import { ProcessCommandRunner } from '../../src/node/command-runner.ts';
import { workerLineMatchers } from '../../src/node/line-matchers.ts';
import { FolderFiles } from '../../src/node/workspace-files.ts';
import { workspaceTools } from '../../src/tools/workspace-tools.ts';

export interface TempWorkspace {
	root: string;
	outside: string;
	/** Where outputs are kept. */
	outputs: string;
	files: FolderFiles;
	tools: Tool[];
	/** Runs a tool by its name, unasked. */
	run(name: string, args: ToolArguments, signal?: AbortSignal): Promise<ToolOutcome>;
	/** The same, as text. */
	text(name: string, args: ToolArguments): Promise<string>;
	remove(): Promise<void>;
}

export async function tempWorkspace(): Promise<TempWorkspace> {
	const base = await realpath(await mkdtemp(path.join(tmpdir(), 'espalier-tools-')));
	const [root, outside, outputs] = ['inside', 'outside', 'outputs'].map((name) =>
		path.join(base, name),
	) as [string, string, string];
	await mkdir(root);
	await mkdir(outside);
	const files = new FolderFiles(root, [outputs]);
	const commands = new ProcessCommandRunner(outputs);
	const tools = workspaceTools({ files, commands, matchers: workerLineMatchers(2_000) });
	const run: TempWorkspace['run'] = async (name, args, signal = new AbortController().signal) => {
		const tool = tools.find((each) => each.name === name);
		if (!tool) throw new Error(`No tool ${name}`);
		return tool.run(args, { signal, onOutput: () => {} });
	};
	return {
		root,
		outside,
		outputs,
		files,
		tools,
		run,
		text: async (name, args) => textOf(await run(name, args)),
		remove: () => rm(base, { recursive: true, force: true }),
	};
}

export function textOf({ content }: Pick<ToolOutcome, 'content'>): string {
	return content.map((part) => (part.type === 'text' ? part.text : '(image)')).join('\n');
}
