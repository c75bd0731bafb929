/** Errors that carry a reason a program can test and a message a person can act on. */

/**
 * An error meant to be shown to a person. `message` says what happened, `kept` what was kept,
 * `hint` what to do next.
 */
export class UserError extends Error {
	readonly reason: string;
	readonly kept: string | undefined;
	readonly hint: string | undefined;

	constructor(
		reason: string,
		message: string,
		options: { kept?: string; hint?: string; cause?: unknown } = {},
	) {
		super(message, { cause: options.cause });
		this.name = 'UserError';
		this.reason = reason;
		this.kept = options.kept;
		this.hint = options.hint;
	}

	/** The whole text for a notification or the terminal. */
	get fullText(): string {
		return [this.message, this.kept, this.hint]
			.filter((part) => part !== undefined && part !== '')
			.map((part) => (/[.!?:…"”]$/.test(part ?? '') ? part : `${part}.`))
			.join(' ');
	}
}

/** The message of anything thrown; other people's code may throw what has none. */
export function errorText(error: unknown): string {
	try {
		if (error instanceof UserError) return error.fullText;
		return String(error instanceof Error ? error.message : error);
	} catch {
		return 'something was thrown that has no text';
	}
}

/** True where an operation ended because its AbortSignal fired. */
export function isAbort(error: unknown): boolean {
	return error instanceof Error && error.name === 'AbortError';
}

/** The error thrown by an operation that its AbortSignal ended. */
export function abortError(what: string): Error {
	const error = new Error(`${what} was cancelled.`);
	error.name = 'AbortError';
	return error;
}
