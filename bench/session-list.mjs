// The session list beside pi's: 3,000 generated files of one folder, the first page and all of them.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { median, row, sideBySide } from './measure.mjs';

const cwd = '/workspace/bench';

/** Rows of the report; nothing is judged. Files hold 5 to 200 KB, as sessions of a day do. */
export async function sessionListRows({ core, pi, rounds, files = 3000 }) {
	const folder = mkdtempSync(path.join(tmpdir(), 'espalier-list-'));
	try {
		writeSessions(folder, files);
		const folders = [{ path: folder, group: 'pi', archived: false, accepts: () => true }];
		const holds = [];
		const list = async (pages) => {
			const hold = watchHolds();
			let count = 0;
			// A listing of its own each time: nothing is known from the round before.
			for await (const page of new core.SessionListing().pages(folders)) {
				count += page.rows.length;
				if (--pages === 0) break;
			}
			holds.push(await hold());
			return count;
		};
		const theirs = async () => void (await pi.SessionManager.list(cwd, folder));
		const measured = async (pages) =>
			sideBySide({ espalier: async () => void (await list(pages)), pi: theirs }, rounds);
		const name = files.toLocaleString('en');
		const first = row(`session list of ${name} files, first page`, await measured(1));
		const all = row(`session list of ${name} files, all pages`, await measured(Infinity));
		const most = Math.max(...holds).toFixed(1);
		return [
			first,
			all,
			`| the same, longest hold of the thread | ${median(holds).toFixed(1)} (most ${most}) | | |`,
		];
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** Measures how long the thread is held at most until the returned function is called, in ms. */
function watchHolds() {
	let longest = 0;
	let last = performance.now();
	let isOn = true;
	const tick = () => {
		const now = performance.now();
		longest = Math.max(longest, now - last);
		last = now;
		if (isOn) setImmediate(tick);
	};
	setImmediate(tick);
	return async () => {
		await new Promise((resolve) => setImmediate(resolve));
		isOn = false;
		return longest;
	};
}

function writeSessions(folder, count) {
	mkdirSync(folder, { recursive: true });
	for (let index = 0; index < count; index++) {
		const file = path.join(folder, `session-${index}.jsonl`);
		const entries = 4 + ((index * 7) % 160);
		writeFileSync(file, lines(index, entries).join('\n') + '\n');
		utimesSync(file, 1.7e9 + index, 1.7e9 + index);
	}
}

function lines(index, entries) {
	const timestamp = new Date(1.7e12 + index * 1000).toISOString();
	const result = [{ type: 'session', version: 3, id: `list-${index}`, timestamp, cwd }];
	for (let entry = 0; entry < entries; entry++) {
		const content = `Entry ${entry} of session ${index}: ${'some words of work '.repeat(60)}`;
		const message = { role: entry % 2 ? 'assistant' : 'user', content, timestamp: 1 };
		const parentId = entry ? `e${entry - 1}` : null;
		result.push({ type: 'message', id: `e${entry}`, parentId, timestamp, message });
	}
	return result.map((line) => JSON.stringify(line));
}
