/** The page's link to VS Code: posting messages and remembering what must survive hiding. */
import { PANEL_VERSION, type ViewMessageBody } from '../protocol/panel.ts';

interface VsCodeApi {
	postMessage(message: unknown): void;
	getState(): unknown;
	setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

export interface SavedDraft {
	sessionId: string | null;
	text: string;
	/** As told to the host, which takes no revision twice. */
	revision: number;
}

/** What VS Code keeps for the page while it is hidden, and over a reload of the window. */
export interface SavedView {
	/** Typed but perhaps not told to the host yet. */
	draft: SavedDraft | null;
	/** Where the reader was; null at the end. */
	reading: { sessionId: string | null; itemId: string; offset: number } | null;
	/** The folds that the reader has opened. */
	open: string[];
}

const nothing: SavedView = { draft: null, reading: null, open: [] };

/** As many opened folds as are worth remembering. */
const MAX_OPEN = 100;

export class VsCodeLink {
	private readonly api = acquireVsCodeApi();
	private saved: SavedView = { ...nothing, ...(this.api.getState() as SavedView | undefined) };

	post(message: ViewMessageBody): void {
		this.api.postMessage({ ...message, version: PANEL_VERSION });
	}

	get view(): Readonly<SavedView> {
		return this.saved;
	}

	save(change: Partial<SavedView>): void {
		this.saved = { ...this.saved, ...change };
		this.api.setState(this.saved);
	}

	isOpen(fold: string): boolean {
		return this.saved.open.includes(fold);
	}

	setOpen(fold: string, open: boolean): void {
		if (open === this.isOpen(fold)) return;
		const others = this.saved.open.filter((id) => id !== fold);
		this.save({ open: open ? [...others, fold].slice(-MAX_OPEN) : others });
	}
}
