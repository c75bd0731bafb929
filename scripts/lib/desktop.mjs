// Desktop VS Code: find an installed one, download one, open a window of it.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { cacheDir } from './paths.mjs';
import { endGroup } from './processes.mjs';

const downloadTimeout = 60_000;

/** Whether a desktop window could be seen at all. */
export function hasDisplay(env = process.env, platform = process.platform) {
	return platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/** An installed desktop VS Code, else a downloaded one; undefined where neither is to be had. */
export async function findDesktop(say) {
	const command = installedCommand();
	if (command) {
		return { name: command, executable: electronOf(command) ?? command };
	}
	say('No desktop VS Code is installed; trying to download one …');
	try {
		return { name: 'downloaded', executable: await download() };
	} catch (error) {
		say(`No desktop VS Code (${error.message}); using the browser instead.`);
		return undefined;
	}
}

/** Opens a window that has its own profile, so that a person's own VS Code stays as it is. */
export function openDesktop({ executable }, { root, workspace, profile, env }) {
	const args = [
		...['--new-window', '--wait', '--skip-welcome', '--skip-release-notes'],
		`--extensionDevelopmentPath=${root}`,
		`--user-data-dir=${path.join(profile, 'data')}`,
		`--extensions-dir=${path.join(profile, 'extensions')}`,
		// Electron refuses to run as root with its sandbox, as in a container with a display.
		...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
		workspace,
	];
	const script = /\.(cmd|bat)$/i.test(executable);
	const quote = (text) => (script ? `"${text}"` : text);
	const child = spawn(quote(executable), args.map(quote), {
		env: { ...process.env, ...env },
		stdio: 'ignore',
		shell: script,
		detached: process.platform !== 'win32',
	});
	const ended = new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('exit', (code) => resolve(code ?? 0));
	});
	return { ended, stop: () => endGroup(child) };
}

function installedCommand() {
	const names = process.platform === 'win32' ? ['code.cmd', 'code-insiders.cmd'] : ['code'];
	const folders = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
	const usual = '/Applications/Visual Studio Code.app/Contents/Resources/app/bin';
	return [...folders, usual]
		.flatMap((folder) => names.map((name) => path.join(folder, name)))
		.find((file) => existsSync(file));
}

/**
 * The program behind the `code` command. Started directly it stays our child, which Ctrl+C can
 * end; the command itself hands the window to a process of its own.
 */
function electronOf(command) {
	const bin = path.dirname(realpathSync(command));
	return [
		path.join(bin, '../code'),
		path.join(bin, '../Code.exe'),
		path.join(bin, '../../../MacOS/Electron'),
		path.join(bin, '../../../MacOS/Code'),
	].find((file) => existsSync(file));
}

async function download() {
	const { downloadAndUnzipVSCode } = await import('@vscode/test-electron');
	let timer;
	const late = new Promise((_, reject) => {
		const seconds = downloadTimeout / 1000;
		const error = new Error(`the download took longer than ${seconds} s`);
		timer = setTimeout(() => reject(error), downloadTimeout);
	});
	try {
		const cachePath = path.join(cacheDir, 'desktop');
		return await Promise.race([downloadAndUnzipVSCode({ cachePath }), late]);
	} finally {
		clearTimeout(timer);
	}
}
