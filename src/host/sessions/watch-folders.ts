/** Tells when session files come, go or change in folders that need not exist. */
import * as vscode from 'vscode';

/** Changes within this time, in ms, are told together: a running session writes line after line. */
const DELAY = 500;

/** Watches until disposed. Folders are watched themselves, nothing below them. */
export function watchFolders(paths: readonly string[], onChange: () => void): vscode.Disposable {
	let timer: ReturnType<typeof setTimeout> | undefined;
	// Not restarted by further changes: a stream of them must not keep the list from changing.
	const changed = () => {
		timer ??= setTimeout(() => {
			timer = undefined;
			onChange();
		}, DELAY);
	};
	const watchers = paths.flatMap((path) => {
		const pattern = new vscode.RelativePattern(vscode.Uri.file(path), '*.jsonl');
		const watcher = vscode.workspace.createFileSystemWatcher(pattern);
		const events = [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete];
		return [watcher, ...events.map((event) => event(changed))];
	});
	return vscode.Disposable.from(...watchers, { dispose: () => clearTimeout(timer) });
}
