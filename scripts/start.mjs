// npm start: a real VS Code with Espalier, a sample workspace and a sample session.
//
// Desktop VS Code where there is a display, else the VS Code server for a browser.
// Options: --browser (never the desktop), --fresh (throw away changes to the samples), --demo (with a
// scripted model; everything of the demo is kept apart), --home FOLDER (where all of it is kept).
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findDesktop, hasDisplay, openDesktop } from './lib/desktop.mjs';
import { startDemo } from './demo/start-demo.mjs';
import { cacheDir, nodeBinary, root } from './lib/paths.mjs';
import { run } from './lib/processes.mjs';
import { checkDependencies, checkNode, orExplain } from './lib/prerequisites.mjs';
import { linkExtensions, startServer, workbenchUrl } from './vscode-server.mjs';

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
		options: {
			browser: { type: 'boolean' },
			fresh: { type: 'boolean' },
			demo: { type: 'boolean' },
			home: { type: 'string' },
		},
	});
	checkNode();
	checkDependencies();
	stopOnSignals();
	say('Building …');
	const build = ['esbuild.js', ...(options.demo ? ['--demo'] : [])];
	if ((await run(nodeBinary(), build, { cwd: root })) !== 0) {
		process.exit(1);
	}
	const home = path.resolve(options.home ?? path.join(cacheDir, options.demo ? 'demo' : ''));
	const samples = prepareSamples(path.join(home, 'sample'), options.fresh);
	// A demo begins with a session of its own.
	const env = options.demo ? {} : { ESPALIER_OPEN_SESSION: await sampleSession(samples) };
	const demo = options.demo ? await startDemo(home) : undefined;
	const desktop = options.browser || !hasDisplay() ? undefined : await findDesktop(say);
	const { workspace } = samples;
	await (desktop ? inDesktop : inBrowser)({ home, workspace, env, demo, desktop });
}

/** What a person changed in the samples is kept, unless asked for fresh ones. */
function prepareSamples(folder, fresh) {
	const workspace = path.join(folder, 'workspace');
	if (fresh) {
		rmSync(folder, { recursive: true, force: true });
	}
	if (!existsSync(workspace)) {
		mkdirSync(folder, { recursive: true });
		cpSync(path.join(root, 'sample/workspace'), workspace, { recursive: true });
	}
	return { workspace, session: path.join(folder, 'tea-shop.jsonl') };
}

async function sampleSession({ workspace, session }) {
	if (!existsSync(session)) {
		const { writeSampleSession } = await import('./sample-session.mjs');
		await writeSampleSession(session, { cwd: workspace });
	}
	return session;
}

async function inDesktop({ home, workspace, env, demo, desktop }) {
	const profile = path.join(home, 'start-desktop');
	writeFirstSettings(path.join(profile, 'data/User'), demo);
	const window = openDesktop(desktop, { root, workspace, profile, env });
	say(`Espalier is running in the VS Code window that has opened (${desktop.name}).`);
	say('Close the window or press Ctrl+C to stop.');
	demo?.introduce(say);
	stop = () => window.stop();
	const code = await window.ended;
	if (!stopping) {
		process.exit(code);
	}
}

async function inBrowser({ home, workspace, env, demo }) {
	const folder = path.join(home, 'start-server');
	const extensionsDir = path.join(folder, 'extensions');
	linkExtensions(extensionsDir, [root]);
	writeFirstSettings(path.join(folder, 'data/data/User'), demo);
	const token = randomBytes(24).toString('hex');
	const server = await startServer({
		name: 'start',
		token,
		trust: true,
		dataDir: path.join(folder, 'data'),
		extensionsDir,
		env,
	});
	say(`Espalier is running at: ${workbenchUrl({ port: server.port, folder: workspace, token })}`);
	say('Open this address in a browser, then the Espalier icon at its left. Ctrl+C stops it.');
	demo?.introduce(say);
	stop = () => server.stop();
	const code = await server.ended;
	if (stopping) {
		return;
	}
	say(`The VS Code server has ended by itself; see ${path.relative(root, server.log)}`);
	process.exit(code || 1);
}

/** Written once: later the settings are the person's own, but for where the demo's model is. */
function writeFirstSettings(folder, demo) {
	const file = path.join(folder, 'settings.json');
	if (existsSync(file)) {
		demo?.updateSettings(file);
		return;
	}
	mkdirSync(folder, { recursive: true });
	const settings = { ...firstSettings, ...demo?.settings };
	writeFileSync(file, `${JSON.stringify(settings, undefined, '\t')}\n`);
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
