/** Writes many lines in portions: together they may be longer than a text can be. */
import { createYielder } from '../util/async.ts';
import type { SessionStorage } from './session-storage.ts';

/** Characters written together. */
const PORTION = 4 << 20;

/** Writes a new file of these lines, giving the thread away between them. */
export async function writeLines(target: SessionStorage, lines: Iterable<string>): Promise<void> {
	const pause = createYielder();
	let portion: string[] = [];
	let length = 0;
	let isNew = true;
	const write = async () => {
		await target.append(portion, isNew);
		isNew = false;
		portion = [];
		length = 0;
	};
	for (const line of lines) {
		portion.push(line);
		length += line.length;
		if (length >= PORTION) await write();
		await pause();
	}
	if (portion.length > 0) await write();
}
