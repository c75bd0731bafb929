/** Waiting for what processes do: files that appear, processes that end. */
import { readFile } from 'node:fs/promises';

/** How often it is looked, in ms; the test's own time limit ends the waiting. */
const LOOK_EVERY_MS = 10;

const aMoment = () => new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));

/** Resolves with the content of a file once it has any. */
export async function fileAppears(file: string): Promise<string> {
	for (;;) {
		const content = await readFile(file, 'utf8').catch(() => '');
		if (content) return content;
		await aMoment();
	}
}

/** Resolves once no such process runs; one that only its parent still has to notice has ended. */
export async function processEnds(pid: number): Promise<void> {
	while (await isRunning(pid)) await aMoment();
}

async function isRunning(pid: number): Promise<boolean> {
	try {
		process.kill(pid, 0);
	} catch {
		return false;
	}
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
	return !/^\d+ \(.*\) [ZX]/s.test(stat);
}
