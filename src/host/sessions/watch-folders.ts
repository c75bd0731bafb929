/** Tells when session files come, go or change. */
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';

/** Changes within this time, in ms, are told together: a running session writes line after line. */
const DELAY = 500;

/** Watches folders themselves, nothing below them, until disposed. */
export function watchFolders(paths: readonly string[], onChange: () => void): vscode.Disposable {
	return watch(
		paths.map((path) => [path, '*.jsonl']),
		onChange,
	);
}

/**
 * Watches one file, which need not exist, until disposed. Where the system tells nothing of changes (on
 * network disks), coming back to the window counts as one.
 */
export function watchFile(path: string, onChange: () => void): vscode.Disposable {
	return vscode.Disposable.from(
		watch([[dirname(path), globFor(basename(path))]], onChange),
		vscode.window.onDidChangeWindowState(({ focused }) => focused && onChange()),
	);
}

/** @param patterns pairs of a folder and a glob pattern for names in it */
function watch(
	patterns: readonly (readonly [string, string])[],
	onChange: () => void,
): vscode.Disposable {
	let timer: ReturnType<typeof setTimeout> | undefined;
	// Not restarted by further changes: a stream of them must not keep the list from changing.
	const changed = () => {
		timer ??= setTimeout(() => {
			timer = undefined;
			onChange();
		}, DELAY);
	};
	const watchers = patterns.flatMap(([folder, names]) => {
		const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), names);
		const watcher = vscode.workspace.createFileSystemWatcher(pattern);
		const events = [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete];
		return [watcher, ...events.map((event) => event(changed))];
	});
	return vscode.Disposable.from(...watchers, { dispose: () => clearTimeout(timer) });
}

/** A name that a glob pattern would take for more than itself is watched with all others. */
function globFor(name: string): string {
	return /[*?[\]{}]/.test(name) ? '*' : name;
}
