/** Tells of questions that nobody sees: a number on the hidden chat, and one notification at a time. */
import * as vscode from 'vscode';
import { errorText } from '../../util/errors.ts';
import type { Logger } from '../../util/logger.ts';
import { VIEWS } from '../command-ids.ts';
import type { ChatView } from '../chat/chat-view.ts';
import { noticeOf } from './approval-rules.ts';
import type { Approvals, Question } from './approvals.ts';

const ALLOW = 'Allow once';
const SHOW = 'Show';

/** Watches until it is disposed. */
export function registerApprovalNotices(
	approvals: Approvals,
	chat: ChatView,
	log: Logger,
): vscode.Disposable {
	const told = new Set<string>();
	/** What the notification on screen asks about. */
	let onScreen: string | undefined;

	const tell = async (question: Question) => {
		const { requestId } = question;
		told.add(requestId);
		onScreen = requestId;
		const { text, isWhole } = noticeOf(question.request);
		const buttons = isWhole && question.grant ? [ALLOW, SHOW] : [SHOW];
		const choice = await vscode.window.showInformationMessage(text, ...buttons);
		if (onScreen === requestId) onScreen = undefined;
		// A notification stays on screen when its question is answered elsewhere, and does nothing then.
		if (choice === ALLOW) approvals.answer(requestId, { allow: 'once' });
		if (choice === SHOW) await vscode.commands.executeCommand(`${VIEWS.chat}.focus`);
		update();
	};
	const update = () => {
		const questions = approvals.pending();
		const waiting = questions.length === 1 ? '1 tool waits' : `${questions.length} tools wait`;
		chat.setBadge(chat.visible ? 0 : questions.length, `${waiting} for your approval`);
		for (const id of told) if (!approvals.question(id)) told.delete(id);
		if (chat.visible || (onScreen !== undefined && approvals.question(onScreen))) return;
		const next = questions.find(({ requestId }) => !told.has(requestId));
		if (next)
			tell(next).catch((error: unknown) => log.error(`A notification failed: ${errorText(error)}`));
	};
	const stops = [approvals.onDidChange.on(update), chat.onDidChangeVisibility.on(update)];
	return { dispose: () => stops.forEach((stop) => stop()) };
}
