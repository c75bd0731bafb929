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
				`append 200 messages, ${entries} entries`,
				await sideBySide(appends({ core, pi, file }), rounds),
			),
		);
	}
	return rows;
}

/** Each appends to a copy of its own; only the appending is timed. Ours syncs each line, pi never does. */
function appends({ core, pi, file }) {
	const message = { role: 'user', content: 'x'.repeat(200), timestamp: 1 };
	const timed = (prepare) => async () => {
		const folder = mkdtempSync(path.join(tmpdir(), 'espalier-bench-'));
		try {
			const copy = path.join(folder, 'session.jsonl');
			copyFileSync(file, copy);
			const append = await prepare(copy);
			const began = performance.now();
			for (let i = 0; i < 200; i++) await append(message);
			return performance.now() - began;
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	};
	return {
		espalier: timed(async (copy) => {
			const session = await core.SessionManager.open(new core.FileSessionStorage(copy));
			return (message) => session.appendMessage(message);
		}),
		pi: timed((copy) => {
			const session = pi.SessionManager.open(copy);
			return (message) => session.appendMessage(message);
		}),
	};
}
