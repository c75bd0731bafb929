/** Texts of the composer that run a command instead of being sent, by one rule for page and host. */

export interface PersonCommand {
	/** Empty where nothing follows the exclamation marks. */
	command: string;
	/** Two exclamation marks: the model is not told. */
	excludeFromContext: boolean;
}

/**
 * The command in a text that begins with "!" or "!!"; undefined for any other text. With a space before
 * it such a text is sent as it is.
 */
export function personCommand(text: string): PersonCommand | undefined {
	if (!text.startsWith('!')) return undefined;
	const excludeFromContext = text.startsWith('!!');
	return { command: text.slice(excludeFromContext ? 2 : 1).trim(), excludeFromContext };
}
