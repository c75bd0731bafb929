// Npm packages that are too large or too foreign for the project's own dependencies: installed once,
// on demand, into an ignored folder.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { nodeBinary } from './paths.mjs';
import { capture } from './processes.mjs';

/**
 * Makes sure that `home` exists. `install` fills a staging folder, which is renamed when complete, so
 * that an interrupted install leaves nothing.
 */
export async function installOnce(home, what, install) {
	if (existsSync(home)) return;
	process.stderr.write(`Installing ${what}, once …\n`);
	mkdirSync(path.dirname(home), { recursive: true });
	const staging = mkdtempSync(path.join(path.dirname(home), 'install-'));
	try {
		writeFileSync(path.join(staging, 'package.json'), '{ "private": true }\n');
		await install(staging);
		renameSync(staging, home);
	} catch (error) {
		// Another process may have finished the same install first: its result is as good.
		if (!existsSync(home)) throw error;
	} finally {
		rmSync(staging, { recursive: true, force: true });
	}
}

/** A registry that stops answering in the midst of a download must not hold up a run for ever. */
const limitMs = 5 * 60_000;

/** Runs npm in a folder, without install scripts: only native extras would need them. */
export async function npm(cwd, args) {
	const cli = process.env.npm_execpath?.endsWith('npm-cli.js') ? process.env.npm_execpath : '';
	const [command, first] = cli ? [nodeBinary(), [cli]] : ['npm', []];
	const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
	const env = { ...process.env };
	// Set by an outer `npm run`; it would send this install to the project itself.
	delete env.npm_config_local_prefix;
	const shell = !cli && process.platform === 'win32';
	const { code, output } = await capture(command, [...first, ...args, ...flags], {
		...{ cwd, env, shell },
		timeout: limitMs,
	});
	if (code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${output}`);
}
