/** The storage port of a session: where its lines are read from and appended to. */

export interface SessionStorage {
	/** Where the session lives, for people: a path. */
	readonly location: string;
	/** The stored lines in order, in batches, without line ends. Nothing where no file exists yet. */
	readLines(): AsyncIterable<string[]>;
	/**
	 * Appends whole lines and resolves once they are on disk. On failure the file is as it was before.
	 * @throws UserError with what happened and what to do
	 */
	append(lines: readonly string[]): Promise<void>;
}

/** A session that lives in memory: for tests and for dry runs. */
export class MemorySessionStorage implements SessionStorage {
	readonly location: string;
	readonly lines: string[];

	constructor(lines: readonly string[] = [], location = '(in memory)') {
		this.lines = [...lines];
		this.location = location;
	}

	async *readLines(): AsyncIterable<string[]> {
		if (this.lines.length > 0) yield this.lines;
	}

	append(lines: readonly string[]): Promise<void> {
		this.lines.push(...lines);
		return Promise.resolve();
	}
}
