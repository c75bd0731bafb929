/** The check that a path names a folder. */
import type { ConfinedPath } from './confine.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

/** @throws Error where it does not */
export async function requireFolder(
	files: WorkspaceFiles,
	{ real, shown }: ConfinedPath,
): Promise<void> {
	const info = await files.stat(real);
	if (!info) throw new Error(`${shown} is not there.`);
	if (info.kind !== 'folder') throw new Error(`${shown} is no folder.`);
}
