/** Where the whole output of a pruned entry is, for those who explain a context. */
import type { OriginalPlace } from './explain-context.ts';
import { isPrunedMessage, toolResultOf } from './pruned-message.ts';
import type { SessionManager } from './session-manager.ts';

/** Undefined for an entry that is not pruned. */
export function originalPlace(manager: SessionManager, entryId: string): OriginalPlace | undefined {
	if (!manager.isPruned(entryId)) return undefined;
	if (!manager.originalOf(entryId)) return 'gone';
	const result = toolResultOf(manager.tree.get(entryId));
	return result && isPrunedMessage(result) ? 'sidecar' : 'session';
}
