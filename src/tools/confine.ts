/** Keeps tools inside the workspace: what a path means once links, `..` and spellings are resolved. */
import { isInside, joined, parentOf, pathBelow, resolvePath, slashesOf } from './paths.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

export interface ConfinedPath {
	/** Absolute, without links: what is opened. */
	real: string;
	/** As people and models are shown it: relative to the workspace, absolute elsewhere. */
	shown: string;
}

/**
 * Resolves a path that a model gave. Of a file that is not there yet the deepest folder that is there
 * counts.
 * @param access writing is confined to the workspace, reading to it and to where outputs are kept
 * @throws Error where the path leads outside
 */
export async function confine(
	files: WorkspaceFiles,
	path: string,
	access: 'read' | 'write',
): Promise<ConfinedPath> {
	const root = await realFolder(files, files.root);
	if (root === undefined) throw new Error(`The workspace folder ${files.root} is not there.`);
	const real = await realPathOf(files, resolvePath(files.root, path));
	if (isInside(root, real)) {
		const shown = pathBelow(root, real);
		if (access === 'write' && shown.split('/').some((name) => name.toLowerCase() === '.git'))
			throw new Error(`${shown} belongs to git: it is changed by git's commands alone.`);
		return { real, shown };
	}
	if (access === 'read')
		for (const folder of files.alsoReadable) {
			const also = await realFolder(files, folder);
			if (also !== undefined && isInside(also, real)) return { real, shown: real };
		}
	throw new Error(`"${path}" is outside of the workspace. Use paths relative to its folder.`);
}

async function realFolder(files: WorkspaceFiles, folder: string): Promise<string | undefined> {
	const real = await files.realPath(folder);
	return real === undefined ? undefined : slashesOf(real);
}

/** The real path of the deepest part that is there, and the rest as it was given. */
async function realPathOf(files: WorkspaceFiles, path: string): Promise<string> {
	const missing: string[] = [];
	for (let part = path; ; part = parentOf(part)) {
		const real = await files.realPath(part);
		if (real !== undefined) return missing.reduceRight(joined, slashesOf(real));
		const parent = parentOf(part);
		if (parent === part) throw new Error(`"${path}" is not there, nor is any folder above it.`);
		missing.push(part.slice(joined(parent, '').length));
	}
}
