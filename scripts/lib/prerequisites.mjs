// Makes sure of what npm cannot install: a recent enough Node and, for the tests, Chromium.
// The test bundles contain this file, so it finds things from the working directory, the root.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const minimumNode = 20;

/** A mirror that stops answering must not hold up a run for ever. */
const installLimitMs = 10 * 60_000;

/** A missing thing and the exact command that brings it. */
export class MissingPrerequisite extends Error {
	constructor(what, command) {
		super(`${what}\nRun:\n    ${command}\nthen try again.`);
		this.name = 'MissingPrerequisite';
	}
}

/** Throws where the running Node is older than the scripts need. */
export function checkNode(version = process.versions.node) {
	if (Number.parseInt(version, 10) < minimumNode) {
		throw new MissingPrerequisite(
			`Node ${minimumNode} or newer is needed; this is ${version}.`,
			`nvm install 24   # or any other way to get Node ${minimumNode}+`,
		);
	}
}

/** Throws where `npm ci` has not been run yet. */
export function checkDependencies() {
	if (!existsSync('node_modules/esbuild')) {
		throw new MissingPrerequisite('The project is not installed yet.', 'npm ci');
	}
}

/** Path of an installed Chromium or Chrome; undefined where there is none. */
export function findChromium(env = process.env) {
	return chromiumCandidates(env).find(isExecutable);
}

/** Finds Chromium, installing it where this process may; throws with the command otherwise. */
export function ensureChromium(env = process.env) {
	if (env.CHROME_PATH && !isExecutable(env.CHROME_PATH)) {
		throw new MissingPrerequisite(
			`CHROME_PATH names no executable file: ${env.CHROME_PATH}`,
			'unset CHROME_PATH',
		);
	}
	const found = findChromium(env);
	if (found) {
		return found;
	}
	const install = 'apt-get update && apt-get install -y chromium';
	if (!isDebian()) {
		throw new MissingPrerequisite(
			'The tests need Chromium or Chrome, and none was found (CHROME_PATH may name one).',
			'npx playwright-core install --with-deps chromium',
		);
	}
	if (process.getuid?.() !== 0) {
		throw new MissingPrerequisite(
			'The tests need Chromium, and none was found (CHROME_PATH may name one).',
			`sudo sh -c '${install}'`,
		);
	}
	process.stderr.write(`Chromium is missing. Installing it: ${install}\n`);
	// Standard output stays free for results.
	spawnSync('sh', ['-c', install], {
		stdio: ['ignore', 2, 2],
		env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
		timeout: installLimitMs,
		killSignal: 'SIGKILL',
	});
	const installed = findChromium(env);
	if (!installed) {
		throw new MissingPrerequisite('Chromium could not be installed.', install);
	}
	return installed;
}

function chromiumCandidates(env) {
	const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
	const folders = (env.PATH ?? '').split(path.delimiter).filter(Boolean);
	return [
		env.CHROME_PATH,
		...['/usr/bin', '/usr/local/bin', ...folders].flatMap((folder) =>
			names.map((name) => path.join(folder, name)),
		),
		'/opt/google/chrome/chrome',
		'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
		'/Applications/Chromium.app/Contents/MacOS/Chromium',
		...['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].map(
			(key) => env[key] && path.join(env[key], 'Google/Chrome/Application/chrome.exe'),
		),
		playwrightChromium(),
	].filter(Boolean);
}

/** The browser that `playwright-core install` fetches, where that was run. */
function playwrightChromium() {
	try {
		return createRequire(path.resolve('package.json'))('playwright-core').chromium.executablePath();
	} catch {
		// Not installed, or no build for this system: then it is no candidate.
		return undefined;
	}
}

function isExecutable(file) {
	try {
		accessSync(file, constants.X_OK);
		return statSync(file).isFile();
	} catch {
		// Missing or not ours to run: either way it cannot be used.
		return false;
	}
}

function isDebian() {
	const release = '/etc/os-release';
	return existsSync(release) && /^ID=debian$/m.test(readFileSync(release, 'utf8'));
}

/** Runs `main` as a script would: a missing prerequisite is one message and exit code 1. */
export async function orExplain(main) {
	try {
		return await main();
	} catch (error) {
		if (!(error instanceof MissingPrerequisite)) {
			throw error;
		}
		process.stderr.write(`${error.message}\n`);
		return process.exit(1);
	}
}
