/** Copies of session files: complete or not there at all, and never over another file. */
import { copyFile, link, lstat, rm, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SESSION_VERSION } from '../session/entries.ts';
import { createBranchedSession } from '../session/fork.ts';
import { migrateTo } from '../session/migration.ts';
import { SessionManager } from '../session/session-manager.ts';
import { createYielder } from '../util/async.ts';
import { UserError } from '../util/errors.ts';
import { FileSessionStorage } from './file-session-storage.ts';
import { OriginalsFile, originalsPath } from './originals-file.ts';
import { writeError } from './write-error.ts';

/**
 * Copies a session to `target`, lets `change` add to the copy, and only then gives it its name. A
 * version 3 file is copied byte for byte; an older one is written anew as version 3.
 * @throws UserError('exists') where `target` already holds something
 */
export function copySession<T>(
	source: SessionManager,
	target: string,
	change: (copy: SessionManager) => Promise<T>,
	parentSession?: string,
): Promise<T> {
	return wholeOrNothing(target, async (draft) => {
		const copy =
			source.fileVersion < SESSION_VERSION
				? await migrateTo(source, new FileSessionStorage(draft), parentSession)
				: await copyBytes(source, draft);
		// After the session: originals are only ever added, so that none is missing that it needs.
		await copyOriginals(source.location, target, () => true);
		return change(copy);
	});
}

/**
 * Writes the path to an entry as a session of its own.
 * @param id the new session's
 * @throws UserError where there is no such entry, or the file cannot be written
 */
export async function forkSession(
	source: SessionManager,
	leafId: string,
	target: string,
	id: string,
): Promise<void> {
	await wholeOrNothing(target, async (draft) => {
		const fork = await createBranchedSession(source, leafId, new FileSessionStorage(draft), id);
		await copyOriginals(source.location, target, (entryId) => fork.isPruned(entryId));
	});
}

/** Copies the originals of pruned entries, to where they lie once the copy has its name. */
async function copyOriginals(
	source: string,
	target: string,
	wants: (entryId: string) => boolean,
): Promise<void> {
	const from = new OriginalsFile(source);
	const to = new OriginalsFile(target);
	const pause = createYielder();
	for (const entryId of from.ids()) {
		await pause();
		const line = wants(entryId) ? from.get(entryId) : undefined;
		if (line) await to.keep([{ entryId, line }]);
	}
}

/** Lets a file be written under a draft name, and gives it its own once it is complete. */
async function wholeOrNothing<T>(target: string, write: (draft: string) => Promise<T>): Promise<T> {
	await requireFolder(target);
	await refuseExisting(target);
	const draft = `${target}.${crypto.randomUUID()}.tmp`;
	const hadOriginals = await exists(originalsPath(target));
	try {
		const result = await write(draft);
		await publish(draft, target);
		return result;
	} catch (error) {
		if (!hadOriginals) await rm(originalsPath(target), { force: true }).catch(() => undefined);
		const isSystem = error instanceof Error && 'syscall' in error;
		throw isSystem ? writeError(error, target) : error;
	} finally {
		await rm(draft, { force: true });
	}
}

async function copyBytes(source: SessionManager, draft: string): Promise<SessionManager> {
	await copyFile(source.location, draft);
	return SessionManager.open(new FileSessionStorage(draft), source.savedLeaf);
}

/** A hard link, unlike a rename, fails where the name was taken meanwhile. */
async function publish(draft: string, target: string): Promise<void> {
	if (await refuseExisting(target)) await unlink(target);
	await link(draft, target);
	await unlink(draft);
}

/** Refuses every name that is taken, but for an empty plain file; true for such a one. */
async function refuseExisting(target: string): Promise<boolean> {
	const existing = await lstat(target).catch(() => undefined);
	if (!existing) return false;
	if (existing.isFile() && existing.size === 0) return true;
	throw new UserError('exists', `${target} exists already.`, {
		kept: 'It was not touched.',
		hint: 'Choose another name, or move it away.',
	});
}

function exists(path: string): Promise<boolean> {
	return lstat(path).then(
		() => true,
		() => false,
	);
}

async function requireFolder(target: string): Promise<void> {
	const folder = await stat(dirname(target)).catch(() => undefined);
	if (!folder?.isDirectory())
		throw new UserError('no-folder', `There is no folder ${dirname(target)}.`, {
			kept: 'Nothing was written.',
			hint: 'Create it first, or choose another name.',
		});
}
