/** What the unit tests use of delivery.mjs. */
import type { createModelSummarizer } from '../../src/session/compaction/model-summarizer.ts';
import type { Core } from './judge.mjs';
import type { Fact, ScriptedSession } from './scripted.mjs';

export function checkDelivery(
	core: Core & { createModelSummarizer: typeof createModelSummarizer },
	session: ScriptedSession,
): Promise<{ due: number; requests: number; missing: Fact[] }>;
