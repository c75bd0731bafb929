/**
 * Appends to a session file, or prunes it, under a limit of a file's size; says after each act what
 * became of it.
 */
import { createRequire } from 'node:module';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

const [, , file, act] = process.argv;
const core = createRequire(import.meta.url)(join(process.cwd(), 'dist', 'core.js'));

if (act === 'prune') {
	const session = await core.SessionManager.open(new core.FileSessionStorage(file, { own: true }));
	const settings = { protectTokens: 0, minimumSavings: 1, protectedTools: [] };
	const outcome = await core
		.pruneSession(session, settings)
		.then(() => 'pruned')
		.catch(({ reason }) => reason);
	console.log(outcome, session.isPruned('r1'));
} else {
	const session = core.SessionManager.create(new core.FileSessionStorage(file), { cwd: '/w' });
	for (const characters of [1_000_000, 10, 1_000_000, 10]) {
		const content = 'x'.repeat(characters);
		const outcome = await session
			.appendMessage({ role: 'user', content, timestamp: 0 })
			.then(() => 'stored')
			.catch(({ reason }) => reason);
		console.log(outcome, existsSync(file) ? statSync(file).size : 'no file', session.tree.size);
	}
}
