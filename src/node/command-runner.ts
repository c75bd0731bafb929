/** Runs shell commands as processes of this machine, each in a process group that ends as a whole. */
import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import type { CommandOptions, CommandResult, CommandRunner } from '../agent/command-runner.ts';
import { CommandOutput } from './command-output.ts';

/** How long a command may take to end when it is asked to, in ms. */
const ASKED_TO_END_MS = 1_500;
/** How often it is looked whether all have ended, in ms. */
const LOOK_EVERY_MS = 20;
/** How long its pipes may stay open after its processes were killed, in ms. */
const PIPES_CLOSE_MS = 500;
const WINDOWS = process.platform === 'win32';

/** What the editor gives its own processes, keys of ours among it: no business of commands. */
const OURS = /^(?:VSCODE_|ELECTRON_|ESPALIER_)|^OPENAI_API_KEY$/i;
/** No command may wait for a person at a terminal. */
const NO_TERMINAL = {
	TERM: 'dumb',
	PAGER: 'cat',
	GIT_PAGER: 'cat',
	GIT_TERMINAL_PROMPT: '0',
	NO_COLOR: '1',
};

export class ProcessCommandRunner implements CommandRunner {
	private readonly outputFolder: string;

	/** @param outputFolder where whole outputs of long ones are kept, an absolute path */
	constructor(outputFolder: string) {
		this.outputFolder = outputFolder;
	}

	async run(command: string, options: CommandOptions): Promise<CommandResult> {
		const { folder, timeoutMs, signal, onOutput } = options;
		if (signal.aborted) return { exitCode: null, ended: 'aborted', output: '', truncated: false };
		const child = start(command, folder);
		const output = new CommandOutput(this.outputFolder, onOutput);
		const pipes = [child.stdout, child.stderr].flatMap((pipe) => (pipe ? [pipe] : []));
		const closed = Promise.all(pipes.map((pipe) => collect(pipe, output)));
		let ended: CommandResult['ended'] = 'exited';
		const stop = (why: 'timeout' | 'aborted') => {
			if (ended !== 'exited') return;
			ended = why;
			endGroup(child, 'SIGTERM');
			killTimer = setTimeout(() => endGroup(child, 'SIGKILL'), ASKED_TO_END_MS);
		};
		let killTimer: ReturnType<typeof setTimeout> | undefined;
		const timer =
			timeoutMs === undefined ? undefined : setTimeout(() => stop('timeout'), timeoutMs);
		const onAbort = () => stop('aborted');
		signal.addEventListener('abort', onAbort, { once: true });
		try {
			const exitCode = await exitOf(child);
			if (ended !== 'exited') await groupEnded(child);
			// What it left in the background ends with it, else it would outlive the editor.
			endGroup(child, 'SIGKILL');
			await closedSoon(closed, pipes);
			return { exitCode, ended, ...(await output.finish()) };
		} catch (error) {
			await output.finish();
			const why = error instanceof Error ? error.message : String(error);
			throw new Error(`The command could not be started: ${why}`, { cause: error });
		} finally {
			clearTimeout(timer);
			clearTimeout(killTimer);
			signal.removeEventListener('abort', onAbort);
		}
	}
}

function start(command: string, cwd: string): ChildProcess {
	const { file, args, verbatim } = shellFor(command);
	return spawn(file, args, {
		cwd,
		env: environment(process.env),
		// A group of its own, so that all of it can be ended.
		detached: !WINDOWS,
		stdio: ['ignore', 'pipe', 'pipe'],
		windowsHide: true,
		windowsVerbatimArguments: verbatim,
	});
}

/** bash where there is one; else the system's own shell. */
function shellFor(command: string): { file: string; args: string[]; verbatim: boolean } {
	const bash = inPath(WINDOWS ? 'bash.exe' : 'bash');
	if (bash) return { file: bash, args: ['-c', command], verbatim: false };
	if (!WINDOWS) return { file: '/bin/sh', args: ['-c', command], verbatim: false };
	const cmd = process.env.ComSpec ?? 'cmd.exe';
	return { file: cmd, args: ['/d', '/s', '/c', `"${command}"`], verbatim: true };
}

function inPath(name: string): string | undefined {
	for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
		// The bash in Windows' own folder is that of another system, which sees other paths.
		if (!path.isAbsolute(folder) || (WINDOWS && /\\system32\\?$/i.test(folder))) continue;
		const file = path.join(folder, name);
		try {
			accessSync(file, constants.X_OK);
			return file;
		} catch {
			// Not here: the next folder.
		}
	}
	return undefined;
}

/** What commands get of an environment. */
export function environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const kept = Object.entries(env).filter(([name]) => !OURS.test(name));
	return { ...Object.fromEntries(kept), ...NO_TERMINAL };
}

/** @returns null where a signal ended it */
function exitOf(child: ChildProcess): Promise<number | null> {
	return new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('exit', (code) => resolve(code));
	});
}

async function collect(pipe: Readable, output: CommandOutput): Promise<void> {
	const decoder = new StringDecoder('utf8');
	try {
		for await (const chunk of pipe) await output.add(decoder.write(chunk as Buffer));
	} catch {
		// Cut off at the end, by us.
	}
	await output.add(decoder.end());
}

/** A process that left the group may hold a pipe for ever. */
async function closedSoon(closed: Promise<unknown>, pipes: readonly Readable[]): Promise<void> {
	const timer = setTimeout(() => pipes.forEach((pipe) => pipe.destroy()), PIPES_CLOSE_MS);
	await closed;
	clearTimeout(timer);
}

/** Those that were asked to end get their time even where the shell ended at once. */
async function groupEnded({ pid }: ChildProcess): Promise<void> {
	const end = performance.now() + ASKED_TO_END_MS;
	while (pid !== undefined && !WINDOWS && performance.now() < end) {
		try {
			process.kill(-pid, 0);
		} catch {
			return;
		}
		await setTimeoutPromise(LOOK_EVERY_MS);
	}
}

function endGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
	if (pid === undefined) return;
	if (WINDOWS) {
		spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true }).on(
			'error',
			() => undefined,
		);
		return;
	}
	try {
		process.kill(-pid, signal);
	} catch {
		// Nobody is left in it.
	}
}
