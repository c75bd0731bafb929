/** Runs the built command line as a person would: a process of its own. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';

export interface CliResult {
	code: number;
	stdout: string;
	stderr: string;
	/** The one document on standard output, with --json. */
	json(): Record<string, unknown>;
}

const CLI = join(process.cwd(), 'dist', 'cli.js');

export function runCli(...words: string[]): Promise<CliResult> {
	return runCliWith({}, ...words);
}

export function runCliWith(env: Record<string, string>, ...words: string[]): Promise<CliResult> {
	return new Promise((resolve) => {
		const options = { env: { ...process.env, ...env }, maxBuffer: 1 << 28 };
		execFile(process.execPath, [CLI, ...words], options, (error, stdout, stderr) => {
			const code = error ? Number(error.code) : 0;
			resolve({ code, stdout, stderr, json: () => JSON.parse(stdout) as Record<string, unknown> });
		});
	});
}
