/** Reads token counts as OpenAI-compatible servers report them. */
import { emptyUsage, type Usage } from '../../agent/messages.ts';
import type { ChunkUsage } from './chunk.ts';

function count(value: number | null | undefined): number {
	return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

/**
 * Token counts of one answer. `prompt_tokens` includes what the cache served, so that share is taken
 * out of `input`; a cached count larger than the whole means that the server counts it separately.
 */
export function toUsage(reported: ChunkUsage | null | undefined): Usage {
	const usage = emptyUsage();
	if (!reported) return usage;
	const prompt = count(reported.prompt_tokens);
	const details = reported.prompt_tokens_details;
	usage.cacheRead = count(details?.cached_tokens ?? reported.prompt_cache_hit_tokens);
	usage.cacheWrite = count(details?.cache_write_tokens);
	const cached = usage.cacheRead + usage.cacheWrite;
	usage.input = cached > prompt ? prompt : prompt - cached;
	usage.output = count(reported.completion_tokens);
	usage.totalTokens = usage.input + cached + usage.output;
	return usage;
}
