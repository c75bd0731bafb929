/** Gives VS Code the rows of one session's outline. Knows nothing of events or visibility. */
import * as vscode from 'vscode';
import type { SessionEntry } from '../../session/entries.ts';
import { Outline, type Row } from '../../session/outline.ts';
import type { SessionManager } from '../../session/session-manager.ts';
import { rowLook } from './row-looks.ts';
import { Tooltips } from './tooltip.ts';
import { treeItem } from './tree-item.ts';

export class SessionTreeProvider implements vscode.TreeDataProvider<Row>, vscode.Disposable {
	private readonly changes = new vscode.EventEmitter<Row[] | undefined>();
	readonly onDidChangeTreeData = this.changes.event;
	private readonly tooltips = new Tooltips();
	private manager: SessionManager | undefined;
	/** Built when first asked for, so that a hidden view costs nothing. */
	private current: Outline | undefined;
	private labels: ReadonlyMap<string, string> | undefined;

	/** Shows another session, or none. */
	setSession(manager: SessionManager | undefined): void {
		this.manager = manager;
		this.tooltips.clear();
		this.reset();
	}

	/** What is shown; undefined without a session. */
	get outline(): Outline | undefined {
		if (this.manager) this.current ??= new Outline(this.manager.tree, this.manager.leafId);
		return this.current;
	}

	/** Forgets the outline; it is built anew when rows are asked for. */
	reset(): void {
		this.current = undefined;
		this.labels = undefined;
	}

	/** Takes over an added entry. @returns the row to refresh; undefined means the whole tree */
	append(entry: SessionEntry): Row | undefined {
		if (entry.type === 'label') {
			// The labelled row is another one than the new entry's.
			this.labels = undefined;
			this.current?.append(entry);
			return undefined;
		}
		return this.current?.append(entry);
	}

	/** Takes over a moved leaf. @returns false where the outline shows it as current already */
	moveLeaf(leafId: string | null): boolean {
		if (!this.current || this.current.leaf === leafId) return false;
		this.current.moveLeaf(leafId);
		return true;
	}

	/** Tells VS Code that these rows changed; undefined: all. */
	refresh(rows: Row[] | undefined): void {
		this.changes.fire(rows);
	}

	/**
	 * The outline shown, once what questions about a row (undefined: the top level) wait for is done,
	 * in slices. Another session, or a rebuilt outline, takes the place of one that is being prepared.
	 */
	async prepared(row?: Row): Promise<Outline | undefined> {
		for (;;) {
			const { outline } = this;
			await outline?.prepare(row && this.shows(row) ? row : undefined);
			if (outline === this.outline) return outline;
		}
	}

	async getChildren(row?: Row): Promise<Row[]> {
		return (await this.prepared(row))?.children(row?.id) ?? [];
	}

	async getParent(row: Row): Promise<Row | undefined> {
		const outline = await this.prepared(row);
		return this.shows(row) ? outline?.parentOf(row) : undefined;
	}

	async getTreeItem(row: Row): Promise<vscode.TreeItem> {
		const outline = await this.prepared(row);
		if (!this.manager || !outline || !this.shows(row)) return new vscode.TreeItem('');
		this.labels ??= this.manager.labels();
		return treeItem(row, rowLook(outline, this.manager.tree, row, this.labels));
	}

	/** Hovers are composed here, for the one row that a person points at. */
	resolveTreeItem(item: vscode.TreeItem, row: Row): vscode.TreeItem {
		const entry = this.manager?.tree.get(row.entryId);
		if (entry && this.manager && row.kind !== 'more')
			item.tooltip = this.tooltips.of(this.manager.tree, entry);
		return item;
	}

	dispose(): void {
		this.changes.dispose();
	}

	/** False for a row of a session shown before: VS Code may still ask about it. */
	private shows(row: Row): boolean {
		return row.kind === 'more' || (this.manager?.tree.has(row.entryId) ?? false);
	}
}
