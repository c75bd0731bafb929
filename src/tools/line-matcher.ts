/** The port through which patterns of models run: a bad one must not hold the thread. */

export interface LineMatcher {
	/**
	 * The indices of the lines that match, in order.
	 * @throws Error where it takes too long; the matcher is of no use from then on
	 */
	matching(lines: readonly string[]): Promise<number[]>;
	close(): void;
}

export interface LineMatchers {
	/** @throws Error where the pattern is no JavaScript regular expression */
	open(pattern: string, flags: string): LineMatcher;
}
