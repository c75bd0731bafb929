/** The find tool: files and folders by a glob. */
import { textOutcome, type Tool } from '../agent/tool.ts';
import { numberArgument, pathArgument, textArgument } from './arguments.ts';
import { confine } from './confine.ts';
import { globPattern } from './glob.ts';
import type { LineMatchers } from './line-matcher.ts';
import { pathBelow } from './paths.ts';
import { requireFolder } from './require-folder.ts';
import { walk } from './walk.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

const USUAL_LIMIT = 500;
const MOST = 2_000;
/** Paths that are matched at once. */
const BATCH = 1_000;

export function findTool(files: WorkspaceFiles, matchers: LineMatchers): Tool {
	return {
		name: 'find',
		description:
			'Finds files and folders by a glob such as *.ts or src/**/*.test.ts; one without a slash matches names in any folder. What .gitignore names, .git and node_modules are left out.',
		parameters: {
			type: 'object',
			properties: {
				pattern: { type: 'string', minLength: 1, description: 'The glob.' },
				path: { type: 'string', description: 'The folder to look in; the workspace where absent.' },
				limit: { type: 'integer', minimum: 1, maximum: MOST, description: 'How many at most.' },
			},
			required: ['pattern'],
			additionalProperties: false,
		},
		access: 'read',
		timeoutMs: 60_000,
		async run(args, { signal }) {
			const folder = await confine(files, pathArgument(args), 'read');
			await requireFolder(files, folder);
			const limit = numberArgument(args, 'limit') ?? USUAL_LIMIT;
			const matcher = matchers.open(globPattern(textArgument(args, 'pattern')), '');
			const found: string[] = [];
			let batch: { path: string; shown: string }[] = [];
			const matchBatch = async () => {
				const indices = await matcher.matching(batch.map(({ path }) => path));
				for (const index of indices) {
					const one = batch[index];
					if (one) found.push(one.shown);
				}
				batch = [];
			};
			const walking = walk(files, folder.real, signal);
			try {
				for await (const { path, kind } of walking.items) {
					const below = pathBelow(folder.real, path);
					const shown = folder.shown === '.' ? below : `${folder.shown}/${below}`;
					batch.push({ path: below, shown: kind === 'folder' ? `${shown}/` : shown });
					if (batch.length >= BATCH) await matchBatch();
					if (found.length > limit) break;
				}
				await matchBatch();
			} finally {
				matcher.close();
			}
			return textOutcome(listed(found, limit, walking.incomplete));
		},
	};
}

function listed(found: readonly string[], limit: number, incomplete: string | undefined): string {
	const notes = [
		...(found.length > limit ? [`[The first ${limit}; there are more. Narrow the glob.]`] : []),
		...(incomplete ? [`[Not complete: ${incomplete}.]`] : []),
	];
	const list = found.length > 0 ? found.slice(0, limit).join('\n') : 'Nothing was found.';
	return [list, ...notes].join('\n\n');
}
