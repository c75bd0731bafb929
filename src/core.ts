/** The headless library: sessions, contexts, compaction and branches without VS Code. */
export { createOfflineSummarizer } from './providers/offline/offline-summarizer.ts';
export { createOpenAIModel } from './providers/openai/openai-model.ts';
export { copySession, forkSession } from './node/copy-session.ts';
export { FileSessionStorage } from './node/file-session-storage.ts';
export { sessionFolders } from './node/session-folders.ts';
export { SessionListing } from './node/session-listing.ts';
export { MemorySessionStorage } from './session/session-storage.ts';
export { SessionManager } from './session/session-manager.ts';
export { createBranchedSession } from './session/fork.ts';
export { AgentSession } from './session/agent-session.ts';
export { buildSessionContext } from './session/context.ts';
export { buildRequest } from './session/request-builder.ts';
export { convertToLlm } from './session/messages.ts';
export { contextTokens, estimateTokens } from './session/context-tokens.ts';
export { findCutPoint } from './session/compaction/cut-point.ts';
export { pruneToolOutputs } from './session/compaction/pruning.ts';
export { pruneSession, unpruneSession } from './session/prune-session.ts';
export { compact, prepareCompaction } from './session/compaction/compaction.ts';
export { createModelSummarizer } from './session/compaction/model-summarizer.ts';
export {
	collectEntriesForBranchSummary,
	generateBranchSummary,
	prepareBranchEntries,
} from './session/compaction/branch-summarization.ts';
