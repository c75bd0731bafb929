// The chat page alone in a plain Chromium: the real bundle and content security policy, with a
// stand-in for VS Code that records what the page posts and keeps its state over a reload.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import type * as browserModule from '../../../scripts/lib/browser.mjs';
import { chatHtml } from '../../../src/host/chat/chat-html.ts';
import type { ChatItem } from '../../../src/protocol/chat-item.ts';
import {
	PANEL_VERSION,
	type ChatStatus,
	type HostMessageBody,
	type SnapshotMessage,
	type ViewMessage,
} from '../../../src/protocol/panel.ts';
import { parseViewMessage } from '../../../src/protocol/panel-parsers.ts';
import { themes, type Theme } from './theme-variables.ts';

/** Launches the installed Chromium. The script is loaded as it lies, since it cannot be bundled. */
export async function launchBrowser(): Promise<Browser> {
	const script = pathToFileURL(path.resolve('scripts/lib/browser.mjs')).href;
	const module = (await import(script)) as typeof browserModule;
	return module.launchBrowser();
}

const ORIGIN = 'http://espalier.test';

/** What VS Code's own style sheet does to every webview, where it touches ours. */
const VSCODE_CSS = `@layer vscode-default {
	html { background: var(--vscode-sideBar-background); }
	body { margin: 0; padding: 0 20px; color: var(--vscode-editor-foreground);
		font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); }
	a { color: var(--vscode-textLink-foreground); }
	a:focus, input:focus, select:focus, textarea:focus { outline: 1px solid -webkit-focus-ring-color; }
	code { color: var(--vscode-textPreformat-foreground);
		background-color: var(--vscode-textPreformat-background); padding: 1px 3px; border-radius: 4px; }
	blockquote { background: var(--vscode-textBlockQuote-background); }
}`;

/** The stand-in's fields on the page's window. */
interface StandIn {
	posted: unknown[];
	violations: string[];
	acquireVsCodeApi: unknown;
}

export interface PageOptions {
	theme?: keyof typeof themes;
	width?: number;
	height?: number;
	/** A device pixel ratio, as with a zoomed window. */
	scale?: number;
}

export const idleStatus: ChatStatus = {
	activity: 'idle',
	model: 'test-model',
	contextTokens: 43_000,
	contextIsExact: false,
	contextWindow: 128_000,
	progress: null,
	queued: [],
	notices: [],
	failure: null,
};

export function userItem(id: string, text = `Question ${id}`): ChatItem {
	return { kind: 'user', id, text: { text, cut: 0 }, images: 0 };
}

export function answerItem(id: string, text: string): ChatItem {
	const parts = [{ type: 'text' as const, text: { text, cut: 0 } }];
	return { kind: 'assistant', id, parts, status: 'complete', error: null, model: 'test-model' };
}

export class WebviewPage {
	readonly page: Page;
	/** Addresses that the page asked for beyond its own three files. */
	readonly strangeRequests: string[] = [];
	readonly errors: string[] = [];
	private readonly theme: Theme;
	private seq = 0;

	private constructor(page: Page, theme: Theme) {
		this.page = page;
		this.theme = theme;
	}

	static async open(browser: Browser, options: PageOptions = {}): Promise<WebviewPage> {
		const { theme = 'dark', width = 400, height = 700, scale = 1 } = options;
		const context = await browser.newContext({
			viewport: { width, height },
			deviceScaleFactor: scale,
		});
		const page = await context.newPage();
		const view = new WebviewPage(page, themes[theme]);
		await view.prepare();
		await view.load();
		return view;
	}

	/** Loads the page as VS Code does when the view is shown again: nothing but its state is left. */
	async load(): Promise<void> {
		this.seq = 0;
		await this.page.goto(`${ORIGIN}/`);
	}

	/** Posts messages, numbered on; a snapshot first is the caller's. */
	async post(...bodies: HostMessageBody[]): Promise<void> {
		const messages = bodies.map((body) => ({ ...body, version: PANEL_VERSION, seq: ++this.seq }));
		await this.postRaw(...messages);
	}

	/** Posts anything, as it is. */
	async postRaw(...messages: unknown[]): Promise<void> {
		await this.page.evaluate(async (list) => {
			for (const message of list) window.postMessage(message, '*');
			await new Promise((resolve) => setTimeout(resolve));
			await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
		}, messages);
	}

	/** Skips numbers, as if messages had been lost. */
	lose(count: number): void {
		this.seq += count;
	}

	async snapshot(change: Partial<SnapshotMessage> = {}): Promise<void> {
		await this.post({
			type: 'snapshot',
			session: { id: 's1', title: 'A session' },
			items: [],
			earlier: 0,
			live: null,
			runs: [],
			status: idleStatus,
			draft: '',
			draftRevision: 0,
			inFlight: [],
			...change,
		});
	}

	/** What the page has posted; each must be a message that the host accepts. */
	async posted(): Promise<ViewMessage[]> {
		const raw = await this.page.evaluate(() => (window as unknown as StandIn).posted);
		return raw.map((message) => {
			const parsed = parseViewMessage(message);
			if (!parsed.ok)
				throw new Error(`The page posted ${JSON.stringify(message)}: ${parsed.reason}`);
			return parsed.value;
		});
	}

	async postedOf<T extends ViewMessage['type']>(
		type: T,
	): Promise<Extract<ViewMessage, { type: T }>[]> {
		const all = await this.posted();
		return all.filter((message) => message.type === type) as Extract<ViewMessage, { type: T }>[];
	}

	/** What the page keeps with VS Code. */
	state(): Promise<unknown> {
		return this.page.evaluate(() => (window as unknown as { state: unknown }).state);
	}

	violations(): Promise<string[]> {
		return this.page.evaluate(() => (window as unknown as StandIn).violations);
	}

	get composer() {
		return this.page.getByRole('textbox', { name: 'Message' });
	}

	get scroller() {
		return this.page.getByRole('log', { name: 'Conversation' });
	}

	scrollTop(): Promise<number> {
		return this.scroller.evaluate((element) => element.scrollTop);
	}

	/** How far the view is from its end. */
	fromEnd(): Promise<number> {
		return this.scroller.evaluate(
			(element) => element.scrollHeight - element.clientHeight - element.scrollTop,
		);
	}

	async screenshot(name: string): Promise<void> {
		mkdirSync('out/screenshots', { recursive: true });
		await this.page.screenshot({ path: `out/screenshots/${name}.png` });
	}

	/** Closes the page, which must have reported nothing by itself: no error, no blocked content, no problem. */
	async closeClean(): Promise<void> {
		assert.deepEqual(this.errors, []);
		assert.deepEqual(await this.violations(), []);
		assert.deepEqual(await this.postedOf('problem'), []);
		await this.close();
	}

	close(): Promise<void> {
		return this.page.context().close();
	}

	private async prepare(): Promise<void> {
		const { page, theme } = this;
		page.on('pageerror', (error) => this.errors.push(error.stack ?? error.message));
		await page.addInitScript(
			({ bodyClass, variables }) => {
				const standIn = window as unknown as StandIn & { state: unknown };
				standIn.posted = [];
				standIn.violations = [];
				document.addEventListener('securitypolicyviolation', (event) =>
					standIn.violations.push(`${event.violatedDirective} ${event.blockedURI}`),
				);
				document.addEventListener('DOMContentLoaded', () => {
					document.body.className = bodyClass;
					for (const [name, value] of Object.entries(variables))
						document.documentElement.style.setProperty(`--vscode-${name}`, value);
				});
				standIn.acquireVsCodeApi = () => ({
					postMessage: (message: unknown) => standIn.posted.push(message),
					getState: (): unknown =>
						JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? undefined,
					setState: (state: unknown) => {
						standIn.state = state;
						sessionStorage.setItem('state', JSON.stringify(state));
					},
				});
			},
			{ bodyClass: theme.bodyClass, variables: theme.variables },
		);
		await page.route('**/*', (route) => {
			const url = new URL(route.request().url());
			const file = url.origin === ORIGIN ? url.pathname : '';
			if (file === '/') return route.fulfill({ contentType: 'text/html', body: html() });
			if (file === '/vscode.css')
				return route.fulfill({ contentType: 'text/css', body: VSCODE_CSS });
			if (file === '/main.js' || file === '/main.css')
				return route.fulfill({
					contentType: file.endsWith('js') ? 'text/javascript' : 'text/css',
					body: readFileSync(path.join('dist/webview', file)),
				});
			if (file !== '/favicon.ico') this.strangeRequests.push(url.href);
			return route.abort();
		});
	}
}

function html(): string {
	const page = chatHtml({
		script: `${ORIGIN}/main.js`,
		style: `${ORIGIN}/main.css`,
		cspSource: ORIGIN,
		nonce: 'testnonce',
	});
	return page.replace('<link ', `<link rel="stylesheet" href="${ORIGIN}/vscode.css">\n\t<link `);
}
