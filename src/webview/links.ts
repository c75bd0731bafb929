/** Links in Markdown: the page opens nothing itself, the host does after VS Code's own question. */
import type { Store } from './store.ts';

/** Handles the links of the whole page, by mouse and by keyboard. */
export function handleLinks(root: HTMLElement, store: Store): void {
	const open = (event: Event) => {
		if (!(event.target instanceof Element)) return;
		const url = event.target.closest<HTMLElement>('[data-href]')?.dataset.href;
		if (!url) return;
		event.preventDefault();
		store.post({ type: 'openLink', url });
	};
	root.addEventListener('click', open);
	root.addEventListener('keydown', (event) => {
		if (event.key === 'Enter') open(event);
	});
}
