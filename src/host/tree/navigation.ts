/**
 * Moving in the session tree: asks what to do about the branch that is left, runs the move so that it
 * can be cancelled at any time, and says what went wrong. Nothing changes until the move itself.
 */
import * as vscode from 'vscode';
import type { NavigateOptions } from '../../session/agent-events.ts';
import type { AgentSession } from '../../session/agent-session.ts';
import { isUserMessage } from '../../session/entry-text.ts';
import { previewMove } from '../../session/move-preview.ts';
import type { Row } from '../../session/outline.ts';
import type { VisitedLeaves } from '../../session/visited-leaves.ts';
import { UserError } from '../../util/errors.ts';
import type { Logger } from '../../util/logger.ts';
import { VIEWS } from '../command-ids.ts';
import { reportError, showError } from '../report-error.ts';
import { NAVIGATING_KEY, COMMANDS } from '../command-ids.ts';
import { askForSummary, pickLeaf, pickUserMessage } from './navigation-questions.ts';

/** What moving needs from the host. */
export interface NavigationPorts {
	/** The session shown; undefined where none is open. */
	session(): AgentSession | undefined;
	/** Positions visited in that session. */
	visited(): VisitedLeaves | undefined;
	/** `branchSummary.enabled`: which answer is preselected. */
	summarizeByDefault(): boolean;
	/** Puts text into the chat's composer, and the person in front of it. */
	setEditorText(text: string): void | Promise<void>;
	treeVisible(): boolean;
	log: Logger;
}

/** Failures that a different summarizer does not help against. */
const NOT_THE_SUMMARY = new Set([
	'busy',
	'closed',
	'no-such-entry',
	'leaf-moved',
	'locked',
	'changed-elsewhere',
]);

const USE_OFFLINE = 'Use offline summary';
const WITHOUT_SUMMARY = 'Switch without a summary';

export class TreeNavigation implements vscode.Disposable {
	private readonly ports: NavigationPorts;
	private readonly disposables: vscode.Disposable[];
	private running: AbortController | undefined;

	constructor(ports: NavigationPorts) {
		this.ports = ports;
		const register = vscode.commands.registerCommand;
		this.disposables = [
			register(COMMANDS.switchToBranch, (row?: Row) => this.switchToBranch(row?.entryId)),
			register(COMMANDS.goToEntry, (row?: Row) => this.goToEntry(row?.entryId)),
			register(COMMANDS.editAndResend, (row?: Row) => this.editAndResend(row?.entryId)),
			register(COMMANDS.cancelNavigation, () => this.running?.abort()),
		];
	}

	/** Goes to where the person last was below an entry; asks for a branch where none is given. */
	async switchToBranch(entryId?: string): Promise<void> {
		const session = this.openSession();
		if (!session) return;
		const { manager } = session;
		const below = entryId ?? (await pickLeaf(manager));
		if (below === undefined) return;
		const target = this.ports.visited()?.targetBelow(manager.tree, below);
		await this.move(target ?? manager.tree.newestLeafBelow(below), 'Switch to branch');
	}

	/** Makes exactly this entry the position, whatever follows it. */
	async goToEntry(entryId?: string): Promise<void> {
		const session = this.openSession();
		if (!session) return;
		const target = entryId ?? (await pickLeaf(session.manager));
		if (target !== undefined) await this.move(target, 'Go to this entry');
	}

	/** Goes to before a user message and puts its text into the composer. */
	async editAndResend(entryId?: string): Promise<void> {
		const session = this.openSession();
		if (!session) return;
		const target = entryId ?? (await pickUserMessage(session.manager));
		const entry = target === undefined ? undefined : session.manager.tree.get(target);
		if (entry && isUserMessage(entry)) await this.move(entry.id, 'Edit and resend');
	}

	dispose(): void {
		this.running?.abort();
		for (const disposable of this.disposables) disposable.dispose();
	}

	private openSession(): AgentSession | undefined {
		const session = this.ports.session();
		if (!session) void vscode.window.showInformationMessage('No session is open.');
		return session;
	}

	private async move(targetId: string, title: string): Promise<void> {
		const session = this.ports.session();
		if (!session) return;
		if (targetId === session.manager.leafId) {
			void vscode.window.showInformationMessage('You are there already.');
			return;
		}
		try {
			refuseIfBusy(session);
			const preview = previewMove(session.manager, targetId);
			// Where nothing would be summarized there is nothing to ask.
			const choice =
				preview.messages === 0
					? { summarize: false }
					: await askForSummary(preview, this.ports.summarizeByDefault(), title);
			// Another session may have been opened while the question was on the screen.
			if (!choice || this.ports.session() !== session) return;
			await this.run(session, targetId, {
				summarize: choice.summarize,
				...(choice.focus === undefined
					? {}
					: { customInstructions: choice.focus, replaceInstructions: false }),
			});
		} catch (error) {
			await reportError(error, this.ports.log);
		}
	}

	/** Runs the move; a failed summary may be tried again in another way, as often as it fails. */
	private async run(
		session: AgentSession,
		targetId: string,
		options: NavigateOptions,
	): Promise<void> {
		for (let next: NavigateOptions | undefined = options; next;) {
			try {
				const result = await this.cancellable(next, (signal) =>
					session.navigateTree(targetId, { ...next, signal }),
				);
				if (!result.cancelled && result.editorText !== undefined)
					await this.ports.setEditorText(result.editorText);
				return;
			} catch (error) {
				next = await this.askAfterFailure(error, next);
			}
		}
	}

	private async askAfterFailure(
		error: unknown,
		failed: NavigateOptions,
	): Promise<NavigateOptions | undefined> {
		const summaryFailed =
			failed.summarize === true && error instanceof UserError && !NOT_THE_SUMMARY.has(error.reason);
		if (!summaryFailed) throw error;
		const buttons = failed.summarizer === 'offline' ? [] : [USE_OFFLINE];
		const answer = await showError(error, this.ports.log, ...buttons, WITHOUT_SUMMARY);
		if (answer === USE_OFFLINE) return { ...failed, summarizer: 'offline' };
		return answer === WITHOUT_SUMMARY ? { summarize: false } : undefined;
	}

	/**
	 * Runs a move with progress. The tree shows it with a cancel button in its title and Escape (view
	 * progress has no button of its own); where the tree is hidden a notification does.
	 */
	private async cancellable<T>(
		options: NavigateOptions,
		run: (signal: AbortSignal) => Promise<T>,
	): Promise<T> {
		const controller = new AbortController();
		if (!options.summarize) return run(controller.signal);
		this.running = controller;
		await vscode.commands.executeCommand('setContext', NAVIGATING_KEY, true);
		try {
			return await vscode.window.withProgress(
				{
					location: this.ports.treeVisible()
						? { viewId: VIEWS.tree }
						: vscode.ProgressLocation.Notification,
					title: 'Summarizing the branch that is left…',
					cancellable: true,
				},
				(_progress, token) => {
					token.onCancellationRequested(() => controller.abort());
					return run(controller.signal);
				},
			);
		} finally {
			this.running = undefined;
			await vscode.commands.executeCommand('setContext', NAVIGATING_KEY, false);
		}
	}
}

/**
 * Said before anything is asked: the move itself would be refused.
 * @throws UserError('busy')
 */
export function refuseIfBusy({ activity }: AgentSession): void {
	if (activity === 'idle') return;
	throw new UserError('busy', 'Cannot move to another entry now: the session is busy.', {
		kept: 'Nothing was changed.',
		hint: 'Wait until it is done, or stop it, and try again.',
	});
}
