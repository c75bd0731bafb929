/** Keeps visited positions in the workspace's state. */
import type * as vscode from 'vscode';
import type { VisitedLeavesStore } from '../../session/visited-leaves.ts';

export function workspaceVisitedLeaves(state: vscode.Memento): VisitedLeavesStore {
	const key = (sessionId: string) => `espalier.visitedLeaves.${sessionId}`;
	return {
		load(sessionId) {
			const stored = state.get<unknown>(key(sessionId));
			return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : [];
		},
		save(sessionId, visited) {
			void state.update(key(sessionId), visited);
		},
	};
}
