/** Writes to session files until it is killed; says of each thing, once it is stored, what it was. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [, , file, act] = process.argv;
const core = createRequire(import.meta.url)(join(process.cwd(), 'dist', 'core.js'));
const session = await core.SessionManager.open(new core.FileSessionStorage(file));
const say = (text) => new Promise((resolve) => process.stdout.write(`${text}\n`, resolve));

await say('begun');
for (let turn = 0; ; turn++) {
	if (act === 'migrate') {
		const copy = `${file}.${process.pid}-${turn}.v3.jsonl`;
		await core.copySession(session, copy, () => Promise.resolve(), file);
		await say(copy);
	} else {
		// From less than a page to many, so that a kill can fall into a write.
		const content = `turn ${turn} ${'häß€😀'.repeat((turn * 7919) % 4_000)}`;
		await say((await session.appendMessage({ role: 'user', content, timestamp: 0 })).id);
	}
}
