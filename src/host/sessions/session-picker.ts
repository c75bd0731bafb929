/**
 * The list of sessions on the screen: fills page by page, follows the folders while it is open, and ends
 * with what a person chose. It changes nothing itself.
 */
import * as vscode from 'vscode';
import { sessionFolders, type SessionPlaces } from '../../node/session-folders.ts';
import type { SessionListing, SessionRow } from '../../node/session-listing.ts';
import { errorText } from '../../util/errors.ts';
import type { Logger } from '../../util/logger.ts';
import { sessionItems, type SessionAction, type SessionItem } from './session-items.ts';
import { watchFolders } from './watch-folders.ts';

/** What Enter does: open the session, or ask what to do with it. */
export type PickerMode = 'open' | 'manage';

export interface PickerState {
	mode: PickerMode;
	/** What was typed to filter the list. */
	filter: string;
	/** The path of the row to stand on, where it is there. */
	active?: string | undefined;
}

export interface PickerChoice extends PickerState {
	row: SessionRow;
	/** Undefined where the person wants to be asked. */
	action: SessionAction | undefined;
}

export interface PickerParts {
	listing: SessionListing;
	places: () => SessionPlaces;
	/** The path of the session on show. */
	shown: () => string | undefined;
	log: Logger;
}

const PLACEHOLDERS: Record<PickerMode, string> = {
	open: 'Enter opens a session; type to filter',
	manage: 'Enter shows what can be done with a session; type to filter',
};

/** Lets a person choose a session; undefined where they left the list. */
export async function pickSession(
	parts: PickerParts,
	state: PickerState,
): Promise<PickerChoice | undefined> {
	const picker = new SessionPicker(parts, state);
	try {
		return await picker.choice;
	} finally {
		picker.dispose();
	}
}

class SessionPicker {
	readonly choice: Promise<PickerChoice | undefined>;
	private readonly parts: PickerParts;
	private readonly pick = vscode.window.createQuickPick<SessionItem>();
	private readonly closed = new AbortController();
	private watched: vscode.Disposable | undefined;
	private mode: PickerMode;
	private rows: SessionRow[] = [];
	/** The path to stand on; follows the person. */
	private active: string | undefined;
	/** False until that row has come, or the person has moved. */
	private standing = false;
	private watchedPaths = '';
	private isCounting = false;
	private isReading = false;
	private isStale = false;

	constructor(parts: PickerParts, state: PickerState) {
		this.parts = parts;
		this.mode = state.mode;
		this.active = state.active;
		const { pick } = this;
		pick.title = 'Sessions';
		pick.value = state.filter;
		pick.matchOnDescription = true;
		pick.matchOnDetail = true;
		pick.keepScrollPosition = true;
		this.setMode(state.mode);
		this.choice = new Promise((resolve) => {
			const choose = (row: SessionRow | undefined, action: SessionAction | undefined) => {
				if (row) resolve({ row, action, mode: this.mode, filter: pick.value, active: row.path });
			};
			pick.onDidAccept(() =>
				choose(pick.selectedItems[0]?.row, this.mode === 'open' ? 'open' : undefined),
			);
			pick.onDidTriggerItemButton(({ item, button }) =>
				choose(item.row, (button as { action?: SessionAction }).action),
			);
			// Hiding after a choice resolves a second time, which does nothing.
			pick.onDidHide(() => resolve(undefined));
		});
		pick.onDidTriggerButton(() => this.setMode(this.mode === 'open' ? 'manage' : 'open'));
		pick.onDidChangeActive(([item]) => this.onActive(item));
		pick.show();
		void this.read();
	}

	dispose(): void {
		this.closed.abort();
		this.watched?.dispose();
		this.pick.dispose();
	}

	private setMode(mode: PickerMode): void {
		this.mode = mode;
		this.pick.placeholder = PLACEHOLDERS[mode];
		const [icon, tooltip] =
			mode === 'open'
				? ['gear', 'Manage: rename, archive, restore, delete']
				: ['list-selection', 'Open sessions again'];
		this.pick.buttons = [{ iconPath: new vscode.ThemeIcon(icon), tooltip }];
	}

	private onActive(item: SessionItem | undefined): void {
		if (!item?.row) return;
		// New items put the focus on the first; that is no move of the person.
		const first = this.pick.items.find(({ row }) => row);
		if (!this.standing && item.row.path === first?.row?.path) return;
		this.active = item.row.path;
		this.standing = true;
	}

	/** Reads all anew, and again where something changed meanwhile; what is unchanged is known. */
	private async read(): Promise<void> {
		this.isStale = true;
		if (this.isReading) return;
		this.isReading = true;
		try {
			while (this.isStale && !this.closed.signal.aborted) {
				this.isStale = false;
				await this.readOnce();
			}
			if (!this.closed.signal.aborted) this.pick.busy = false;
			void this.count();
		} catch (error) {
			const text = `The sessions could not be listed: ${errorText(error)}`;
			this.parts.log.error(text);
			this.pick.busy = false;
			this.pick.placeholder = text;
		} finally {
			this.isReading = false;
		}
	}

	private async readOnce(): Promise<void> {
		const { listing, places } = this.parts;
		const { signal } = this.closed;
		const isFirst = this.rows.length === 0;
		this.pick.busy = isFirst;
		const folders = await sessionFolders(places());
		if (signal.aborted) return;
		this.watch(folders.map(({ path }) => path));
		const rows: SessionRow[] = [];
		for await (const page of listing.pages(folders, signal)) {
			rows.push(...page.rows);
			// Later never fewer rows are shown than there were.
			if (isFirst) this.show(rows);
		}
		this.show(rows);
	}

	private watch(paths: readonly string[]): void {
		const key = paths.join('\n');
		if (key === this.watchedPaths) return;
		this.watchedPaths = key;
		this.watched?.dispose();
		this.watched = watchFolders(paths, () => void this.read());
	}

	/** Makes estimates exact while the list stands on the screen: once, however often it is read. */
	private async count(): Promise<void> {
		if (this.isCounting) return;
		this.isCounting = true;
		for await (const counted of this.parts.listing.counted(this.rows, this.closed.signal)) {
			const byPath = new Map(counted.map((row) => [row.path, row]));
			this.show(
				this.rows.map((row) => {
					const known = byPath.get(row.path);
					return known && known.summary.modified === row.summary.modified ? known : row;
				}),
			);
		}
	}

	private show(rows: readonly SessionRow[]): void {
		if (this.closed.signal.aborted) return;
		const { pick, parts, active } = this;
		this.rows = [...rows];
		const items = sessionItems(rows, parts.listing.unreadable, parts.shown());
		pick.items = items.length > 0 ? items : [{ label: 'There are no sessions of this folder yet' }];
		const item = active === undefined ? undefined : items.find(({ row }) => row?.path === active);
		if (!item) return;
		pick.activeItems = [item];
		this.standing = true;
	}
}
