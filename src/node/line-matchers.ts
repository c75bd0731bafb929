/** Runs patterns in a worker thread, which is ended when one takes too long. */
import { Worker } from 'node:worker_threads';
import type { LineMatcher, LineMatchers } from '../tools/line-matcher.ts';

/** The longest time for the lines of one file, in ms. */
const LONGEST_MS = 5_000;

/** All that the worker does; a text, since a file of its own would have to be built and found. */
const WORKER = `
const { parentPort, workerData } = require('node:worker_threads');
const expression = new RegExp(workerData.pattern, workerData.flags);
parentPort.on('message', (lines) => {
	const found = [];
	for (let index = 0; index < lines.length; index++) if (expression.test(lines[index])) found.push(index);
	parentPort.postMessage(found);
});
`;

/** @param longestMs for the lines of one call */
export function workerLineMatchers(longestMs = LONGEST_MS): LineMatchers {
	return {
		open(pattern, flags) {
			try {
				new RegExp(pattern, flags);
			} catch (error) {
				const why = error instanceof Error ? error.message : String(error);
				throw new Error(`The pattern is no regular expression: ${why}`, { cause: error });
			}
			return new WorkerLineMatcher({ pattern, flags }, longestMs);
		},
	};
}

class WorkerLineMatcher implements LineMatcher {
	private readonly worker: Worker;
	private readonly longestMs: number;
	/** Its start takes a while on a busy machine, which is not the pattern's fault. */
	private readonly started: Promise<unknown>;

	constructor(workerData: { pattern: string; flags: string }, longestMs: number) {
		this.worker = new Worker(WORKER, { eval: true, workerData, env: {}, stdin: false });
		this.worker.unref();
		// Each call listens for itself; what comes between two is nobody's.
		this.worker.on('error', () => undefined);
		this.started = new Promise((resolve) =>
			this.worker.once('online', resolve).once('exit', resolve),
		);
		this.longestMs = longestMs;
	}

	async matching(lines: readonly string[]): Promise<number[]> {
		await this.started;
		return new Promise((resolve, reject) => {
			const done = () => {
				clearTimeout(timer);
				this.worker.off('message', onMessage).off('error', onEnd).off('exit', onEnd);
			};
			const onMessage = (found: number[]) => {
				done();
				resolve(found);
			};
			const onEnd = () => {
				done();
				reject(new Error('The search was ended.'));
			};
			const timer = setTimeout(() => {
				done();
				this.close();
				reject(
					new Error(
						'The pattern takes too long on these lines: make it simpler, above all repetitions in repetitions.',
					),
				);
			}, this.longestMs);
			this.worker.on('message', onMessage).on('error', onEnd).on('exit', onEnd);
			this.worker.postMessage(lines);
		});
	}

	close(): void {
		void this.worker.terminate();
	}
}
