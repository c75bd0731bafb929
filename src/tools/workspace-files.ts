/** The port through which tools see files: a real folder, or an editor's files with what is not saved yet. */

export type FileKind = 'file' | 'folder' | 'link' | 'other';

export interface FileInfo {
	kind: Exclude<FileKind, 'link'>;
	/** Bytes. */
	size: number;
}

export interface FolderItem {
	name: string;
	kind: FileKind;
}

/** All paths are absolute. Where nothing else is said, failures are thrown as an Error for people. */
export interface WorkspaceFiles {
	/** The workspace's folder. */
	readonly root: string;
	/** Folders outside of it that may be read as well: where outputs are kept. */
	readonly alsoReadable: readonly string[];
	/**
	 * The path without links and as the disk spells it; undefined where nothing is there. A link that leads
	 * nowhere is an error.
	 */
	realPath(path: string): Promise<string | undefined>;
	/** Follows links. Undefined where nothing is there. */
	stat(path: string): Promise<FileInfo | undefined>;
	/** Does not follow a link at the end of the path, which is one without links. */
	readFile(path: string): Promise<Uint8Array>;
	/** Puts content in place whole, or not at all; makes its folders. Never through a link. */
	writeFile(path: string, bytes: Uint8Array): Promise<void>;
	/** What lies in a folder, in no order. */
	readFolder(path: string): Promise<FolderItem[]>;
}
