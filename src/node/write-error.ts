/** What a person is told when a file could not be written. */
import { UserError } from '../util/errors.ts';

const WRITE_HINTS: Record<string, string> = {
	ENOSPC: 'The disk is full: free some space and try again.',
	EACCES: 'You may not write to it: check its permissions.',
	EPERM: 'You may not write to it: check its permissions.',
	ENOENT: 'It was deleted or moved meanwhile: put it back, or start a new session.',
	EEXIST: 'A file of this name is there already.',
	EROFS: 'It is on a read-only disk: open a copy elsewhere.',
};

export function writeError(error: unknown, path: string): UserError {
	const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
	return new UserError('not-written', `Could not write to ${path} (${code}).`, {
		kept: 'The session is as it was before.',
		hint: WRITE_HINTS[code] ?? 'Try again.',
		cause: error,
	});
}
