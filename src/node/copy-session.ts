/** Copies of session files: complete or not there at all, and never over another file. */
import { copyFile, link, rm, stat, unlink } from 'node:fs/promises';
import { SESSION_VERSION } from '../session/entries.ts';
import { SessionManager } from '../session/session-manager.ts';
import { UserError } from '../util/errors.ts';
import { FileSessionStorage } from './file-session-storage.ts';

/**
 * Copies a session to `target`, lets `change` add to the copy, and only then gives it its name. A
 * version 3 file is copied byte for byte; an older one is written anew as version 3.
 * @throws UserError('exists') where `target` already holds something
 */
export async function copySession<T>(
	source: SessionManager,
	target: string,
	change: (copy: SessionManager) => Promise<T>,
	parentSession?: string,
): Promise<T> {
	await refuseExisting(target);
	const draft = `${target}.${process.pid}.${Date.now()}.tmp`;
	try {
		const copy =
			source.fileVersion < SESSION_VERSION
				? await source.copyTo(new FileSessionStorage(draft), parentSession)
				: await copyBytes(source, draft);
		const result = await change(copy);
		await publish(draft, target);
		return result;
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
	await refuseExisting(target);
	await rm(target, { force: true });
	await link(draft, target);
	await unlink(draft);
}

async function refuseExisting(target: string): Promise<void> {
	const existing = await stat(target).catch(() => undefined);
	if (existing && existing.size > 0)
		throw new UserError('exists', `${target} exists already.`, {
			kept: 'It was not touched.',
			hint: 'Choose another name, or move it away.',
		});
}
