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

/** A call and its output, which says what it is; gives the output's id. */
async function appendOutput(toolCallId, length) {
	const call = { type: 'toolCall', id: toolCallId, name: 'bash', arguments: {} };
	const fields = { role: 'assistant', stopReason: 'toolUse', timestamp: 0 };
	await session.appendMessage({ ...fields, content: [call] });
	const text = `${toolCallId}:${length}:${'x'.repeat(length)}`;
	const { id } = await session.appendMessage({
		...{ role: 'toolResult', toolCallId, toolName: 'bash', isError: false, timestamp: 0 },
		content: [{ type: 'text', text }],
	});
	return id;
}

await say('begun');
for (let turn = 0; ; turn++) {
	if (act === 'migrate') {
		const copy = `${file}.${process.pid}-${turn}.v3.jsonl`;
		await core.copySession(session, copy, () => Promise.resolve(), file);
		await say(copy);
	} else if (act === 'prune') {
		// Each time there is a new output to prune; now and then all come back.
		await say(await appendOutput(`${process.pid}-${turn}`, 500 + ((turn * 7919) % 40_000)));
		const settings = { protectTokens: 0, minimumSavings: 1, protectedTools: [] };
		await onceUnlocked(() => core.pruneSession(session, settings));
		if (turn % 4 === 3) await core.unpruneSession(session);
	} else {
		// From less than a page to many, so that a kill can fall into a write.
		const content = `turn ${turn} ${'häß€😀'.repeat((turn * 7919) % 4_000)}`;
		await say((await session.appendMessage({ role: 'user', content, timestamp: 0 })).id);
	}
}
