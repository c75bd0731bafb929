/** Shows errors to a person: what happened, what was kept, what to do. */
import * as vscode from 'vscode';
import { errorText, isAbort, UserError } from '../util/errors.ts';
import { COMMANDS } from './command-ids.ts';
import type { Logger } from '../util/logger.ts';

/** Shows an error with actions; resolves to the chosen one. Cancelling is no error and shows nothing. */
export async function showError<T extends string>(
	error: unknown,
	log: Logger,
	...actions: T[]
): Promise<T | undefined> {
	if (isAbort(error)) return undefined;
	log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
	return vscode.window.showErrorMessage(errorText(error), ...actions);
}

const FORK = 'Fork session';

/** Shows an error, and goes on in a fork where that is a way on and the person chose it. */
export async function reportError(error: unknown, log: Logger): Promise<void> {
	// Another program works on the session, too.
	const isShared =
		error instanceof UserError && ['locked', 'changed-elsewhere'].includes(error.reason);
	if ((await showError(error, log, ...(isShared ? [FORK] : []))) === FORK)
		await vscode.commands.executeCommand(COMMANDS.forkSession);
}

/** Registers a command whose errors are shown. */
export function registerCommand(
	context: vscode.ExtensionContext,
	log: Logger,
	id: string,
	run: (...args: never[]) => unknown,
): void {
	const guarded = async (...args: unknown[]) => {
		try {
			return await run(...(args as never[]));
		} catch (error) {
			await reportError(error, log);
			return undefined;
		}
	};
	context.subscriptions.push(vscode.commands.registerCommand(id, guarded));
}
