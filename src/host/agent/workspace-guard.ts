/** Keeps what limits automatic compaction in workspace state, by session, so that it survives a reload. */
import type * as vscode from 'vscode';
import type { GuardState, GuardStore } from '../../session/auto-guard.ts';

export function workspaceGuard(memory: vscode.Memento, sessionId: string): GuardStore {
	const key = `autoCompaction:${sessionId}`;
	return {
		load: () => memory.get<GuardState>(key),
		// A state that is not kept limits this window alone.
		save: (state) => void memory.update(key, state).then(undefined, () => undefined),
	};
}
