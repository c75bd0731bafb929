// npm start: a real VS Code with Espalier, a sample workspace and a sample session.
//
// Desktop VS Code where there is a display, else the VS Code server for a browser.
// Options: --browser (never the desktop), --fresh (throw away changes to the samples).
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findDesktop, hasDisplay, openDesktop } from './lib/desktop.mjs';
import { cacheDir, nodeBinary, root } from './lib/paths.mjs';
import { run } from './lib/processes.mjs';
import { checkDependencies, checkNode, orExplain } from './lib/prerequisites.mjs';
import { linkExtensions, startServer, workbenchUrl } from './vscode-server.mjs';

const sampleDir = path.join(cacheDir, 'sample');
const workspace = path.join(sampleDir, 'workspace');
const session = path.join(sampleDir, 'tea-shop.jsonl');

/** Settings of the first start: nothing in the window competes with the product. */
const firstSettings = {
	'workbench.startupEditor': 'none',
	'workbench.secondarySideBar.defaultVisibility': 'hidden',
};

/** Ends whatever has been started so far. */
let stop = async () => {};
let stopping = false;

async function main() {
	const { values: options } = parseArgs({
		options: { browser: { type: 'boolean' }, fresh: { type: 'boolean' } },
	});
	checkNode();
	checkDependencies();
	stopOnSignals();
	say('Building …');
	if ((await run(nodeBinary(), ['esbuild.js'], { cwd: root })) !== 0) {
		process.exit(1);
	}
	await prepareSamples(options.fresh);
	const env = { ESPALIER_OPEN_SESSION: session };
	const desktop = options.browser || !hasDisplay() ? undefined : await findDesktop(say);
	await (desktop ? inDesktop(desktop, env) : inBrowser(env));
}

/** What a person changed in the samples is kept, unless asked for fresh ones. */
async function prepareSamples(fresh) {
	if (fresh) {
		rmSync(sampleDir, { recursive: true, force: true });
	}
	if (!existsSync(workspace)) {
		mkdirSync(sampleDir, { recursive: true });
		cpSync(path.join(root, 'sample/workspace'), workspace, { recursive: true });
	}
	if (!existsSync(session)) {
		const { writeSampleSession } = await import('./sample-session.mjs');
		await writeSampleSession(session, { cwd: workspace });
	}
}

async function inDesktop(desktop, env) {
	const profile = path.join(cacheDir, 'start-desktop');
	writeFirstSettings(path.join(profile, 'data/User'));
	const window = openDesktop(desktop, { root, workspace, profile, env });
	say(`Espalier is running in the VS Code window that has opened (${desktop.name}).`);
	say('Close the window or press Ctrl+C to stop.');
	stop = () => window.stop();
	const code = await window.ended;
	if (!stopping) {
		process.exit(code);
	}
}

async function inBrowser(env) {
	const home = path.join(cacheDir, 'start-server');
	const extensionsDir = path.join(home, 'extensions');
	linkExtensions(extensionsDir, [root]);
	writeFirstSettings(path.join(home, 'data/data/User'));
	const token = randomBytes(24).toString('hex');
	const server = await startServer({
		name: 'start',
		token,
		trust: true,
		dataDir: path.join(home, 'data'),
		extensionsDir,
		env,
	});
	say(`Espalier is running at: ${workbenchUrl({ port: server.port, folder: workspace, token })}`);
	say('Open this address in a browser, then the Espalier icon at its left. Ctrl+C stops it.');
	stop = () => server.stop();
	const code = await server.ended;
	if (stopping) {
		return;
	}
	say(`The VS Code server has ended by itself; see ${path.relative(root, server.log)}`);
	process.exit(code || 1);
}

/** Written once: later the settings are the person's own. */
function writeFirstSettings(folder) {
	const file = path.join(folder, 'settings.json');
	if (!existsSync(file)) {
		mkdirSync(folder, { recursive: true });
		writeFileSync(file, `${JSON.stringify(firstSettings, undefined, '\t')}\n`);
	}
}

/** Ctrl+C and its relatives: stop what was started, then end; a second one ends at once. */
function stopOnSignals() {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
		process.on(signal, () => {
			if (stopping) {
				process.exit(1);
			}
			stopping = true;
			say('\nStopping …');
			stop().then(
				() => process.exit(0),
				(error) => {
					process.stderr.write(`${error.stack}\n`);
					process.exit(1);
				},
			);
		});
	}
}

function say(text) {
	process.stdout.write(`${text}\n`);
}

process.chdir(root);
await orExplain(main);
