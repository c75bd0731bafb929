/** Migration: a session of any version, written anew as version 3. The source is only read. */
import { copiedEntry, isGap } from './copied-entries.ts';
import { SESSION_VERSION, type SessionHeader } from './entries.ts';
import { writeLines } from './line-batches.ts';
import { SessionManager } from './session-manager.ts';
import type { SessionStorage } from './session-storage.ts';
import type { SessionTree } from './session-tree.ts';

/**
 * Writes a session as a new version 3 file into an empty storage and opens that, at the same leaf.
 * Entries that cannot be read stay behind in the source (see `SessionManager.warnings`); what followed
 * them follows the entry before them.
 * @throws UserError('unreadable') where the file cannot be read now
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
	await writeLines(target, migratedLines(source.tree, header));
	return SessionManager.open(target, source.savedLeaf);
}

function* migratedLines(tree: SessionTree, header: SessionHeader): Generator<string> {
	yield JSON.stringify(header);
	for (const entry of tree.entries())
		if (!isGap(entry)) yield JSON.stringify(copiedEntry(tree, entry, isGap));
}
