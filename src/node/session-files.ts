/** What a person does with session files from a list: name, archive, restore. */
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SESSION_VERSION } from '../session/entries.ts';
import { SessionManager, type SavedLeaf } from '../session/session-manager.ts';
import { UserError } from '../util/errors.ts';
import { FileSessionStorage } from './file-session-storage.ts';
import { ARCHIVE_FOLDER } from './session-folders.ts';
import { isLockName, refuseLocked } from './session-lock.ts';

const EXTENSION = '.jsonl';

/**
 * Names a session by an entry at its end, as pi does; an empty name takes the name back. For a session
 * that nobody in this window has open.
 * @param savedLeaf where the session's leaf is; the entry follows it
 * @returns the leaf afterwards
 * @throws UserError where the file is no session, is of an older version, or cannot be written
 */
export async function renameSession(
	path: string,
	name: string,
	savedLeaf?: SavedLeaf,
): Promise<SavedLeaf> {
	const manager = await SessionManager.open(new FileSessionStorage(path), savedLeaf);
	if (manager.fileVersion < SESSION_VERSION)
		throw new UserError(
			'old-version',
			`${basename(path)} has an older format (version ${manager.fileVersion}), which has no names.`,
			{
				kept: 'Nothing was changed.',
				hint: 'Open it: that makes a version 3 copy, which can be named.',
			},
		);
	await manager.appendName(name);
	return manager.savedLeaf;
}

/**
 * Moves a session and what lies beside it into the archive of its folder.
 * @returns its new path
 * @throws UserError where it could not be moved; it is where it was then
 */
export function archiveSession(path: string): Promise<string> {
	return moveSession(path, join(dirname(path), ARCHIVE_FOLDER), 'archived');
}

/**
 * Moves a session and what lies beside it out of the archive.
 * @returns its new path
 * @throws UserError where it could not be moved; it is where it was then
 */
export function restoreSession(path: string): Promise<string> {
	return moveSession(path, dirname(dirname(path)), 'restored');
}

/**
 * The files of a session: itself first, then what lies beside it under its name (`<name>.<anything>`).
 * Other sessions are none of it, whatever they are called.
 * @throws where the folder cannot be read
 */
export async function filesOfSession(path: string): Promise<string[]> {
	const folder = dirname(path);
	const prefix = `${basename(path, EXTENSION)}.`;
	const names = (await readdir(folder)).filter((name) => name.startsWith(prefix));
	// A session whose name goes on from this one's has files of its own.
	const others = names
		.filter((name) => name.endsWith(EXTENSION) && name !== basename(path))
		.map((name) => `${basename(name, EXTENSION)}.`);
	const beside = names.filter(
		(name) =>
			!name.endsWith(EXTENSION) &&
			!isLockName(name, basename(path)) &&
			!others.some((other) => name.startsWith(other)),
	);
	return [path, ...beside.map((name) => join(folder, name))];
}

async function moveSession(path: string, target: string, done: string): Promise<string> {
	/** Pairs of where a file is now and where it was. */
	const moved: [string, string][] = [];
	await refuseLocked(path);
	try {
		const files = await filesOfSession(path);
		await mkdir(target, { recursive: true });
		const moves = files.map((file): [string, string] => [file, join(target, basename(file))]);
		// A rename replaces what is there without a word.
		for (const [, to] of moves) await refuseExisting(to);
		// The session goes last: found at a place, it is there with all that belongs to it.
		for (const [from, to] of moves.reverse()) {
			await rename(from, to);
			moved.push([to, from]);
		}
		return join(target, basename(path));
	} catch (error) {
		for (const [now, before] of moved.reverse()) await rename(now, before);
		if (error instanceof UserError) throw error;
		const { code } = error as NodeJS.ErrnoException;
		throw new UserError(
			'not-moved',
			`${basename(path)} could not be ${done} (${code ?? 'unknown error'}).`,
			{
				kept: 'It is where it was, unchanged.',
				hint:
					code === 'ENOENT'
						? 'Perhaps it was moved meanwhile: look at the list again.'
						: 'Check the permissions of its folder.',
				cause: error,
			},
		);
	}
}

async function refuseExisting(path: string): Promise<void> {
	// Anything but a file that is found leaves the name free; the rename says what else is wrong.
	const found = await stat(path).catch(() => undefined);
	if (found)
		throw new UserError('exists', `There is a ${basename(path)} in ${dirname(path)} already.`, {
			kept: 'Both were left as they are.',
			hint: 'Move one of them away.',
		});
}
