/** The words for what went wrong: what happened, what was kept, and the buttons that help. */
import type { ActionId, ChatNotice } from '../../protocol/panel.ts';
import { UserError } from '../../util/errors.ts';
import { wholeNumber } from '../../util/whole-number.ts';

/** Buttons that help, by the reason of the error; other reasons can only be tried again. */
const ACTIONS_BY_REASON: Readonly<Record<string, readonly ActionId[]>> = {
	'no-commands': [],
	busy: [],
	'no-model': ['connectModel', 'chooseModel'],
	auth: ['retry', 'chooseModel', 'connectModel'],
	notFound: ['chooseModel', 'connectModel'],
	billing: ['chooseModel', 'retry'],
	connection: ['retry', 'connectModel'],
	timeout: ['retry', 'connectModel'],
	certificate: ['connectModel'],
	overflow: ['compact', 'compactOffline'],
	badRequest: ['chooseModel', 'connectModel'],
	locked: ['retry', 'fork'],
	'changed-elsewhere': ['retry', 'fork'],
};

/** Shown above the composer while no model is connected. */
export const NO_MODEL: ChatNotice = {
	severity: 'info',
	message: 'No model is connected. Summaries are made offline.',
	kept: null,
	hint: null,
	actions: ['connectModel', 'chooseModel'],
};

/** Why a lone "!" is not taken. */
export const NO_COMMAND =
	'Write a command after "!". A text that begins with "!" is sent with a space before it.';

/** A failed turn, as shown below the conversation. */
export function failureNotice(error: UserError): ChatNotice {
	return {
		severity: 'error',
		message: error.message,
		kept: error.kept ?? null,
		hint: error.hint ?? null,
		actions: actionsFor(error),
	};
}

/** A compaction is due, and the settings leave it to the person. */
export function compactionDueNotice(due: { tokens: number; contextWindow: number }): ChatNotice {
	const [tokens, window] = [due.tokens, due.contextWindow].map(wholeNumber);
	return {
		severity: 'info',
		message: `The context is nearly full: ${tokens} of ${window} tokens. A compaction is due.`,
		kept: null,
		hint: null,
		actions: ['compact', 'compactOffline'],
	};
}

/** The buttons that help after an error. */
export function actionsFor(error: unknown): ActionId[] {
	if (!(error instanceof UserError)) return [];
	return [...(ACTIONS_BY_REASON[error.reason] ?? ['retry'])];
}
