/** What a person is told when a session cannot be changed. */
import { UserError } from '../util/errors.ts';

export function noSuchEntry(id: string): UserError {
	return new UserError('no-such-entry', `There is no entry ${id} in this session.`, {
		kept: 'Nothing was changed.',
	});
}

export function changedElsewhere(location: string): UserError {
	return new UserError('changed-elsewhere', `Another program has written to ${location}.`, {
		kept: 'Nothing was written; what it wrote is shown now.',
		hint: 'Try again to go on from there, or fork the session to go on without it.',
	});
}

export function anotherSession(location: string): UserError {
	return new UserError('another-session', `Another session stands in ${location} now.`, {
		kept: 'Nothing was written.',
		hint: 'Open it to see it, or put the session back in its place.',
	});
}

export function oldVersion(location: string, version: number): UserError {
	return new UserError('old-version', `${location} has an older format (version ${version}).`, {
		kept: 'Nothing was written.',
		hint: 'Write it anew as version 3 first.',
	});
}
