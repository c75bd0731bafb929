/** Appends lines to a session file, as another tool would, until its input ends; says each that is written. */
import { closeSync, openSync, writeSync } from 'node:fs';

const [, , file] = process.argv;
let isDone = false;
process.stdin.on('end', () => (isDone = true)).resume();

let parentId = null;
for (let number = 0; !isDone; number++) {
	const id = `x${number}`;
	const message = { role: 'user', content: id, timestamp: 0 };
	const entry = { type: 'message', id, parentId, timestamp: '', message };
	const descriptor = openSync(file, 'a');
	// Now and then there is time between opening and writing.
	const writeAt = performance.now() + (number % 5);
	while (performance.now() < writeAt);
	writeSync(descriptor, `${JSON.stringify(entry)}\n`);
	closeSync(descriptor);
	parentId = id;
	process.stdout.write(`${id}\n`);
	await new Promise((resolve) => setTimeout(resolve, (number * 7) % 60));
}
