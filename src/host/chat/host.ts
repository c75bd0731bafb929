/** The chat's port to the rest of the extension, over the parts of the host. */
import * as vscode from 'vscode';
import type { ActionId } from '../../protocol/panel.ts';
import { sessionTitle } from '../../session/session-title.ts';
import { Emitter } from '../../util/emitter.ts';
import type { Logger } from '../../util/logger.ts';
import type { Approvals } from '../agent/approvals.ts';
import type { ProposalDocuments } from '../agent/proposal-documents.ts';
import { COMMANDS } from '../command-ids.ts';
import { runCompaction } from '../compaction-command.ts';
import type { ActiveModel } from '../models/active-model.ts';
import { showError } from '../report-error.ts';
import type { SessionHost } from '../session-host.ts';
import type { HostSettings } from '../settings.ts';
import type { ChatHost } from './chat-host.ts';

/** Buttons that only run a command. */
const ACTION_COMMANDS: Partial<Record<ActionId, string>> = {
	chooseModel: COMMANDS.chooseModel,
	connectModel: COMMANDS.connectModel,
	newSession: COMMANDS.newSession,
	openSession: COMMANDS.openSession,
	fork: COMMANDS.forkSession,
};

export interface ChatHostParts {
	sessions: SessionHost;
	settings: HostSettings;
	active: ActiveModel;
	approvals: Approvals;
	proposals: ProposalDocuments;
	log: Logger;
}

export function createChatHost({
	sessions,
	settings,
	active,
	approvals,
	proposals,
	log,
}: ChatHostParts): ChatHost {
	const changes = new Emitter<void>((error) => log.error(String(error)));
	sessions.onDidChangeSession.on(() => changes.emit());
	settings.onDidChange.on(() => changes.emit());
	active.onDidChange.on(() => changes.emit());

	const runAction = async (id: ActionId, argument?: string): Promise<void> => {
		const command = ACTION_COMMANDS[id];
		const { session } = sessions;
		if (command) await vscode.commands.executeCommand(command);
		else if (session && id === 'retry') await session.continue();
		else if (session)
			await runCompaction(session, log, {
				...(argument ? { instructions: argument } : {}),
				...(id === 'compactOffline' ? { summarizer: 'offline' } : {}),
			});
	};

	return {
		approvals: {
			pending: (sessionId) => approvals.pending(sessionId),
			answer: (requestId, decision) => approvals.answer(requestId, decision),
			onDidChange: approvals.onDidChange.on,
			showChange: (requestId) => {
				proposals.show(requestId).catch((error: unknown) => showError(error, log));
			},
		},
		get session() {
			return sessions.session;
		},
		get title() {
			return sessions.session ? sessionTitle(sessions.session.manager) : 'No session';
		},
		modelLabel: () => active.label,
		notice: () => active.notice,
		onDidChange: (listener) => changes.on(listener),
		runAction: (id, argument) => {
			runAction(id, argument).catch((error: unknown) => showError(error, log));
		},
		showEntry: (id) => void vscode.commands.executeCommand(COMMANDS.showEntry, id),
	};
}
