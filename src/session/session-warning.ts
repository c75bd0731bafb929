/** Something in the file that was repaired in memory or could not be shown. The file is untouched. */
export interface SessionWarning {
	kind:
		| 'bad-line'
		| 'unknown-type'
		| 'missing-parent'
		| 'cycle'
		| 'duplicate-id'
		| 'unknown-kept'
		/** What is kept of prunes outside the file is damaged: nothing counts as pruned there. */
		| 'damaged-prunes';
	message: string;
	/** 1-based line in the file, where one line is meant. */
	line?: number;
	entryId?: string;
}
