/** Progress that a person can cancel, as an AbortSignal. */
import * as vscode from 'vscode';

/** Runs a task under a notification with a Cancel button; cancelling fires the signal. */
export function withCancellableProgress<T>(
	title: string,
	task: (signal: AbortSignal) => Promise<T>,
): Thenable<T> {
	const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
	return vscode.window.withProgress(options, (_progress, token) => {
		const controller = new AbortController();
		token.onCancellationRequested(() => controller.abort());
		return task(controller.signal);
	});
}
