/** What the unit tests use of judge.mjs. */
import type { compact, prepareCompaction } from '../../src/session/compaction/compaction.ts';
import type { Summarizer } from '../../src/session/compaction/summarizer.ts';
import type { estimateTokens } from '../../src/session/context-tokens.ts';
import type { Fact, ScriptedSession } from './scripted.mjs';

/** The names of the core library that the harness needs. */
export interface Core {
	compact: typeof compact;
	prepareCompaction: typeof prepareCompaction;
	estimateTokens: typeof estimateTokens;
}

interface Share {
	all: number;
	kept: number;
}

export interface Verdict {
	must: Share;
	nice: Share;
	lost: Fact[];
	/** Facts that are none any more, yet told as if they were. */
	stale: Fact[];
	/** Tokens of each summary, file tags apart. */
	tokens: number[];
	filesExact: boolean;
}

export function measure(
	core: Core,
	session: ScriptedSession,
	summarizer: Summarizer,
): Promise<Verdict | undefined>;
