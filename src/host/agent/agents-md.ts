/** The project's own words to agents, read anew for each turn since they are edited like any file. */
import { confine } from '../../tools/confine.ts';
import { decodeText } from '../../tools/text-file.ts';
import type { WorkspaceFiles } from '../../tools/workspace-files.ts';
import { clipMiddle } from '../../util/clip-text.ts';

const NAME = 'AGENTS.md';
/** Characters of it that are sent with every request. */
const MAX_LENGTH = 32_000;
/** A file beyond this is not read at all, in bytes. */
const MAX_SIZE = 1_000_000;

/**
 * The text of AGENTS.md, its middle left out where it is long; undefined where there is none.
 * @throws Error where there is one that cannot be read
 */
export async function readAgentsMd(files: WorkspaceFiles): Promise<string | undefined> {
	const { real } = await confine(files, NAME, 'read');
	const info = await files.stat(real);
	if (info?.kind !== 'file') return undefined;
	if (info.size > MAX_SIZE) throw new Error(`${NAME} is larger than ${MAX_SIZE} bytes.`);
	const { text } = decodeText(await files.readFile(real), NAME);
	return clipMiddle(text, MAX_LENGTH);
}
