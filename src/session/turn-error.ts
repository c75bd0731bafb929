/** What went wrong in a turn, as a person is told it. */
import { ModelError } from '../agent/model.ts';
import { errorText, UserError } from '../util/errors.ts';

export function toUserError(error: unknown): UserError {
	if (error instanceof UserError) return error;
	if (error instanceof ModelError)
		return new UserError(error.reason, error.message, {
			kept: 'Your message is saved in the session.',
			...(error.hint ? { hint: error.hint } : {}),
			cause: error,
		});
	return new UserError('failed', errorText(error), { cause: error });
}
