/** Keeps drafts in the workspace's state. */
import type * as vscode from 'vscode';
import type { DraftStore } from './chat-host.ts';

export function workspaceDrafts(state: vscode.Memento): DraftStore {
	const key = (sessionId: string) => `draft:${sessionId}`;
	return {
		get: (sessionId) => state.get<string>(key(sessionId)),
		set: (sessionId, text) => void state.update(key(sessionId), text || undefined),
	};
}
