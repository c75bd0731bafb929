// Measuring side by side: what is compared runs in turns in one process, and medians are compared.

/** Runs each of the named functions once a round, in turns; returns their times in ms. */
export async function sideBySide(contenders, rounds) {
	const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
	for (let round = 0; round < rounds; round++) {
		for (const [name, run] of Object.entries(contenders)) {
			globalThis.gc?.();
			const began = performance.now();
			const own = await run();
			// A contender that sets up first says itself how long the rest took.
			times[name].push(typeof own === 'number' ? own : performance.now() - began);
		}
	}
	return times;
}

export function median(values) {
	return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** A row of the report: ours, the peer's, and how many times ours fits into the peer's. */
export function row(what, times) {
	const [ours, peer] = [times.espalier, times.pi];
	return `| ${what} | ${shown(ours)} | ${shown(peer)} | ${round(median(peer) / median(ours))} |`;
}

/** Times as a report shows them: the median, the least and the most. */
export function shown(times) {
	return `${round(median(times))} (${round(Math.min(...times))}–${round(Math.max(...times))})`;
}

function round(value) {
	if (value < 1) return value.toFixed(3);
	return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
