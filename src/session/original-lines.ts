/** The port to the original lines of pruned entries, kept beside a session file. Nothing is ever taken out. */

export interface OriginalLine {
	entryId: string;
	/** The line as it stood in the file, byte for byte, without its line end. */
	line: Uint8Array;
}

export interface OriginalLines {
	/** The entries that an original is kept of. @throws UserError where that cannot be read now */
	ids(): Iterable<string>;
	/**
	 * The original kept last of an entry, at once: views ask while they draw.
	 * @throws UserError where it cannot be read now
	 */
	get(entryId: string): Uint8Array | undefined;
	/**
	 * Adds originals, but those that are kept already; resolves once they are on the disk.
	 * @throws UserError where they cannot be written: what was kept before still is
	 */
	keep(originals: readonly OriginalLine[]): Promise<void>;
}
