// Page object of the VS Code window: what a person does, in words, and the selectors behind it.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright-core';

export interface WorkbenchPaths {
	/** The workspace folder that is open. */
	folder: string;
	/** The server's data folder; storage and settings are below it. */
	dataDir: string;
	/** The server's log file. */
	log: string;
}

/** For a wait's `then`: whether what was waited for came in time. */
const settled = [() => true, () => false] as const;

export class WorkbenchPage {
	readonly page: Page;
	readonly paths: WorkbenchPaths;
	readonly #close: () => Promise<void>;

	constructor(page: Page, paths: WorkbenchPaths, close: () => Promise<void>) {
		this.page = page;
		this.paths = paths;
		this.#close = close;
		// The first start on two busy cores takes up to half a minute.
		page.setDefaultTimeout(45_000);
	}

	/** Resolves when the workbench can be used and its extensions are known. */
	async ready(): Promise<void> {
		await this.#container().waitFor();
	}

	/** Shows the Espalier container in the side bar. */
	async openEspalier(): Promise<void> {
		const tab = this.page.locator('.activitybar .action-item', {
			has: this.page.locator('.action-label[aria-label^="Espalier"]'),
		});
		const header = this.page.locator('.part.sidebar .pane-header').first();
		// Clicking the tab of an open container closes it, and a window that has just been reloaded may
		// open it by itself between the look and the click.
		for (let tries = 0; tries < 4; tries++) {
			if (!/\bchecked\b/.test((await tab.getAttribute('class')) ?? '')) await tab.click();
			if (await header.waitFor({ timeout: 10_000 }).then(...settled)) return;
		}
		await header.waitFor();
	}

	/** Headers of the views in the side bar. */
	views(): Locator {
		return this.page.locator('.part.sidebar .pane-header');
	}

	/** Runs a command from the palette by its visible title, such as "Espalier: Compact session". */
	async runCommand(title: string): Promise<void> {
		await this.quickInput().waitFor({ state: 'hidden' });
		await this.page.keyboard.press('F1');
		await this.#quickInput().fill(`>${title}`);
		const named = this.page.getByText(title, { exact: true });
		await this.#quickRows().filter({ has: named }).first().waitFor();
		// The list is drawn anew while it is filtered, so that a click may meet another row than the one it
		// was aimed at. Enter runs the focused row, whatever lies where.
		const focused = this.page.locator('.quick-input-list .monaco-list-row.focused');
		for (let row = 0; row < 20 && !(await focused.filter({ has: named }).count()); row++)
			await this.page.keyboard.press('ArrowDown');
		await focused.filter({ has: named }).waitFor();
		await this.page.keyboard.press('Enter');
	}

	/** The rows of the session tree that are on screen. */
	treeRows(): Locator {
		return this.page.locator('.part.sidebar .monaco-list-row[role="treeitem"]');
	}

	/** A tree row by a part of its text, scrolled into view where necessary. */
	async treeRow(text: string): Promise<Locator> {
		const wanted = this.treeRows().filter({ hasText: text }).first();
		// Most often it is on screen, or will be once the tree has been refreshed.
		if (await wanted.waitFor({ timeout: 5_000 }).then(...settled)) return wanted;
		// The document holds only the rows on screen, so page through the list by its keys: they move
		// the focus, which selects and opens nothing.
		await this.#pressInTree('Home');
		const atEnd = this.page.locator(
			'.part.sidebar .monaco-list-row.focused[data-last-element="true"]',
		);
		while ((await wanted.count()) === 0 && (await atEnd.count()) === 0)
			await this.#pressInTree('PageDown');
		await wanted.waitFor();
		return wanted;
	}

	/** What a person reads when resting on a row. */
	async hoverText(row: Locator): Promise<string> {
		const hover = this.page.locator('.workbench-hover:visible').last();
		// One that appears in the very moment in which the pointer leaves stays until it moves again,
		// as a hand does and a single move does not.
		const left = () => hover.waitFor({ state: 'hidden', timeout: 1_000 }).then(...settled);
		await this.page.mouse.move(0, 0);
		for (let x = 1; !(await left()) && x < 20; x++) await this.page.mouse.move(x, 0);
		await hover.waitFor({ state: 'hidden' });
		await row.hover();
		// The tree shows this while a tooltip is being resolved.
		await hover.filter({ hasNotText: /^\s*Loading\.{3}\s*$/ }).waitFor();
		return hover.innerText();
	}

	/** The quick pick or input box that is open. */
	quickInput(): Locator {
		return this.page.locator('.quick-input-widget:visible');
	}

	/** Picks the item of the open quick pick that contains the text. */
	async quickPick(text: string): Promise<void> {
		await this.#quickRows().filter({ hasText: text }).first().click();
	}

	/** Types into the input box that is open, or about to follow a quick pick, and confirms. */
	async typeInQuickInput(text: string): Promise<void> {
		// A quick pick and an input box share one widget: text for the latter must not go to the former.
		await this.page.locator('.quick-input-list').waitFor({ state: 'hidden' });
		await this.#quickInput().fill(text);
		await this.#quickInput().press('Enter');
	}

	/** Clicks one of the icons that a row shows at its end. */
	async inlineAction(row: Locator, title: string): Promise<void> {
		await row.hover();
		await row.locator(`.action-label[aria-label*="${title}"]`).click();
	}

	/** Opens a row's context menu and chooses an item. */
	async contextMenu(row: Locator, item: string): Promise<void> {
		await row.click({ button: 'right' });
		// A menu ignores clicks for a moment after it opens; the keyboard always works.
		const entry = this.page.locator('.monaco-menu .action-item', { hasText: item }).first();
		await entry.hover();
		await entry.and(this.page.locator('.focused')).waitFor();
		await this.page.keyboard.press('Enter');
	}

	/** The document of the chat view. */
	chat(): FrameLocator {
		return (
			this.page
				// A view that was hidden comes back without the purpose in its address.
				.frameLocator('iframe.webview[src*="extensionId=espalier.espalier"]')
				.frameLocator('#active-frame')
		);
	}

	/** Writes a text into the chat and sends it. */
	async send(text: string): Promise<void> {
		const input = this.chat().locator('textarea');
		await input.fill(text);
		await input.press('Enter');
	}

	/** A notification that contains the text; buttons are inside it. */
	notification(text: string): Locator {
		return this.page.locator('.notifications-toasts .notification-toast', { hasText: text });
	}

	/** The modal dialog that contains the text. */
	dialog(text: string): Locator {
		return this.page.locator('.monaco-dialog-box', { hasText: text });
	}

	/** Writes a picture of the window to out/screenshots, for people to look at. */
	async screenshot(name: string): Promise<void> {
		const folder = path.resolve('out/screenshots');
		mkdirSync(folder, { recursive: true });
		await this.page.screenshot({ path: path.join(folder, `${name}.png`) });
	}

	/** Reloads the window, as "Developer: Reload Window" does, and waits for it. */
	async reload(): Promise<void> {
		await this.page.reload();
		await this.ready();
	}

	/** Ends the browser and the server and removes their files. */
	close(): Promise<void> {
		return this.#close();
	}

	/** Presses a navigation key in the tree and waits until the focus has moved. */
	async #pressInTree(key: 'Home' | 'PageDown'): Promise<void> {
		const list = this.page.locator('.part.sidebar .monaco-list:has([role="treeitem"])').first();
		await list.focus();
		const before = await list.getAttribute('aria-activedescendant');
		await list.press(key);
		const target =
			key === 'Home' ? '.focused[data-index="0"]' : `.focused:not([id="${before ?? 'none'}"])`;
		await list.locator(`.monaco-list-row${target}`).waitFor();
	}

	#container(): Locator {
		return this.page.locator('.activitybar .action-label[aria-label^="Espalier"]');
	}

	#quickInput(): Locator {
		return this.page.locator('.quick-input-widget:visible .quick-input-box input');
	}

	#quickRows(): Locator {
		return this.page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row');
	}
}
