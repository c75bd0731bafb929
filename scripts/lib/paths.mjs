// Where things are: the repository's root, its git-ignored folders and the Node that runs VS Code.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Downloads and sample data that survive between runs. */
export const cacheDir = path.join(root, '.vscode-test');

/** Everything a run produces. */
export const outDir = path.join(root, 'out');
export const resultsDir = path.join(outDir, 'results');
export const logsDir = path.join(outDir, 'logs');

/**
 * The Node binary that the `node` devDependency installed, which equals the one in VS Code's
 * extension host; the running Node where it is missing.
 */
export function nodeBinary() {
	const name = process.platform === 'win32' ? 'node.exe' : 'node';
	const installed = path.join(root, 'node_modules/node/bin', name);
	return existsSync(installed) ? installed : process.execPath;
}

/** Absolute path of a file inside an installed package. */
export function dependency(...parts) {
	return path.join(root, 'node_modules', ...parts);
}
