/**
 * Writes the sample session: a long, realistic coding session on sample/workspace, as a version 3
 * session file. Deterministic: the same cwd always gives the same bytes.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { SessionBuilder } from './sample-session/builder.mjs';
import { FileHistory } from './sample-session/file-history.mjs';
import { tellDiscounts } from './sample-session/story-discounts.mjs';
import { tellVat } from './sample-session/story-vat.mjs';
import { tellServer } from './sample-session/story-server.mjs';

/**
 * Writes the session to `file`, folders included, and returns its path. `cwd` is the absolute path of
 * the sample workspace as the session's header names it.
 */
export function writeSampleSession(file, { cwd }) {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, sampleSession(cwd));
	return file;
}

/** The session as JSONL text. */
function sampleSession(cwd) {
	const session = new SessionBuilder(cwd, new FileHistory());
	tellDiscounts(session);
	tellVat(session);
	tellServer(session);
	return session.toJsonl();
}
