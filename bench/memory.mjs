// Memory of opening one session: peak resident size of a fresh process less that of a bare one.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median } from './measure.mjs';
import { sessionOf } from './sessions.mjs';

const self = fileURLToPath(import.meta.url);

/** A row of the report, in MB. */
export async function memoryRow({ corePath, piUrl, size, rounds }) {
	const file = await sessionOf(size);
	const growth = { espalier: [], pi: [] };
	for (let round = 0; round < rounds; round++)
		for (const who of Object.keys(growth)) {
			const args = [who, who === 'pi' ? piUrl : corePath];
			growth[who].push(peak([...args, file]) - peak(args));
		}
	const [ours, theirs] = [median(growth.espalier), median(growth.pi)];
	const ratio = (theirs / ours).toFixed(1);
	return `| memory growth of opening, ${size.toLocaleString('en')} entries, MB | ${ours.toFixed(0)} | ${theirs.toFixed(0)} | ${ratio} |`;
}

/** Peak resident size in MB of a process that loads a library and, if given, opens a file. */
function peak(args) {
	const { stdout, stderr } = spawnSync(process.execPath, [self, ...args], { encoding: 'utf8' });
	const value = Number(stdout.trim());
	if (!value) throw new Error(stderr);
	return value;
}

if (process.argv[1] === self) {
	const [who, library, file] = process.argv.slice(2);
	const loaded = await import(library);
	let held;
	if (file && who === 'pi') held = loaded.SessionManager.open(file);
	else if (file) {
		const { SessionManager, FileSessionStorage } = loaded.default;
		held = await SessionManager.open(new FileSessionStorage(file));
	}
	console.log(process.resourceUsage().maxRSS / 1024, held ? '' : '');
}
