// Opens a real VS Code window on a fresh server, for one end-to-end test or one file of them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { launchBrowser } from '../../../scripts/lib/browser.mjs';
import type * as serverModule from '../../../scripts/vscode-server.mjs';
import { WorkbenchPage, type WorkbenchPaths } from './workbench-page.ts';

const themes = {
	dark: 'Dark Modern',
	light: 'Light Modern',
	'hc-dark': 'Default High Contrast',
	'hc-light': 'Default High Contrast Light',
};

export interface WorkbenchOptions {
	/** The workspace folder; a fresh empty one where left out. */
	folder?: string;
	/** A session file to open at start (ESPALIER_OPEN_SESSION). */
	sessionFile?: string;
	/** User settings, application-scoped ones included. */
	settings?: Record<string, unknown>;
	/** Environment of the extension host. */
	env?: Record<string, string>;
	theme?: keyof typeof themes;
	viewport?: { width: number; height: number };
	/** Workspace trust on; off unless a test is about it. */
	trust?: boolean;
	/** Further extensions to load from their sources, by folder. */
	extensions?: string[];
	/** Further options of the browser context, such as `reducedMotion`. */
	browser?: BrowserContextOptions;
}

/** A window without distractions: what a test sees is what it asked for. */
const quietSettings = {
	'workbench.startupEditor': 'none',
	'workbench.secondarySideBar.defaultVisibility': 'hidden',
	'workbench.tips.enabled': false,
	'workbench.reduceMotion': 'on',
	'window.commandCenter': false,
	'extensions.ignoreRecommendations': true,
	'git.enabled': false,
};

/** User settings that connect the chat to a scripted server. */
export function scriptedModel({ baseUrl }: { baseUrl: string }): Record<string, unknown> {
	return { 'espalier.model.baseUrl': baseUrl, 'espalier.model.name': 'scripted' };
}

const open = new Set<WorkbenchPage>();

/** Starts a server and a browser window on it, and waits until the workbench can be used. */
export async function openWorkbench(options: WorkbenchOptions = {}): Promise<WorkbenchPage> {
	const servers = await loadServers();
	const temporary = mkdtempSync(path.join(tmpdir(), 'espalier-e2e-'));
	const folder = options.folder ?? path.join(temporary, 'workspace');
	const dataDir = path.join(temporary, 'data');
	mkdirSync(folder, { recursive: true });
	writeSettings(dataDir, options);
	const extensionsDir = path.join(temporary, 'extensions');
	servers.linkExtensions(extensionsDir, [process.cwd(), ...(options.extensions ?? [])]);
	const removeTemporary = () => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });

	const server = await servers.startServer({
		name: 'e2e',
		trust: options.trust ?? false,
		dataDir,
		extensionsDir,
		env: {
			...(options.sessionFile ? { ESPALIER_OPEN_SESSION: options.sessionFile } : {}),
			...options.env,
		},
	});
	const url = servers.workbenchUrl({ port: server.port, folder });
	return openWindow(url, { folder, dataDir, log: server.log }, options, async () => {
		await server.stop();
		removeTemporary();
	});
}

/**
 * Opens a browser window at the address of a running server, and waits until the workbench can be used.
 * @param stop ends the server and removes its files: when the window is closed, or none could be opened
 */
export async function openWindow(
	url: string,
	paths: WorkbenchPaths,
	options: Pick<WorkbenchOptions, 'viewport' | 'browser'>,
	stop: () => Promise<void>,
): Promise<WorkbenchPage> {
	let browser: Browser | undefined;
	try {
		browser = await launchBrowser();
		const context = await browser.newContext({
			viewport: options.viewport ?? { width: 1280, height: 800 },
			...options.browser,
		});
		const page = await context.newPage();
		const workbench = new WorkbenchPage(page, paths, async () => {
			open.delete(workbench);
			await page.context().browser()?.close();
			await stop();
		});
		open.add(workbench);
		await page.goto(url);
		await workbench.ready();
		return workbench;
	} catch (error) {
		await browser?.close();
		await stop();
		throw error;
	}
}

function writeSettings(dataDir: string, { settings, theme = 'dark' }: WorkbenchOptions): void {
	const user = path.join(dataDir, 'data/User');
	mkdirSync(user, { recursive: true });
	const all = { ...quietSettings, 'workbench.colorTheme': themes[theme], ...settings };
	writeFileSync(path.join(user, 'settings.json'), JSON.stringify(all, undefined, '\t'));
}

/** This script finds its files relative to itself, so it stays outside the bundle. */
async function loadServers(): Promise<typeof serverModule> {
	const address = pathToFileURL(path.resolve('scripts/vscode-server.mjs')).href;
	return (await import(address)) as typeof serverModule;
}

// A picture of every window that a failing test leaves open says more than the stack.
afterEach(async function () {
	const test = this.currentTest;
	if (test?.state === 'failed') {
		const name = test.fullTitle().replace(/[^\p{L}\p{N}]+/gu, '-');
		for (const workbench of open) {
			await workbench.screenshot(`failed-${name}`);
		}
	}
});
