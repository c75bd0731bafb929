/** Appends to a session file under a limit of its size; says after each act what became of it. */
import { createRequire } from 'node:module';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

const [, , file] = process.argv;
const core = createRequire(import.meta.url)(join(process.cwd(), 'dist', 'core.js'));
const session = core.SessionManager.create(new core.FileSessionStorage(file), { cwd: '/w' });

for (const characters of [1_000_000, 10, 1_000_000, 10]) {
	const content = 'x'.repeat(characters);
	const outcome = await session
		.appendMessage({ role: 'user', content, timestamp: 0 })
		.then(() => 'stored')
		.catch(({ reason }) => reason);
	console.log(outcome, existsSync(file) ? statSync(file).size : 'no file', session.tree.size);
}
