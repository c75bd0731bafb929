/**
 * Keeps the composer's text safe: remembered by VS Code with every change, told to the host a
 * moment later, and at once when the page goes away or another session comes on show.
 */
import type { Store } from './store.ts';
import type { SavedDraft } from './vscode-api.ts';

const DELAY_MS = 200;

/** Watches the store's composer from now on. */
export function syncDraft(store: Store): void {
	let seen = store.state.composer;
	let unsent: SavedDraft | undefined;
	let timer: ReturnType<typeof setTimeout> | undefined;

	const flush = () => {
		clearTimeout(timer);
		timer = undefined;
		if (!unsent) return;
		store.post({ type: 'draft', ...unsent });
		unsent = undefined;
		store.link.save({ draft: null });
	};
	// What a page posts as it goes may not arrive, so it stays remembered; twice does no harm.
	const lastWords = () => {
		if (unsent) store.post({ type: 'draft', ...unsent });
	};

	store.subscribe(() => {
		const { composer } = store.state;
		if (composer === seen) return;
		const typed = composer.revision !== seen.revision;
		if (composer.sessionId !== seen.sessionId) flush();
		const told = composer.pending && composer.pending !== seen.pending;
		seen = composer;
		if (told) {
			// The draft went out with the prompt.
			unsent = undefined;
			store.link.save({ draft: null });
			return;
		}
		const { sessionId, text, revision } = composer;
		if (!typed || revision === 0) return;
		unsent = { sessionId, text, revision };
		store.link.save({ draft: unsent });
		timer ??= setTimeout(flush, DELAY_MS);
	});
	window.addEventListener('pagehide', lastWords);
	document.addEventListener('visibilitychange', lastWords);
}

/** Tells the host what an earlier page could not: text that was typed just before it went. */
export function sendLeftDraft(store: Store): void {
	const { draft } = store.link.view;
	if (!draft) return;
	store.post({ type: 'draft', ...draft });
	store.link.save({ draft: null });
}
