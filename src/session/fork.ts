/** Forks: one path of a session as a session of its own. The source is only read. */
import { createYielder } from '../util/async.ts';
import { UserError } from '../util/errors.ts';
import {
	SESSION_VERSION,
	type LabelEntry,
	type SessionEntry,
	type SessionHeader,
} from './entries.ts';
import { isDamaged } from './entry-parse.ts';
import { SessionManager } from './session-manager.ts';
import type { SessionStorage } from './session-storage.ts';

/**
 * Writes the path to `leafId` into an empty storage, with its ids and times, and opens that. The labels
 * that its entries have now come last, since the entries that gave them may stand on other branches.
 * @throws UserError('no-such-entry') for an unknown leaf: nothing is written then
 */
export async function createBranchedSession(
	source: SessionManager,
	leafId: string,
	target: SessionStorage,
	id: string = crypto.randomUUID(),
): Promise<SessionManager> {
	const ids = source.tree.idsTo(leafId);
	if (ids.length === 0)
		throw new UserError('no-such-entry', `There is no entry ${leafId} in this session.`, {
			kept: 'No session was made.',
		});
	const header: SessionHeader = {
		type: 'session',
		version: SESSION_VERSION,
		id,
		timestamp: new Date().toISOString(),
		cwd: source.header.cwd,
		parentSession: source.location,
	};
	const lines = [JSON.stringify(header)];
	const pause = createYielder();
	let parentId: string | null = null;
	for (const id of ids) {
		const entry = source.tree.get(id);
		// Labels are written anew below; a gap has nothing to copy.
		if (!entry || entry.type === 'label' || isDamaged(entry)) continue;
		lines.push(lineFor(source, entry, parentId));
		parentId = id;
		await pause();
	}
	for (const label of labelsOf(source, ids, parentId)) {
		lines.push(JSON.stringify(label));
		parentId = label.id;
	}
	await target.append(lines, true);
	return SessionManager.open(target);
}

/** The line itself where nothing in it changes: what only other tools understand stays byte for byte. */
function lineFor(source: SessionManager, entry: SessionEntry, parentId: string | null): string {
	const isSame = entry.parentId === parentId && source.fileVersion === SESSION_VERSION;
	const line = isSame ? source.tree.lineOf(entry.id) : undefined;
	return line?.trim() ?? JSON.stringify({ ...entry, parentId });
}

function labelsOf(
	source: SessionManager,
	ids: readonly string[],
	parentId: string | null,
): LabelEntry[] {
	const labels = source.labels();
	const entries: LabelEntry[] = [];
	for (const targetId of ids) {
		const label = labels.get(targetId);
		if (label === undefined || source.tree.typeOf(targetId) === 'label') continue;
		const id = crypto.randomUUID().slice(0, 8);
		const timestamp = new Date().toISOString();
		entries.push({ type: 'label', id, parentId, timestamp, targetId, label });
		parentId = id;
	}
	return entries;
}
