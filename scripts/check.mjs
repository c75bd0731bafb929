// The static checks: types, lint rules, formatting. Prints only what is wrong.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { realpathSync } from 'node:fs';
import { dependency, nodeBinary, root } from './lib/paths.mjs';
import { capture } from './lib/processes.mjs';

const checks = [
	['types', 'typescript/bin/tsc', '--noEmit', '-p', '.'],
	['types (webview)', 'typescript/bin/tsc', '--noEmit', '-p', 'src/webview'],
	['types (e2e)', 'typescript/bin/tsc', '--noEmit', '-p', 'test/e2e'],
	['lint', 'eslint/bin/eslint.js', '.'],
	['formatting', 'prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.'],
];

/** Runs every check and returns the names of those that failed. */
export async function runChecks() {
	const failed = [];
	for (const [name, script, ...args] of checks) {
		const { code, output } = await capture(
			nodeBinary(),
			[dependency(...script.split('/')), ...args],
			{ cwd: root, timeout: 5 * 60_000 },
		);
		process.stdout.write(`  ${code === 0 ? '✓' : '✗'} ${name}\n`);
		if (code !== 0) {
			failed.push(name);
			process.stdout.write(`${output.trimEnd()}\n`);
		}
	}
	return failed;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
	process.stdout.write(`Checks in ${path.basename(root)}\n`);
	process.exitCode = (await runChecks()).length > 0 ? 1 : 0;
}
