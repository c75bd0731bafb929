/** Makes what happened to the names in a folder outlive a power failure. */
import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A new or renamed file is on the disk once its folder is, too. */
export async function syncFolder(path: string): Promise<void> {
	let folder: FileHandle | undefined;
	try {
		folder = await open(dirname(path), 'r');
		await folder.sync();
	} catch {
		// Some systems cannot sync a folder; they do not need it either.
	} finally {
		await folder?.close();
	}
}
