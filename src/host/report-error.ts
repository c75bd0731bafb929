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

export const FORK = 'Fork session';

/** The way on where another program works on the session, too. */
export function forkActions(error: unknown): (typeof FORK)[] {
	const isShared =
		error instanceof UserError && ['locked', 'changed-elsewhere'].includes(error.reason);
	return isShared ? [FORK] : [];
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
			if ((await showError(error, log, ...forkActions(error))) === FORK)
				await vscode.commands.executeCommand(COMMANDS.forkSession);
			return undefined;
		}
	};
	context.subscriptions.push(vscode.commands.registerCommand(id, guarded));
}
