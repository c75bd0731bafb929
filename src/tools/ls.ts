/** The ls tool: what lies in a folder. */
import { textOutcome, type Tool } from '../agent/tool.ts';
import { numberArgument, pathArgument } from './arguments.ts';
import { confine } from './confine.ts';
import { requireFolder } from './require-folder.ts';
import type { FileKind, WorkspaceFiles } from './workspace-files.ts';

const USUAL_LIMIT = 500;
const MOST = 5_000;
const MARKS: Record<FileKind, string> = { file: '', folder: '/', link: '@', other: '' };

export function lsTool(files: WorkspaceFiles): Tool {
	return {
		name: 'ls',
		description: 'Lists a folder, hidden names too. Folders end with /, links with @.',
		parameters: {
			type: 'object',
			properties: {
				path: { type: 'string', description: 'The folder; the workspace where absent.' },
				limit: { type: 'integer', minimum: 1, maximum: MOST, description: 'How many at most.' },
			},
			additionalProperties: false,
		},
		access: 'read',
		timeoutMs: 60_000,
		async run(args) {
			const folder = await confine(files, pathArgument(args), 'read');
			await requireFolder(files, folder);
			const limit = numberArgument(args, 'limit') ?? USUAL_LIMIT;
			const names = (await files.readFolder(folder.real))
				.map(({ name, kind }) => name + MARKS[kind])
				.sort();
			if (names.length === 0) return textOutcome(`(${folder.shown} is empty.)`);
			const list = names.slice(0, limit).join('\n');
			if (names.length <= limit) return textOutcome(list);
			return textOutcome(`${list}\n\n[The first ${limit} of ${names.length}. Use limit or find.]`);
		},
	};
}
