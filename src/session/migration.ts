/** Migration: a session of any version, written anew as version 3. The source is only read. */
import { createYielder } from '../util/async.ts';
import { SESSION_VERSION, type SessionHeader } from './entries.ts';
import { isDamaged } from './entry-parse.ts';
import { SessionManager } from './session-manager.ts';
import type { SessionStorage } from './session-storage.ts';
import type { SessionTree } from './session-tree.ts';

/**
 * Writes a session as a new version 3 file into an empty storage and opens that, at the same leaf.
 * Entries that cannot be read stay behind in the source (see `SessionManager.warnings`); what followed
 * them follows the entry before them.
 * @param parentSession recorded in the copy's header; the session keeps its id
 */
export async function migrateTo(
	source: SessionManager,
	target: SessionStorage,
	parentSession?: string,
): Promise<SessionManager> {
	const header: SessionHeader = {
		...source.header,
		version: SESSION_VERSION,
		...(parentSession ? { parentSession } : {}),
	};
	const lines = [JSON.stringify(header)];
	const pause = createYielder();
	for (const entry of source.tree.entries()) {
		if (!isDamaged(entry)) lines.push(JSON.stringify(withSoundParent(entry, source.tree)));
		await pause();
	}
	await target.append(lines, true);
	return SessionManager.open(target, source.savedLeaf);
}

function withSoundParent<T extends { parentId: string | null }>(entry: T, tree: SessionTree): T {
	let { parentId } = entry;
	for (let parent = at(parentId, tree); parent && isDamaged(parent); parent = at(parentId, tree))
		parentId = tree.parentOf(parent.id);
	return parentId === entry.parentId ? entry : { ...entry, parentId };
}

function at(id: string | null, tree: SessionTree) {
	return id === null ? undefined : tree.get(id);
}
