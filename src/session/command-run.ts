/** A person's `!` command: run at once, stored as one message when it has ended. */
import type { CommandRunner } from '../agent/command-runner.ts';
import { UserError } from '../util/errors.ts';
import type { BashExecutionMessage } from './messages.ts';

export interface RunCommandOptions {
	/** A `!!` command: shown, never sent to a model. */
	excludeFromContext?: boolean;
}

/** Where commands run, and by whom. */
export interface SessionCommands {
	runner: CommandRunner;
	/** An absolute path. */
	folder: string;
}

/** @throws UserError('no-commands') where commands cannot run here */
export function requireCommands(commands: SessionCommands | undefined): SessionCommands {
	if (commands) return commands;
	throw new UserError('no-commands', 'Commands cannot be run here.', {
		kept: 'Your text is still in the input.',
		hint: 'Open a trusted folder to run commands in it.',
	});
}

/**
 * Runs a command to its end, or until the signal fires.
 * @throws Error where it could not be started
 */
export async function runPersonsCommand(
	{ runner, folder }: SessionCommands,
	command: string,
	{ excludeFromContext = false }: RunCommandOptions,
	run: { signal: AbortSignal; onOutput: (text: string) => void },
): Promise<BashExecutionMessage> {
	const result = await runner.run(command, { folder, ...run });
	return {
		role: 'bashExecution',
		command,
		output: result.output,
		exitCode: result.exitCode,
		cancelled: result.ended !== 'exited',
		truncated: result.truncated,
		...(result.fullOutputPath ? { fullOutputPath: result.fullOutputPath } : {}),
		...(excludeFromContext ? { excludeFromContext } : {}),
		timestamp: Date.now(),
	};
}
