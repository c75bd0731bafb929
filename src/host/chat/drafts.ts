/**
 * The unsent texts of each session. What is stored is the draft below the prompts that are still
 * queued, so that a reload of the window puts everything unsent back into the composer.
 */
import { textAfterSending, textWithInserted } from '../../protocol/composer-text.ts';
import type { DraftStore } from './chat-host.ts';

/** Where there is no session yet; what is typed then goes to the first session that opens. */
const NO_SESSION = '';

interface Unsent {
	draft: string;
	queued: readonly string[];
}

export class Drafts {
	private readonly store: DraftStore;
	private readonly delayMs: number;
	private readonly unsent = new Map<string, Unsent>();
	/** Sessions that have been on show; one that comes back with its queue has lost nothing. */
	private readonly owners = new WeakSet<object>();
	private readonly unsaved = new Set<string>();
	private timer: ReturnType<typeof setTimeout> | undefined;

	constructor(store: DraftStore, delayMs = 300) {
		this.store = store;
		this.delayMs = delayMs;
	}

	/**
	 * The draft of a session that comes on show. Prompts that were queued when the session was closed
	 * are part of it; those that `owner`, the open session itself, still holds are not.
	 */
	open(sessionId: string, owner: object, queued: readonly string[]): string {
		const known = this.record(sessionId);
		const draft = this.owners.has(owner) ? known.draft : together(known.queued, known.draft);
		this.owners.add(owner);
		const homeless = draft ? '' : this.get(null);
		if (homeless) this.set(null, '');
		this.change(sessionId, { draft: draft || homeless, queued: [...queued] });
		return draft || homeless;
	}

	get(sessionId: string | null): string {
		return this.record(sessionId ?? NO_SESSION).draft;
	}

	set(sessionId: string | null, draft: string): void {
		this.change(sessionId ?? NO_SESSION, { draft });
	}

	/** Takes what was sent out of the draft, keeping what was typed meanwhile. */
	sent(sessionId: string, text: string): void {
		this.set(sessionId, textAfterSending(this.get(sessionId), text));
	}

	/** Puts a text into the draft; what stood there is kept below it. */
	insert(sessionId: string | null, text: string): void {
		this.set(sessionId, textWithInserted(text, this.get(sessionId)));
	}

	setQueued(sessionId: string, queued: readonly string[]): void {
		this.change(sessionId, { queued: [...queued] });
	}

	/** Saves what has not been saved. */
	flush(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		for (const id of this.unsaved) {
			const { draft, queued } = this.record(id);
			this.store.set(id, together(queued, draft));
		}
		this.unsaved.clear();
	}

	private record(id: string): Unsent {
		return this.unsent.get(id) ?? { draft: this.store.get(id) ?? '', queued: [] };
	}

	private change(id: string, change: Partial<Unsent>): void {
		this.unsent.set(id, { ...this.record(id), ...change });
		this.unsaved.add(id);
		this.timer ??= setTimeout(() => this.flush(), this.delayMs);
	}
}

function together(queued: readonly string[], draft: string): string {
	return [...queued, draft].filter((text) => text.trim()).join('\n\n');
}
