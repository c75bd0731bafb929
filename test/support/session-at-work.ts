/** A session at work, for tests: any storage, a scripted server behind the real SDK, and what it told. */
import { createOfflineSummarizer } from '../../src/providers/offline/offline-summarizer.ts';
import { createOpenAIModel } from '../../src/providers/openai/openai-model.ts';
import type { AgentSessionEvent } from '../../src/session/agent-events.ts';
import { AgentSession, type AgentSessionOptions } from '../../src/session/agent-session.ts';
import type { AgentSetup } from '../../src/session/agent-setup.ts';
import type { CompactionMode } from '../../src/session/session-parts.ts';
import { SessionManager, type SavedLeaf } from '../../src/session/session-manager.ts';
import { MemorySessionStorage, type SessionStorage } from '../../src/session/session-storage.ts';
import type { ScriptedServer } from './scripted-server.ts';
import type { SessionBuilder } from './session-builder.ts';

export interface AtWorkOptions {
	/** Whose model is connected; none where absent. */
	server?: ScriptedServer;
	/** Tokens. */
	contextWindow?: number;
	reserveTokens?: number;
	keepRecentTokens?: number;
	/** Whether compactions run by themselves; not where absent. */
	mode?: CompactionMode;
	savedLeaf?: SavedLeaf;
	/** What the agent works with. */
	setup?: AgentSetup;
	/** What else the session is made with. */
	session?: Partial<AgentSessionOptions>;
}

export interface AtWork {
	session: AgentSession;
	manager: SessionManager;
	events: AgentSessionEvent[];
}

/** Opens a session on a storage. */
export async function openAtWork(
	storage: SessionStorage,
	options: AtWorkOptions = {},
): Promise<AtWork> {
	const { server, contextWindow = 32_000, savedLeaf } = options;
	const { reserveTokens = 16_384, keepRecentTokens = 500, mode } = options;
	const manager = await SessionManager.open(storage, savedLeaf);
	const model =
		server && createOpenAIModel({ baseUrl: server.baseUrl, model: 'scripted', contextWindow });
	const session = new AgentSession(manager, {
		model: () => Promise.resolve(model),
		offline: createOfflineSummarizer(),
		settings: () => ({
			compaction: { reserveTokens, keepRecentTokens, ...(mode ? { mode } : {}) },
			branchSummary: { enabled: false, reserveTokens },
			contextWindow,
		}),
		setup: () => Promise.resolve(options.setup ?? {}),
		...options.session,
	});
	const events: AgentSessionEvent[] = [];
	session.events.on((event) => events.push(event));
	return { session, manager, events };
}

/** The same on what a builder holds, in memory. */
export async function openBuilt(
	builder: SessionBuilder,
	options: AtWorkOptions = {},
): Promise<AtWork & { storage: MemorySessionStorage }> {
	const storage = new MemorySessionStorage(builder.lines());
	return { storage, ...(await openAtWork(storage, options)) };
}
