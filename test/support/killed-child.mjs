/** Writes to session files until it is killed; says of each thing, once it is stored, what it was. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [, , file, act] = process.argv;
const core = createRequire(import.meta.url)(join(process.cwd(), 'dist', 'core.js'));
const session = await core.SessionManager.open(
	new core.FileSessionStorage(file, { own: act === 'prune' }),
);
const say = (text) => new Promise((resolve) => process.stdout.write(`${text}\n`, resolve));

/** A claim that was killed in the making counts for two seconds. */
async function onceUnlocked(act) {
	for (;;) {
		try {
			return await act();
		} catch (error) {
			if (error.reason !== 'locked') throw error;
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
	}
}

await say('begun');
for (let turn = 0; ; turn++) {
	if (act === 'migrate') {
		const copy = `${file}.${process.pid}-${turn}.v3.jsonl`;
		await core.copySession(session, copy, () => Promise.resolve(), file);
		await say(copy);
	} else if (act === 'prune') {
		// Pruned, brought back, and written to in between, with ever more originals beside it.
		const settings = { protectTokens: 500 * (turn % 8), minimumSavings: 1, protectedTools: [] };
		await onceUnlocked(() =>
			turn % 3 === 2 ? core.unpruneSession(session) : core.pruneSession(session, settings),
		);
		await say((await session.appendMessage({ role: 'user', content: 'on', timestamp: 0 })).id);
	} else {
		// From less than a page to many, so that a kill can fall into a write.
		const content = `turn ${turn} ${'häß€😀'.repeat((turn * 7919) % 4_000)}`;
		await say((await session.appendMessage({ role: 'user', content, timestamp: 0 })).id);
	}
}
