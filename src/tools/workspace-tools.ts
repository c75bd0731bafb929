/** The tools that a model may use on a workspace. */
import type { CommandRunner } from '../agent/command-runner.ts';
import type { Tool } from '../agent/tool.ts';
import { bashTool } from './bash.ts';
import { editTool } from './edit.ts';
import { findTool } from './find.ts';
import { grepTool } from './grep.ts';
import type { LineMatchers } from './line-matcher.ts';
import { lsTool } from './ls.ts';
import { readTool } from './read.ts';
import type { WorkspaceFiles } from './workspace-files.ts';
import { writeTool } from './write.ts';

export interface WorkspaceParts {
	files: WorkspaceFiles;
	matchers: LineMatchers;
	/** No command can be run where absent. */
	commands?: CommandRunner;
}

/** All of them, in the order in which models are told of them. */
export function workspaceTools({ files, matchers, commands }: WorkspaceParts): Tool[] {
	return [
		readTool(files),
		writeTool(files),
		editTool(files),
		...(commands ? [bashTool(commands, files.root)] : []),
		grepTool(files, matchers),
		findTool(files, matchers),
		lsTool(files),
	];
}
