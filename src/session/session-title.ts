/** What a session is called where it has no name: its first request. */
import { contentText } from './navigation.ts';
import type { SessionManager } from './session-manager.ts';

const TITLE_CHARACTERS = 60;

/** The session's name, else the beginning of its first user message, else "New session". */
export function sessionTitle(manager: SessionManager): string {
	if (manager.name) return manager.name;
	const { tree } = manager;
	for (let place = 0; place < tree.size; place++) {
		const id = tree.idAt(place) ?? '';
		if (tree.roleOf(id) !== 'user') continue;
		const entry = tree.get(id);
		if (entry?.type !== 'message' || entry.message.role !== 'user') continue;
		const text = contentText(entry.message.content).slice(0, 1000).replace(/\s+/g, ' ').trim();
		if (text)
			return text.length > TITLE_CHARACTERS
				? `${text.slice(0, TITLE_CHARACTERS).trimEnd()}…`
				: text;
	}
	return 'New session';
}
