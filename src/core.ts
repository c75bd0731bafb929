/** The headless library: sessions, contexts, compaction and branches without VS Code. */
export { createOfflineSummarizer } from './providers/offline/offline-summarizer.ts';
export { createOpenAIModel } from './providers/openai/openai-model.ts';
export { runTurn } from './agent/turn.ts';
export { createRemoteModel } from './providers/remote/remote-model.ts';
export { copySession, forkSession } from './node/copy-session.ts';
export { FileSessionStorage } from './node/file-session-storage.ts';
export { ProcessCommandRunner } from './node/command-runner.ts';
export { workerLineMatchers } from './node/line-matchers.ts';
export { FolderFiles } from './node/workspace-files.ts';
export { loadO200k } from './node/o200k-file.ts';
export { sessionFolders } from './node/session-folders.ts';
export { SessionListing } from './node/session-listing.ts';
export { WorkerTokenizer } from './node/worker-tokenizer.ts';
export { MemorySessionStorage } from './session/session-storage.ts';
export { SessionManager } from './session/session-manager.ts';
export { createBranchedSession } from './session/fork.ts';
export { AgentSession } from './session/agent-session.ts';
export { buildSystemPrompt } from './session/system-prompt.ts';
export { workspaceTools } from './tools/workspace-tools.ts';
export { explainContext } from './session/explain-context.ts';
export { HookRegistry } from './extensibility/hooks/registry.ts';
export { buildSessionContext } from './session/context.ts';
export { buildRequest } from './session/request-builder.ts';
export { convertToLlm } from './session/messages.ts';
export { contextTokens } from './session/context-tokens.ts';
export { estimateTokens } from './session/message-tokens.ts';
export { calibrate, calibrated, stepOf } from './session/calibration.ts';
export { readContextUsage } from './session/context-usage.ts';
export { measureMessage } from './session/message-measure.ts';
export { readObservations } from './session/observations.ts';
export { TokenCounts } from './session/token-counts.ts';
export { estimateTextTokens } from './util/tokens.ts';
export { findCutPoint } from './session/compaction/cut-point.ts';
export { pruneToolOutputs } from './session/compaction/pruning.ts';
export { pruneSession, unpruneSession } from './session/prune-session.ts';
export { compact, prepareCompaction } from './session/compaction/compaction.ts';
export { serializeConversation } from './session/compaction/serialize.ts';
export { tryCandidates, withFailures } from './session/compaction/candidates.ts';
export { createModelSummarizer } from './session/compaction/model-summarizer.ts';
export {
	collectEntriesForBranchSummary,
	generateBranchSummary,
	prepareBranchEntries,
} from './session/compaction/branch-summarization.ts';
