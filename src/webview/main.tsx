/** The chat page's beginning: connects store, host and DOM. */
import { render } from 'preact';
import { parseHostMessage } from '../protocol/panel-parsers.ts';
import { App } from './app.tsx';
import { sendLeftDraft, syncDraft } from './draft-sync.ts';
import { handleLinks } from './links.ts';
import { Store } from './store.ts';
import './styles.css';
import { VsCodeLink } from './vscode-api.ts';

const store = new Store(new VsCodeLink());

function report(problem: unknown): void {
	const message = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
	store.post({ type: 'problem', message: message.slice(0, 4000) });
}

window.addEventListener('message', (event: MessageEvent<unknown>) => {
	const parsed = parseHostMessage(event.data);
	if (parsed.ok) store.dispatch({ type: 'host', message: parsed.value });
	else report(`dropped a message from the host (${parsed.reason})`);
});
window.addEventListener('error', (event) => report(event.error ?? event.message));
window.addEventListener('unhandledrejection', (event) => report(event.reason));

const root = document.getElementById('root');
if (root) {
	syncDraft(store);
	sendLeftDraft(store);
	handleLinks(root, store);
	render(<App store={store} />, root);
	store.post({ type: 'ready' });
}
