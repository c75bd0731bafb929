/** "Open session…" and "Manage sessions…": the list, and what is done with what was chosen there. */
import * as vscode from 'vscode';
import { SessionListing, type SessionRow } from '../../node/session-listing.ts';
import { UserError } from '../../util/errors.ts';
import type { Logger } from '../../util/logger.ts';
import { COMMANDS, VIEWS } from '../command-ids.ts';
import { registerCommand, showError } from '../report-error.ts';
import type { SessionHost } from '../session-host.ts';
import { askForAction, runAction } from './session-actions.ts';
import { pickSession, type PickerMode, type PickerParts } from './session-picker.ts';
import { sessionPlaces } from './session-places.ts';

const ARCHIVE_INSTEAD = 'Archive instead';

/** Registers both commands; they share what is known of the files. */
export function registerSessionCommands(
	context: vscode.ExtensionContext,
	sessions: SessionHost,
	log: Logger,
): void {
	const parts: PickerParts = {
		listing: new SessionListing(),
		places: () => sessionPlaces(context),
		shown: () => sessions.session?.manager.location,
		log,
	};
	registerCommand(context, log, COMMANDS.openSession, () => showList(parts, sessions, 'open'));
	registerCommand(context, log, COMMANDS.manageSessions, () => showList(parts, sessions, 'manage'));
}

/** Shows the list again after each action, where the person was in it, until a session is opened. */
async function showList(
	parts: PickerParts,
	sessions: SessionHost,
	mode: PickerMode,
): Promise<void> {
	let state = { mode, filter: '', active: parts.shown() };
	for (;;) {
		const choice = await pickSession(parts, state);
		if (!choice) return;
		state = { mode: choice.mode, filter: choice.filter, active: choice.row.path };
		const action = choice.action ?? (await askForAction(choice.row));
		try {
			if (action && !(await runAction(sessions, choice.row, action))) {
				if (action === 'open') await vscode.commands.executeCommand(`${VIEWS.chat}.focus`);
				return;
			}
		} catch (error) {
			void offerArchive(error, sessions, choice.row, parts.log);
			if (action === 'open') return;
		}
	}
}

/** Shows an error. Where there is no trash (on most remote machines), archiving is the way to tidy up. */
async function offerArchive(
	error: unknown,
	sessions: SessionHost,
	row: SessionRow,
	log: Logger,
): Promise<void> {
	const canArchive =
		error instanceof UserError && error.reason === 'not-deleted' && !row.folder.archived;
	try {
		if (await showError(error, log, ...(canArchive ? [ARCHIVE_INSTEAD] : [])))
			await runAction(sessions, row, 'archive');
	} catch (failure) {
		void showError(failure, log);
	}
}
