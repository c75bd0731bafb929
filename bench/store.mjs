// The session store beside pi's: opening, contexts, walking, appending.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { row, sideBySide } from './measure.mjs';
import { sessionOf } from './sessions.mjs';

/** Rows of the report for sessions of these sizes. */
export async function storeRows({ core, pi, sizes, rounds }) {
	const rows = [];
	for (const size of sizes) {
		const file = await sessionOf(size);
		const open = () => core.SessionManager.open(new core.FileSessionStorage(file));
		const entries = size.toLocaleString('en');
		rows.push(
			row(
				`open, ${entries} entries`,
				await sideBySide({ espalier: open, pi: () => void pi.SessionManager.open(file) }, rounds),
			),
			row(
				`open and build the context, ${entries} entries`,
				await sideBySide(
					{
						espalier: async () => void (await open()).context(),
						pi: () => void pi.SessionManager.open(file).buildSessionContext(),
					},
					rounds,
				),
			),
		);
		const ours = await open();
		const theirs = pi.SessionManager.open(file);
		rows.push(
			row(
				`ids from the root to the leaf, ${entries} entries`,
				await sideBySide(
					{ espalier: () => void ours.tree.idsTo(ours.leafId), pi: () => void theirs.getBranch() },
					rounds,
				),
			),
			row(
				`append a message, handed to the system, ${entries} entries`,
				await sideBySide(appends({ core, pi, file, durability: 'written' }), rounds),
			),
			row(
				`append a message, on the disk (pi never syncs), ${entries} entries`,
				await sideBySide(appends({ core, pi, file, durability: 'synced' }), rounds),
			),
			row(
				`append a compaction, ${entries} entries`,
				await sideBySide(compactions({ core, pi, file }), rounds),
			),
		);
	}
	return rows;
}

const APPENDS = 1000;

/** Each appends to a copy of its own; the time is that of one message. */
function appends({ core, pi, file, durability }) {
	const message = { role: 'user', content: 'x'.repeat(200), timestamp: 1 };
	return onCopies({ core, pi, file, durability, times: APPENDS }, (session) =>
		session.appendMessage(message),
	);
}

/** Nobody syncs here: the work around the write is what grows with the session, or does not. */
function compactions({ core, pi, file }) {
	const kept = (session) => session.getBranch().at(-1).id;
	return {
		espalier: onCopies(
			{ core, pi, file, durability: 'written', times: 1, prepare: kept },
			(session, firstKeptEntryId) =>
				session.appendCompaction({
					...{ summary: 'summary', firstKeptEntryId, tokensBefore: 1, fromExtension: false },
				}),
		).espalier,
		pi: onCopies({ core, pi, file, times: 1, prepare: kept }, (session, firstKeptEntryId) =>
			session.appendCompaction('summary', firstKeptEntryId, 1),
		).pi,
	};
}

/** Opens a copy of the session, and times only what is done `times` times with it; in ms for one. */
function onCopies({ core, pi, file, durability, times, prepare = () => undefined }, act) {
	const timed = (open) => async () => {
		const folder = mkdtempSync(path.join(tmpdir(), 'espalier-bench-'));
		try {
			const copy = path.join(folder, 'session.jsonl');
			copyFileSync(file, copy);
			const session = await open(copy);
			const prepared = prepare(session);
			const began = performance.now();
			for (let i = 0; i < times; i++) await act(session, prepared);
			return (performance.now() - began) / times;
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	};
	return {
		espalier: timed((copy) =>
			core.SessionManager.open(new core.FileSessionStorage(copy, { durability })),
		),
		pi: timed((copy) => pi.SessionManager.open(copy)),
	};
}
