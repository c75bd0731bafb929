/** The port through which commands run: for the bash tool and for a person's `!` commands. */

export interface CommandOptions {
	/** Where it runs, an absolute path. */
	folder: string;
	/** The longest run, in ms; none where absent: a person's own command ends when they stop it. */
	timeoutMs?: number;
	signal: AbortSignal;
	/** Takes output as it comes; a command that prints faster than people read has parts left out. */
	onOutput: (text: string) => void;
}

export interface CommandResult {
	/** Null where a signal ended it. */
	exitCode: number | null;
	/** `timeout` and `aborted`: it was killed with everything that it had started. */
	ended: 'exited' | 'timeout' | 'aborted';
	/** Both streams as they came, the middle cut out where they are long. */
	output: string;
	truncated: boolean;
	/** The file that holds all of the output, where some was cut out. */
	fullOutputPath?: string;
}

export interface CommandRunner {
	/**
	 * Runs a command in a shell and resolves when it, and all that it started, has ended.
	 * @throws Error where it cannot be started
	 */
	run(command: string, options: CommandOptions): Promise<CommandResult>;
}
