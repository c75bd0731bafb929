/**
 * The tree view: follows the session's events, refreshes as little as possible, keeps the current
 * entry in sight, and does nothing while hidden.
 */
import * as vscode from 'vscode';
import type { Row } from '../../session/outline.ts';
import type { SessionEvent, SessionManager } from '../../session/session-manager.ts';
import type { Unsubscribe } from '../../util/emitter.ts';
import { errorText } from '../../util/errors.ts';
import type { Logger } from '../../util/logger.ts';
import { VIEWS } from '../command-ids.ts';
import { COMMANDS } from '../command-ids.ts';
import { SessionTreeProvider } from './session-tree-provider.ts';

/** Events within this time, in ms, are answered together. */
const REFRESH_DELAY = 200;
/**
 * VS Code gathers change events for 200 ms and refuses to reveal a row that it is refreshing
 * ("already registered", microsoft/vscode#192055); reveals wait a little longer than that.
 */
const REVEAL_DELAY = 300;

export class SessionTreeView implements vscode.Disposable {
	readonly provider = new SessionTreeProvider();
	private readonly view: vscode.TreeView<Row>;
	private readonly log: Logger;
	private readonly disposables: vscode.Disposable[] = [];
	private manager: SessionManager | undefined;
	private unsubscribe: Unsubscribe | undefined;
	/** Rows to refresh; 'all' once something moved. */
	private pending: Set<Row> | 'all' | undefined;
	private refreshTimer: ReturnType<typeof setTimeout> | undefined;
	private revealTimer: ReturnType<typeof setTimeout> | undefined;
	/** How the leaf is to be brought into sight after the next refresh. */
	private reveal: 'select' | 'show' | undefined;
	/** Set where the session moved on while the view was hidden. */
	private stale = false;

	constructor(log: Logger) {
		this.log = log;
		this.view = vscode.window.createTreeView(VIEWS.tree, {
			treeDataProvider: this.provider,
			showCollapseAll: true,
		});
		this.disposables.push(
			this.view,
			this.provider,
			this.view.onDidChangeVisibility(({ visible }) => this.onVisibility(visible)),
			vscode.commands.registerCommand(COMMANDS.showMoreRows, (rowId: string) =>
				this.showMore(rowId),
			),
			vscode.commands.registerCommand(COMMANDS.revealCurrentEntry, () => this.revealCurrent()),
		);
	}

	get visible(): boolean {
		return this.view.visible;
	}

	/** The selected row, for commands that are run without one. */
	get selected(): Row | undefined {
		return this.view.selection[0];
	}

	/** Shows a session, or none. */
	setSession(manager: SessionManager | undefined): void {
		this.unsubscribe?.();
		this.manager = manager;
		this.unsubscribe = manager?.events.on((event) => this.onEvent(event));
		this.provider.setSession(manager);
		this.describe();
		this.schedule('all', 'show');
	}

	dispose(): void {
		this.unsubscribe?.();
		this.pending = undefined;
		clearTimeout(this.refreshTimer);
		clearTimeout(this.revealTimer);
		for (const disposable of this.disposables) disposable.dispose();
	}

	private onEvent(event: SessionEvent): void {
		if (!this.view.visible) {
			this.stale = true;
			return;
		}
		if (event.type === 'entryAppended') {
			const row = this.provider.append(event.entry);
			if (event.entry.type === 'session_info') this.describe();
			if (row) this.schedule(row);
			else this.schedule('all', 'show');
		} else if (event.type === 'changedElsewhere' || event.type === 'outputsChanged') {
			this.provider.setSession(this.manager);
			this.describe();
			this.schedule('all', 'show');
		} else {
			this.describe();
			// An appended entry has moved the outline's leaf already; else this is a move by hand.
			if (this.provider.moveLeaf(event.leafId)) this.schedule('all', 'select');
		}
	}

	private onVisibility(visible: boolean): void {
		if (!visible) {
			clearTimeout(this.refreshTimer);
			clearTimeout(this.revealTimer);
			this.stale ||= this.refreshTimer !== undefined;
			this.refreshTimer = this.revealTimer = this.pending = undefined;
		} else if (this.stale) {
			this.stale = false;
			this.provider.reset();
			this.describe();
			this.schedule('all', 'show');
		}
	}

	private schedule(what: Row | 'all', reveal?: 'select' | 'show'): void {
		if (!this.view.visible) {
			this.stale = true;
			return;
		}
		if (what === 'all') this.pending = 'all';
		else if (this.pending === undefined) this.pending = new Set([what]);
		else if (this.pending !== 'all') this.pending.add(what);
		if (this.reveal !== 'select') this.reveal = reveal ?? this.reveal;
		// Not restarted by further events: a stream of them must not keep the tree from changing.
		this.refreshTimer ??= setTimeout(() => void this.flush(), REFRESH_DELAY);
	}

	private async flush(): Promise<void> {
		// The timer stays set for as long as this takes, so that events meanwhile are answered together.
		await this.prepareLeaf().catch((error: unknown) => {
			this.log.debug(`The session tree could not be prepared: ${errorText(error)}`);
		});
		const { pending } = this;
		// The view was hidden meanwhile, or an earlier refresh took over what was asked of this one.
		if (pending === undefined) return;
		this.refreshTimer = this.pending = undefined;
		const row = this.reveal && this.leafRow();
		// Pages of long lists may have to be widened for the row to be among those given.
		const widened = row ? (this.provider.outline?.ensureShown(row) ?? []) : [];
		const all = pending === 'all' || widened.length > 0;
		this.provider.refresh(all ? undefined : [...pending]);
		if (!this.reveal) return;
		clearTimeout(this.revealTimer);
		this.revealTimer = setTimeout(() => void this.revealLeaf(), REVEAL_DELAY);
	}

	/** Prepares the outline, and in it what bringing the leaf into sight asks for. */
	private async prepareLeaf(): Promise<void> {
		const outline = await this.provider.prepared();
		const leafId = this.manager?.leafId ?? null;
		const row = this.reveal && leafId !== null ? outline?.rowOf(leafId) : undefined;
		if (row) await this.provider.prepared(row);
	}

	/** The row to bring into sight: the entry itself after a move, else only the turn that holds it. */
	private leafRow(): Row | undefined {
		const { outline } = this.provider;
		const leafId = this.manager?.leafId ?? null;
		if (!outline || leafId === null) return undefined;
		const row = outline.rowOf(leafId);
		if (!row || this.reveal === 'select') return row;
		// Unfolding each new turn by itself would move everything that a person reads.
		let top = row;
		for (let at: Row | undefined = row; at; at = outline.parentOf(at)) top = at;
		return top;
	}

	private async revealLeaf(): Promise<void> {
		this.revealTimer = undefined;
		await this.prepareLeaf();
		// A refresh that has begun meanwhile reveals when it is done.
		if (this.refreshTimer || !this.view.visible) return;
		const row = this.leafRow();
		const select = this.reveal === 'select';
		this.reveal = undefined;
		if (!row) return;
		try {
			await this.view.reveal(row, { select, focus: false });
		} catch (error) {
			// The tree changed under the reveal; the row is in its place, only not scrolled to.
			this.log.debug(`The current entry could not be revealed: ${errorText(error)}`);
		}
	}

	private revealCurrent(): void {
		this.schedule('all', 'select');
	}

	private async showMore(rowId: string): Promise<void> {
		const outline = await this.provider.prepared();
		const row = outline?.row(rowId);
		if (!outline || row?.kind !== 'more') return;
		await this.provider.prepared(row);
		if (outline !== this.provider.outline) return;
		const parent = outline.showMore(row);
		this.provider.refresh(parent && [parent]);
	}

	private describe(): void {
		const { manager } = this;
		this.view.description = manager?.name ?? '';
		const beforeAll = manager?.leafId === null && manager.tree.size > 0;
		this.view.message = beforeAll
			? 'You are before the first message: what you send next begins anew, beside what is below.'
			: undefined;
	}
}
