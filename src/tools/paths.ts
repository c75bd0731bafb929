/** Absolute paths as text, of POSIX and Windows: tools run wherever the workspace is. */

const DRIVE = /^[A-Za-z]:[\\/]/;

export function isWindowsPath(path: string): boolean {
	return DRIVE.test(path) || path.startsWith('\\\\');
}

/**
 * The absolute path that `path`, absolute or relative to `root`, means: without `.`, `..` and doubled
 * separators, spelled with `/` but for what Windows needs at its beginning.
 * @throws Error for what names no file below any folder: a device, a stream, another machine
 */
export function resolvePath(root: string, path: string): string {
	if (path.includes('\0')) throw new Error('A path cannot hold a NUL character.');
	const windows = isWindowsPath(root);
	const base = windows ? slashes(root) : root;
	const given = windows ? slashes(path) : path;
	if (windows) refuseWindowsForms(given);
	// Looking at another machine's share would already send it who we are.
	if (windows && given.startsWith('//') && !isInside(base.toLowerCase(), given.toLowerCase()))
		throw new Error(`"${path}" lies on another machine.`);
	const absolute = windows
		? DRIVE.test(given) || given.startsWith('//')
			? given
			: given.startsWith('/')
				? `${base.slice(0, 2)}${given}`
				: `${base}/${given}`
		: given.startsWith('/')
			? given
			: `${base}/${given}`;
	return normalized(absolute, windows);
}

/** Whether a path is a folder or lies in it; both without links and `..`. */
export function isInside(folder: string, path: string): boolean {
	const outer = trimmed(slashesOf(folder));
	const inner = slashesOf(path);
	return inner === outer || inner.startsWith(`${outer}/`) || outer === '';
}

/** The path below a folder that it lies in, with `/`; "." for the folder itself. */
export function pathBelow(folder: string, path: string): string {
	const outer = trimmed(slashesOf(folder));
	return slashesOf(path).slice(outer.length + 1) || '.';
}

/** The folder that holds a path; the path itself at the top. */
export function parentOf(path: string): string {
	const at = path.lastIndexOf('/');
	if (at < 0) return path;
	const parent = path.slice(0, at);
	return parent === '' ? '/' : /^[A-Za-z]:$/.test(parent) ? `${parent}/` : parent;
}

export function joined(folder: string, name: string): string {
	return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
}

/** With `/` throughout, where the path is one of Windows; else a backslash is part of a name. */
export function slashesOf(path: string): string {
	return isWindowsPath(path) ? slashes(path) : path;
}

function slashes(path: string): string {
	return path.replaceAll('\\', '/');
}

function trimmed(path: string): string {
	return path.endsWith('/') ? path.slice(0, -1) : path;
}

function normalized(path: string, windows: boolean): string {
	const head = windows ? (path.startsWith('//') ? '//' : path.slice(0, 2)) : '';
	const parts: string[] = [];
	for (const part of path.slice(head.length).split('/')) {
		if (part === '' || part === '.') continue;
		if (part === '..') parts.pop();
		else parts.push(part);
	}
	return head === '//' ? `//${parts.join('/')}` : `${head}/${parts.join('/')}`;
}

/** Windows finds more behind a name than files: devices, streams, and names with the ends cut off. */
function refuseWindowsForms(path: string): void {
	const names = path.replace(/^[A-Za-z]:(?=\/)/, '').split('/');
	const odd = names.find(
		(name) =>
			name !== '.' &&
			name !== '..' &&
			(/[:*?"<>|]/.test(name) ||
				/[. ]$/.test(name) ||
				/^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\.|$)/i.test(name)),
	);
	if (odd !== undefined) throw new Error(`"${odd}" is no file name on Windows.`);
}
