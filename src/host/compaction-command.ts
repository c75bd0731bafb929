/** "Compact session": one path for the palette, the tree's button and rows, and /compact in the chat. */
import * as vscode from 'vscode';
import type { CompactionOutcome, CompactOptions } from '../session/agent-events.ts';
import type { AgentSession } from '../session/agent-session.ts';
import { UserError } from '../util/errors.ts';
import type { Logger } from '../util/logger.ts';
import { withCancellableProgress } from './cancellable.ts';
import { COMMANDS } from './command-ids.ts';
import { reportError, showError } from './report-error.ts';

const USE_OFFLINE = 'Use offline summary';
const CONNECT = 'Connect a model';
const UNDO = 'Undo';

/** Reasons for which another summarizer would fare no better. */
const FINAL_REASONS = new Set([
	'too-small',
	'already-compacted',
	'not-in-context',
	'busy',
	'closed',
	'no-gain',
	'not-written',
	'locked',
	'changed-elsewhere',
]);

/** Compacts under cancellable progress, and says what came of it. */
export async function runCompaction(
	session: AgentSession,
	log: Logger,
	options: Pick<CompactOptions, 'instructions' | 'summarizer' | 'boundaryId'> = {},
): Promise<void> {
	try {
		const outcome = await withCancellableProgress('Compacting the session…', (signal) =>
			session.compact({ ...options, signal }),
		);
		void tellOutcome(outcome);
	} catch (error) {
		if (error instanceof UserError && FINAL_REASONS.has(error.reason))
			return reportError(error, log);
		const choice = await showError(error, log, USE_OFFLINE, CONNECT);
		if (choice === USE_OFFLINE)
			await runCompaction(session, log, { ...options, summarizer: 'offline' });
		else if (choice === CONNECT) await vscode.commands.executeCommand(COMMANDS.connectModel);
	}
}

/** Asks what the summary should focus on; Escape cancels. */
export async function askFocus(): Promise<string | undefined> {
	return vscode.window.showInputBox({
		title: 'Compact session with a focus',
		prompt: 'What should the summary focus on?',
		placeHolder: 'for example: the open questions about the database schema',
		ignoreFocusOut: true,
	});
}

/** Resolves when the message is gone, which may be never. */
async function tellOutcome(outcome: CompactionOutcome): Promise<void> {
	const choice = await vscode.window.showInformationMessage(outcomeText(outcome), UNDO);
	if (choice === UNDO)
		await vscode.commands.executeCommand(COMMANDS.undoCompaction, { entryId: outcome.entry.id });
}

function outcomeText(outcome: CompactionOutcome): string {
	const tokens = (count: number) => count.toLocaleString();
	const by = outcome.summarizer === 'offline' ? 'the offline summarizer' : outcome.summarizer;
	return `Compacted: about ${tokens(outcome.tokensBefore)} → ${tokens(outcome.tokensAfter)} tokens, ${outcome.summarizedMessages} messages summarized by ${by}, ${outcome.keptMessages} kept.`;
}
