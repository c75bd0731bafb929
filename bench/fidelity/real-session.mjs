// A session file for the benchmark, with the facts that stand beside it: name.jsonl, name.facts.json.
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { holdsAll } from './judge.mjs';

/**
 * Reads a copy of the file: opening one of an older version would rewrite it. The facts are a list of
 * `{ kind, keys, must, from, until }`; `from` and `until` are entry ids, and without `from` a fact is
 * stated where its keys first stand.
 */
export async function realSession(core, file) {
	const folder = mkdtempSync(path.join(tmpdir(), 'espalier-fidelity-'));
	try {
		const copy = path.join(folder, 'session.jsonl');
		copyFileSync(file, copy);
		const session = await core.SessionManager.open(new core.FileSessionStorage(copy));
		const entries = session.getBranch().filter(({ type }) => type !== 'compaction');
		const factsFile = file.replace(/\.jsonl$/, '.facts.json');
		const listed = existsSync(factsFile) ? JSON.parse(readFileSync(factsFile, 'utf8')) : [];
		const facts = listed.map((fact) => placed(fact, entries));
		return {
			name: path.basename(file),
			entries,
			facts,
			fileCalls: calls(entries),
		};
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function placed({ kind, keys, must = true, from, until }, entries) {
	const at = (id) => entries.findIndex((entry) => entry.id === id);
	const stated = from
		? at(from)
		: entries.findIndex(({ message }) => message && holdsAll(JSON.stringify(message), keys));
	if (stated < 0) throw new Error(`The session does not state the fact ${keys.join(', ')}.`);
	return { kind, keys, isMust: must, from: stated, until: until ? at(until) : undefined };
}

function calls(entries) {
	return entries.flatMap(({ message }, entry) =>
		message?.role === 'assistant' && Array.isArray(message.content)
			? message.content
					.filter(({ type, arguments: args }) => type === 'toolCall' && args?.path)
					.map(({ name, arguments: args }) => ({ name, path: args.path, entry }))
			: [],
	);
}
