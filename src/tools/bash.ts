/** The bash tool: one command in the workspace's folder, within a time limit. */
import type { CommandResult, CommandRunner } from '../agent/command-runner.ts';
import type { Tool, ToolArguments } from '../agent/tool.ts';
import { numberArgument, textArgument } from './arguments.ts';

/** Seconds. */
const USUAL_TIME = 120;
const MOST_TIME = 600;

export function bashTool(commands: CommandRunner, folder: string): Tool {
	return {
		name: 'bash',
		description:
			'Runs a shell command in the workspace folder. It has no input and no terminal; what it leaves running in the background is ended with it. Of a long output the middle is cut out, and the file that holds all of it is named.',
		parameters: {
			type: 'object',
			properties: {
				command: { type: 'string', minLength: 1, description: 'The command.' },
				timeout: {
					type: 'integer',
					minimum: 1,
					maximum: MOST_TIME,
					description: `Seconds until it is stopped; ${USUAL_TIME} where absent.`,
				},
			},
			required: ['command'],
			additionalProperties: false,
		},
		access: 'run',
		async describe(args) {
			return {
				kind: 'run',
				command: textArgument(args, 'command'),
				folder,
				timeoutMs: timeOf(args),
			};
		},
		async run(args, { signal, onOutput }) {
			const timeoutMs = timeOf(args);
			const command = textArgument(args, 'command');
			const result = await commands.run(command, { folder, timeoutMs, signal, onOutput });
			const { exitCode, truncated, fullOutputPath } = result;
			return {
				content: [{ type: 'text', text: outputText(result, timeoutMs) }],
				isError: result.ended !== 'exited' || exitCode !== 0,
				details: { exitCode, truncated, ...(fullOutputPath ? { fullOutputPath } : {}) },
			};
		},
	};
}

function timeOf(args: ToolArguments): number {
	return (numberArgument(args, 'timeout') ?? USUAL_TIME) * 1_000;
}

function outputText(result: CommandResult, timeoutMs: number): string {
	const { ended, exitCode, output, truncated, fullOutputPath } = result;
	const parts = [output || '(no output)'];
	if (truncated && fullOutputPath) parts.push(`[All of the output is in ${fullOutputPath}]`);
	if (ended === 'timeout')
		parts.push(`[Stopped after ${timeoutMs / 1_000} s, with all that it had started]`);
	else if (ended === 'aborted') parts.push('[Stopped: the turn was stopped]');
	else if (exitCode === null) parts.push('[Ended by a signal]');
	else if (exitCode !== 0) parts.push(`[Exit code ${exitCode}]`);
	return parts.join('\n\n');
}
