/** The write tool: a whole file, new or in the place of another. */
import { textOutcome, type Tool, type ToolArguments } from '../agent/tool.ts';
import { textArgument } from './arguments.ts';
import { confine, type ConfinedPath } from './confine.ts';
import { encodeText, linesOf } from './text-file.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

export function writeTool(files: WorkspaceFiles): Tool {
	return {
		name: 'write',
		description:
			'Writes a whole file, new or in the place of what is there, and makes its folders. To change parts of a file use edit.',
		parameters: {
			type: 'object',
			properties: {
				path: { type: 'string', minLength: 1, description: 'The file.' },
				content: { type: 'string', description: 'All that the file shall hold.' },
			},
			required: ['path', 'content'],
			additionalProperties: false,
		},
		access: 'write',
		async describe(args) {
			const { path, before, after } = await plannedWrite(files, args);
			return {
				kind: 'write',
				path: path.shown,
				...(before === undefined ? {} : { before }),
				after,
			};
		},
		async run(args, { act }) {
			const { path, before, after } = await plannedWrite(files, args);
			if (act?.kind === 'write' && (act.path !== path.shown || act.before !== before))
				throw new Error(`${path.shown} was changed meanwhile: read it and write again.`);
			await files.writeFile(path.real, encodeText(after));
			const lines = linesOf(after).length;
			const done = before === undefined ? 'Created' : 'Replaced';
			return textOutcome(`${done} ${path.shown}: ${lines} ${lines === 1 ? 'line' : 'lines'}.`);
		},
	};
}

async function plannedWrite(
	files: WorkspaceFiles,
	args: ToolArguments,
): Promise<{ path: ConfinedPath; before: string | undefined; after: string }> {
	const path = await confine(files, textArgument(args, 'path'), 'write');
	const info = await files.stat(path.real);
	if (info && info.kind !== 'file') throw new Error(`${path.shown} is there, and is no file.`);
	const before = info && new TextDecoder().decode(await files.readFile(path.real));
	return { path, before, after: textArgument(args, 'content') };
}
