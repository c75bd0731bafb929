/** Forks: one path of a session as a session of its own. The source is only read. */
import { UserError } from '../util/errors.ts';
import { copiedEntry, isGap } from './copied-entries.ts';
import {
	SESSION_VERSION,
	type LabelEntry,
	type SessionEntry,
	type SessionHeader,
} from './entries.ts';
import { writeLines } from './line-batches.ts';
import { SessionManager } from './session-manager.ts';
import type { SessionStorage } from './session-storage.ts';

/**
 * Writes the path to `leafId` into an empty storage, with its ids and times, and opens that. The labels
 * that its entries have now come last, since the entries that gave them may stand on other branches.
 * @param id the new session's
 * @throws UserError('no-such-entry') for an unknown leaf: nothing is written then
 * @throws UserError('unreadable') where the source cannot be read now
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
	await writeLines(target, forkedLines(source, ids, header));
	return SessionManager.open(target);
}

/** @throws UserError('changed-elsewhere') where the source is read anew meanwhile */
function* forkedLines(
	source: SessionManager,
	ids: readonly string[],
	header: SessionHeader,
): Generator<string> {
	const { tree, fileVersion } = source;
	const labels = source.labels();
	yield JSON.stringify(header);
	const copiedIds: string[] = [];
	for (const id of ids) {
		const entry = tree.get(id);
		if (source.tree !== tree || !entry) throw changedMeanwhile(source.location);
		if (staysBehind(entry)) continue;
		const copied = copiedEntry(tree, entry, staysBehind);
		const isSame = copied === entry && fileVersion === SESSION_VERSION;
		// The line itself: what only other tools understand stays byte for byte.
		const line = isSame ? tree.lineOf(id) : undefined;
		yield line?.trim() ?? JSON.stringify(copied);
		copiedIds.push(id);
	}
	for (const label of labelsOf(labels, copiedIds)) yield JSON.stringify(label);
}

/** Labels are written anew, at the end. */
function staysBehind(entry: SessionEntry): boolean {
	return entry.type === 'label' || isGap(entry);
}

function labelsOf(labels: ReadonlyMap<string, string>, ids: readonly string[]): LabelEntry[] {
	let parentId = ids.at(-1) ?? null;
	const entries: LabelEntry[] = [];
	for (const targetId of ids) {
		const label = labels.get(targetId);
		if (label === undefined) continue;
		const id = crypto.randomUUID().slice(0, 8);
		const timestamp = new Date().toISOString();
		entries.push({ type: 'label', id, parentId, timestamp, targetId, label });
		parentId = id;
	}
	return entries;
}

function changedMeanwhile(location: string): UserError {
	return new UserError('changed-elsewhere', `Another program has rewritten ${location}.`, {
		kept: 'No session was made.',
		hint: 'Try again: what stands there now is shown.',
	});
}
