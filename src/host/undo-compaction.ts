/** "Undo compaction": goes back to before it, says so, and offers the way back. Nothing is removed. */
import * as vscode from 'vscode';
import type { AgentSession } from '../session/agent-session.ts';
import { UserError } from '../util/errors.ts';
import type { Logger } from '../util/logger.ts';
import { reportError } from './report-error.ts';
import { refuseIfBusy } from './tree/navigation.ts';
import { counted, grouped } from './tree/row-look.ts';

const REDO = 'Redo';

/** Where an undo came from and went to. */
interface Undone {
	session: AgentSession;
	from: string | null;
	to: string | null;
}

/**
 * Undoes a compaction of the current branch, the newest one where none is named. Resolves when the leaf
 * has moved; the message with "Redo" stays for as long as a person leaves it.
 * @throws UserError where there is no such compaction on the branch, or the session is busy
 */
export async function undoCompaction(
	shown: () => AgentSession | undefined,
	session: AgentSession,
	log: Logger,
	compactionId?: string,
): Promise<void> {
	const { manager } = session;
	const from = manager.leafId;
	const compaction = session.undoCompaction(compactionId);
	const to = manager.leafId;
	const after = manager.tree.idsTo(from).length - manager.tree.idsTo(compaction.id).length;
	const { tokens } = await session.contextUsage();
	const others = after === 0 ? '' : ` and the ${counted(after, 'entry', 'entries')} after it`;
	const text = `Compaction undone: the context has about ${grouped(tokens)} tokens again. The compaction${others} can still be found in the tree.`;
	offerRedo(text, { session, from, to }, shown).catch((error: unknown) => reportError(error, log));
}

async function offerRedo(
	text: string,
	{ session, from, to }: Undone,
	shown: () => AgentSession | undefined,
): Promise<void> {
	if ((await vscode.window.showInformationMessage(text, REDO)) !== REDO) return;
	if (shown() !== session || session.manager.leafId !== to)
		throw new UserError('leaf-moved', 'The session has moved on since the compaction was undone.', {
			kept: 'Nothing was changed; the compaction is still in the tree.',
			hint: 'Choose "Switch to branch…" on it to go there.',
		});
	refuseIfBusy(session);
	session.manager.branch(from);
	void vscode.window.showInformationMessage('The compaction is in force again.');
}
