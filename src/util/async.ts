/** Sharing the thread: long work is cut into slices so that the extension host stays responsive. */

import { abortError } from './errors.ts';

/** The longest slice of work between two yields, in ms; the host must never be blocked for 50. */
const SLICE_MS = 15;

/** Lets timers, input and other tasks run. */
export function nextTask(): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Returns a function to await inside a loop: it yields the thread once a slice is used up. */
export function createYielder(): () => Promise<void> | undefined {
	let sliceEnd = performance.now() + SLICE_MS;
	return () => {
		if (performance.now() < sliceEnd) return undefined;
		return nextTask().then(() => {
			sliceEnd = performance.now() + SLICE_MS;
		});
	};
}

/**
 * Waits for a promise no longer than until the signal fires: what does not listen to signals must not
 * keep others waiting.
 * @throws AbortError when the signal fired first
 */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
	return new Promise((resolve, reject) => {
		const stop = () => reject(abortError('The operation'));
		promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
		if (signal.aborted) stop();
		else signal.addEventListener('abort', stop, { once: true });
	});
}
