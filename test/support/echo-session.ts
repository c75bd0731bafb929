/** A session at work in memory, for tests of what surrounds a summary. */
import { AgentSession, type AgentSessionOptions } from '../../src/session/agent-session.ts';
import { SessionManager } from '../../src/session/session-manager.ts';
import { MemorySessionStorage } from '../../src/session/session-storage.ts';
import { EchoSummarizer } from './echo-summarizer.ts';
import { SessionBuilder, textOfTokens } from './session-builder.ts';

/** A session in memory whose summarizer echoes; its window leaves room for about 500 tokens of turns. */
export async function echoSession(
	builder = fiveTurns(),
	options: Partial<AgentSessionOptions> = {},
) {
	const summarizer = new EchoSummarizer();
	const storage = new MemorySessionStorage(builder.lines());
	const session = new AgentSession(await SessionManager.open(storage), {
		model: () => Promise.resolve(undefined),
		offline: summarizer,
		settings: () => ({
			compaction: { reserveTokens: 16_384, keepRecentTokens: 500 },
			branchSummary: { enabled: false, reserveTokens: 16_384 },
			contextWindow: 32_000,
		}),
		...options,
	});
	return { session, summarizer, storage };
}

/** Five turns of about 400 tokens each. */
export function fiveTurns(): SessionBuilder {
	const builder = new SessionBuilder();
	for (let turn = 1; turn <= 5; turn++) {
		builder.user(`Request ${turn}: ${textOfTokens(180)}`, `u${turn}`);
		builder.assistant(`Answer ${turn}: ${textOfTokens(180)}`, `a${turn}`);
	}
	return builder;
}
