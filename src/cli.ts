/** The command line over the core: reads sessions, and compacts and moves in them, without VS Code. */
import { parseCommandLine, UsageError, USAGE } from './cli/arguments.ts';
import { compactCommand } from './cli/commands/compact.ts';
import { contextCommand } from './cli/commands/context.ts';
import { inspectCommand } from './cli/commands/inspect.ts';
import { navigateCommand } from './cli/commands/navigate.ts';
import { treeCommand } from './cli/commands/tree.ts';
import { tellWarnings, type CommandOutput } from './cli/open.ts';
import type { CommandLine } from './cli/arguments.ts';
import { printJson, printText, tell } from './cli/terminal.ts';
import { errorText, isAbort } from './util/errors.ts';

const EXIT_DONE = 0;
const EXIT_FAILED = 1;
const EXIT_BAD_USAGE = 2;

const COMMANDS = new Map<string, (line: CommandLine) => Promise<CommandOutput>>([
	['inspect', inspectCommand],
	['tree', treeCommand],
	['context', contextCommand],
	['compact', compactCommand],
	['navigate', navigateCommand],
]);

/** Runs one command; the document goes to standard output, everything else to standard error. */
async function main(words: string[]): Promise<number> {
	if (words.length === 0 || words.includes('--help')) {
		tell(USAGE);
		return words.length === 0 ? EXIT_BAD_USAGE : EXIT_DONE;
	}
	try {
		const line = parseCommandLine(words, interruption(words[0]));
		const run = COMMANDS.get(line.command);
		if (!run) throw new UsageError(`There is no command "${line.command}".`);
		const output = await run(line);
		tellWarnings();
		if (line.json) await printJson(output.json);
		else await printText(output.text());
		return EXIT_DONE;
	} catch (error) {
		if (error instanceof UsageError) {
			tell(`${error.message}\n\n${USAGE}`);
			return EXIT_BAD_USAGE;
		}
		tell(isAbort(error) ? 'Cancelled; nothing was changed.' : errorText(error));
		return EXIT_FAILED;
	}
}

/** Commands that must not end in the midst of writing; others end at once. */
const WRITING_COMMANDS = new Set(['compact', 'navigate']);

/** Fires when the person or the system ends the command; a second time ends it at once. */
function interruption(command: string | undefined): AbortSignal {
	const controller = new AbortController();
	if (!WRITING_COMMANDS.has(command ?? '')) return controller.signal;
	for (const signal of ['SIGINT', 'SIGTERM'] as const)
		process.once(signal, () => controller.abort());
	return controller.signal;
}

void main(process.argv.slice(2)).then((code) => {
	process.exitCode = code;
});
