/** Session files for end-to-end tests, each in a folder of its own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { SessionBuilder, textOfTokens } from '../../support/session-builder.ts';

export interface SessionFile {
	path: string;
	/** All bytes, as text. */
	read(): string;
	/** The entries after the header, parsed. */
	entries(): Record<string, unknown>[];
	remove(): void;
}

/** The sample session that `npm start` shows: long enough to compact, with a branch. */
export async function sampleSession(): Promise<SessionFile> {
	const script = pathToFileURL(path.resolve('scripts/sample-session.mjs')).href;
	const { writeSampleSession } = (await import(script)) as {
		writeSampleSession: (file: string, options: { cwd: string }) => void | Promise<void>;
	};
	const file = newFile();
	await writeSampleSession(file.path, { cwd: '/workspace' });
	return file;
}

/** Five short turns, and a second branch after the second; ids are u1, a1, … and side-u, side-a. */
export function smallSession(): SessionFile {
	const session = new SessionBuilder();
	const turn = (name: string, id: string) => {
		session.user(`Question ${name}`, `u${id}`);
		session.assistant(`Answer ${name}. ${textOfTokens(300, 'reason ')}`, `a${id}`);
	};
	turn('one', '1');
	turn('two', '2');
	session.user('A side track', 'side-u');
	session.assistant('Where the side track led.', 'side-a');
	session.leaf = 'a2';
	for (const [name, id] of [
		['three', '3'],
		['four', '4'],
		['five', '5'],
	] as const)
		turn(name, id);
	return sessionFile(session.lines());
}

/** A session file with these lines. */
export function sessionFile(lines: readonly string[]): SessionFile {
	const file = newFile();
	writeFileSync(file.path, `${lines.join('\n')}\n`);
	return file;
}

function newFile(): SessionFile {
	const folder = mkdtempSync(path.join(tmpdir(), 'espalier-session-'));
	const file = path.join(folder, 'session.jsonl');
	const read = () => readFileSync(file, 'utf8');
	return {
		path: file,
		read,
		entries: () =>
			read()
				.trim()
				.split('\n')
				.slice(1)
				.map((line) => JSON.parse(line) as Record<string, unknown>),
		remove: () => rmSync(folder, { recursive: true, force: true }),
	};
}
