/** What the chat needs of the rest of the extension. */
import type { ActionId, ChatNotice } from '../../protocol/panel.ts';
import type { AgentSession } from '../../session/agent-session.ts';
import type { Approvals } from '../agent/approvals.ts';
import type { Unsubscribe } from '../../util/emitter.ts';

/** The part of an AgentSession that the chat uses. */
export type ChatSession = Pick<
	AgentSession,
	| 'manager'
	| 'events'
	| 'toolEvents'
	| 'activity'
	| 'queued'
	| 'editQueued'
	| 'removeQueued'
	| 'prompt'
	| 'runCommand'
	| 'abort'
	| 'abortCompaction'
	| 'contextUsage'
>;

/** The questions before tools act. */
export interface ChatApprovals extends Pick<Approvals, 'pending' | 'answer'> {
	/** Fires when a question comes or goes. */
	onDidChange(listener: () => void): Unsubscribe;
	/** Shows what a waiting call would change. */
	showChange(requestId: string): void;
}

export interface ChatHost {
	readonly approvals: ChatApprovals;
	/** The session on show; undefined where none is open. */
	readonly session: ChatSession | undefined;
	/** The session's title, for people. */
	readonly title: string;
	/** The connected model's name; undefined where none is connected. */
	modelLabel(): string | undefined;
	/** Something a person should know about the session as it stands (a damaged file, …). */
	notice(): ChatNotice | undefined;
	/** Fires when the session on show, its title, the model or the notice has changed. */
	onDidChange(listener: () => void): Unsubscribe;
	/** Runs what a button asks for. `argument` is what was typed after a slash command. */
	runAction(id: ActionId, argument?: string): void;
	/** Shows all of an entry, in an editor. */
	showEntry(id: string): void;
}

/** Keeps drafts over a reload of the window, by session; undefined where none was kept. */
export interface DraftStore {
	get(sessionId: string): string | undefined;
	/** An empty text forgets the draft. */
	set(sessionId: string, text: string): void;
}
