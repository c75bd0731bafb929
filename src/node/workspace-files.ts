/** A folder on this machine as the workspace of tools. */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, rename, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { FileInfo, FolderItem, WorkspaceFiles } from '../tools/workspace-files.ts';

/** Not there on Windows, where making a link takes rights that few have. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
/** A pipe that nobody writes to would keep us waiting for ever. */
const NO_WAIT = constants.O_NONBLOCK ?? 0;

export class FolderFiles implements WorkspaceFiles {
	readonly root: string;
	readonly alsoReadable: readonly string[];

	/**
	 * @param root an absolute path
	 * @param alsoReadable absolute paths of folders that may be read as well
	 */
	constructor(root: string, alsoReadable: readonly string[] = []) {
		this.root = root;
		this.alsoReadable = alsoReadable;
	}

	async realPath(file: string): Promise<string | undefined> {
		try {
			return await realpath(file);
		} catch (error) {
			if (!isMissing(error)) throw told(error, file);
		}
		if (await ifThere(lstat(file), file))
			throw new Error(`"${file}" is a link that leads nowhere.`);
		return undefined;
	}

	async stat(file: string): Promise<FileInfo | undefined> {
		const info = await ifThere(stat(file), file);
		if (!info) return undefined;
		const kind = info.isFile() ? 'file' : info.isDirectory() ? 'folder' : 'other';
		return { kind, size: info.size };
	}

	async readFile(file: string): Promise<Uint8Array> {
		try {
			const handle = await open(file, constants.O_RDONLY | NO_FOLLOW | NO_WAIT);
			try {
				await requireSame(file);
				return await handle.readFile();
			} finally {
				await handle.close();
			}
		} catch (error) {
			throw told(error, file);
		}
	}

	/** A new file beside it takes its place, so that a link put there meanwhile is replaced, not followed. */
	async writeFile(file: string, bytes: Uint8Array): Promise<void> {
		const folder = path.dirname(file);
		const beside = path.join(folder, `.${randomUUID()}.tmp`);
		try {
			await mkdir(folder, { recursive: true });
			await requireSame(folder);
			const old = await ifThere(lstat(file), file);
			if (old && !old.isFile()) throw new Error(`"${file}" is no ordinary file any more.`);
			const mode = old ? old.mode & 0o7777 : 0o666;
			const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
			const handle = await open(beside, flags, mode);
			try {
				// What the umask took from a mode that the old file had.
				if (old) await handle.chmod(mode);
				await handle.writeFile(bytes);
				await handle.sync();
			} finally {
				await handle.close();
			}
			await requireSame(folder);
			await rename(beside, file);
		} catch (error) {
			await unlink(beside).catch(() => undefined);
			throw told(error, file);
		}
	}

	async readFolder(folder: string): Promise<FolderItem[]> {
		try {
			await requireSame(folder);
			const found = await readdir(folder, { withFileTypes: true });
			return found.map((each) => ({
				name: each.name,
				kind: each.isSymbolicLink()
					? 'link'
					: each.isFile()
						? 'file'
						: each.isDirectory()
							? 'folder'
							: 'other',
			}));
		} catch (error) {
			throw told(error, folder);
		}
	}
}

/** A folder on the way may have become a link since the path was resolved. */
async function requireSame(file: string): Promise<void> {
	const real = await realpath(file);
	if (path.resolve(real) !== path.resolve(file))
		throw new Error(`"${file}" leads elsewhere than it did a moment ago.`);
}

async function ifThere<T>(info: Promise<T>, file: string): Promise<T | undefined> {
	try {
		return await info;
	} catch (error) {
		if (isMissing(error)) return undefined;
		throw told(error, file);
	}
}

function isMissing(error: unknown): boolean {
	const code = codeOf(error);
	return code === 'ENOENT' || code === 'ENOTDIR';
}

function codeOf(error: unknown): unknown {
	return error instanceof Error && 'code' in error ? error.code : undefined;
}

const WHY: Record<string, string> = {
	EACCES: 'permission was denied',
	EPERM: 'permission was denied',
	EROFS: 'the disk can only be read',
	ENOSPC: 'the disk is full',
	ENOENT: 'it is not there',
	ENOTDIR: 'a part of the path is no folder',
	EEXIST: 'a part of the path is no folder',
	ELOOP: 'it is a link',
	EISDIR: 'it is a folder',
	ENAMETOOLONG: 'the name is too long',
};

function told(error: unknown, file: string): unknown {
	const code = codeOf(error);
	if (typeof code !== 'string') return error;
	return new Error(`"${file}": ${WHY[code] ?? code}.`, { cause: error });
}
