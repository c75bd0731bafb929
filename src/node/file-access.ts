/** Who may do what with a file, for another one that takes its place or belongs to it. */
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** Gives a new file the owner, where we may, and the permissions of another one. */
export async function keepAccess(file: FileHandle, { mode, uid, gid }: Stats): Promise<void> {
	const now = await file.stat();
	if (now.uid !== uid || now.gid !== gid)
		// Most people may not give files away; then it is theirs, with the same permissions.
		await file.chown(uid, gid).catch(() => undefined);
	if ((now.mode & 0o7777) !== (mode & 0o7777)) await file.chmod(mode & 0o7777);
}
