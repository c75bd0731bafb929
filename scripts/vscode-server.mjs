// A real VS Code server from the npm package code-server: installed once, started per use.
import { spawn } from 'node:child_process';
import {
	closeSync,
	mkdirSync,
	openSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { installOnce, npm } from './lib/install-once.mjs';
import { cacheDir, logsDir, nodeBinary } from './lib/paths.mjs';
import { endGroup, exitOnSignals, signalGroup, waitFor } from './lib/processes.mjs';

export const codeServerVersion = '4.139.1';

const serverInPackage = 'node_modules/code-server/lib/vscode';
const running = new Set();

/** The folder of the VS Code server, installing it first where it is missing. */
export async function ensureServer() {
	const home = path.join(cacheDir, `code-server-${codeServerVersion}`);
	await installOnce(home, `VS Code (code-server ${codeServerVersion})`, async (folder) => {
		await npm(folder, ['install', `code-server@${codeServerVersion}`]);
		await npm(path.join(folder, serverInPackage), ['install', '--omit=dev']);
	});
	return path.join(home, serverInPackage);
}

/**
 * Starts a server on a free loopback port and waits until it answers.
 *
 * Without a token anyone on this machine can use it: for tests only.
 */
export async function startServer({
	token,
	trust = true,
	dataDir,
	extensionsDir,
	env = {},
	smokeTestDriver = false,
	name = 'server',
}) {
	const server = await ensureServer();
	const port = await freePort();
	for (const folder of [dataDir, extensionsDir, logsDir]) {
		mkdirSync(folder, { recursive: true });
	}
	const args = [
		path.join(server, 'out/server-main.js'),
		...['--host', '127.0.0.1', '--port', String(port)],
		...['--server-data-dir', dataDir, '--extensions-dir', extensionsDir],
		...['--accept-server-license-terms', '--disable-telemetry'],
		...tokenArguments(token, dataDir),
		...(smokeTestDriver ? ['--enable-smoke-test-driver'] : []),
		...(trust ? [] : ['--disable-workspace-trust']),
	];
	const log = path.join(logsDir, `${name}-${port}.log`);
	const output = openSync(log, 'w');
	const child = spawn(nodeBinary(), args, {
		env: { ...process.env, ...env },
		stdio: ['ignore', output, output],
		// Its own process group, so that stop() reaches the extension hosts as well.
		detached: process.platform !== 'win32',
	});
	closeSync(output);
	track(child);
	const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
	const stop = async () => {
		await endGroup(child);
		running.delete(child);
	};
	try {
		await waitFor(
			`The VS Code server did not start; see ${path.relative(process.cwd(), log)}`,
			() => answers(port, child, log),
			{ timeout: 60_000 },
		);
	} catch (error) {
		await stop();
		throw error;
	}
	return { port, url: `http://127.0.0.1:${port}/`, log, ended, stop };
}

/** The token goes through a file: arguments can be read by every user of the machine. */
function tokenArguments(token, dataDir) {
	if (!token) {
		return ['--without-connection-token'];
	}
	const file = path.join(dataDir, 'connection-token');
	writeFileSync(file, token, { mode: 0o600 });
	return ['--connection-token-file', file];
}

async function answers(port, child, log) {
	if (child.exitCode !== null || child.signalCode !== null) {
		throw new Error(`The VS Code server ended at once:\n${readFileSync(log, 'utf8')}`);
	}
	try {
		await (await fetch(`http://127.0.0.1:${port}/version`)).arrayBuffer();
		return true;
	} catch {
		// Connection refused: not listening yet.
		return false;
	}
}

/** Servers must not outlive the process that started them, however it ends. */
function track(child) {
	if (running.size === 0) {
		process.once('exit', () => running.forEach((each) => signalGroup(each, 'SIGKILL')));
		exitOnSignals();
	}
	running.add(child);
}

function freePort() {
	return new Promise((resolve, reject) => {
		const probe = createServer();
		probe.once('error', reject);
		probe.listen(0, '127.0.0.1', () => {
			const { port } = probe.address();
			probe.close(() => resolve(port));
		});
	});
}

/**
 * Installs extensions from their sources, by links, before a server starts. Unlike
 * `extensionDevelopmentPath` this needs no `smokeTestDriver`, which hides notifications.
 */
export function linkExtensions(extensionsDir, folders) {
	rmSync(extensionsDir, { recursive: true, force: true });
	mkdirSync(extensionsDir, { recursive: true });
	for (const folder of folders) {
		const manifest = readFileSync(path.join(folder, 'package.json'), 'utf8');
		const { publisher, name, version } = JSON.parse(manifest);
		const link = path.join(extensionsDir, `${publisher}.${name}-${version}`);
		// A junction needs no privileges on Windows; elsewhere the type means nothing.
		symlinkSync(folder, link, 'junction');
	}
}

/**
 * The address that opens a folder in the workbench. Loading extension tests, or an extension in
 * development mode, through it (`extensionTestsPath`, `extensionDevelopmentPath`) needs a server
 * with `smokeTestDriver`: VS Code ignores both without.
 */
export function workbenchUrl({
	port,
	folder,
	token,
	extensionDevelopmentPath,
	extensionTestsPath,
}) {
	const url = new URL(`http://127.0.0.1:${port}/`);
	if (token) {
		url.searchParams.set('tkn', token);
	}
	url.searchParams.set('folder', folder);
	const remote = (file) => `vscode-remote://127.0.0.1:${port}${file}`;
	const payload = [];
	if (extensionDevelopmentPath) {
		payload.push(['extensionDevelopmentPath', remote(extensionDevelopmentPath)]);
	}
	if (extensionTestsPath) {
		payload.push(['extensionTestsPath', remote(extensionTestsPath)]);
	}
	if (payload.length > 0) {
		url.searchParams.set('payload', JSON.stringify(payload));
	}
	return url.href;
}
