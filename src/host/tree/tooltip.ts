/** Hovers as VS Code shows them: untrusted Markdown, composed on hover and kept for the next one. */
import * as vscode from 'vscode';
import type { SessionEntry } from '../../session/entries.ts';
import type { SessionTree } from '../../session/session-tree.ts';
import { entryTooltip } from './tooltip-text.ts';

/** VS Code may ask twice, or early; entries never change, so the last hovers are kept. */
const KEPT_TOOLTIPS = 50;

export class Tooltips {
	private readonly kept = new Map<string, vscode.MarkdownString>();

	/** The hover of an entry. */
	of(tree: SessionTree, entry: SessionEntry): vscode.MarkdownString {
		const known = this.kept.get(entry.id);
		if (known) return known;
		const tooltip = new vscode.MarkdownString(entryTooltip(tree, entry, { date: localDate }));
		tooltip.isTrusted = false;
		tooltip.supportHtml = false;
		this.kept.set(entry.id, tooltip);
		if (this.kept.size > KEPT_TOOLTIPS) {
			const [oldest] = this.kept.keys();
			if (oldest !== undefined) this.kept.delete(oldest);
		}
		return tooltip;
	}

	/** Forgets everything, for another session. */
	clear(): void {
		this.kept.clear();
	}
}

/** A timestamp as the person's language writes it. */
export function localDate(timestamp: string): string {
	const date = new Date(timestamp);
	if (Number.isNaN(date.getTime())) return 'date unknown';
	return date.toLocaleString(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
}
