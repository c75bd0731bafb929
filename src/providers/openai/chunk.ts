/**
 * The parts of a stream chunk that are read, as servers really send them: any field may be missing,
 * and some have more than one form.
 */

/** The text of a field that should be one; some servers number their calls. */
export function asText(value: unknown): string {
	if (typeof value === 'string') return value;
	return typeof value === 'number' ? String(value) : '';
}

export interface ToolCallDelta {
	index?: number | null;
	id?: string | null;
	/** A string by the protocol; some servers send the object itself. */
	function?: { name?: string | null; arguments?: string | object | null } | null;
}

export interface TextPart {
	type?: string;
	text?: string;
	thinking?: string | TextPart[];
}

export interface Delta {
	content?: string | TextPart[] | null;
	refusal?: string | null;
	/** Two names for the same thing. */
	reasoning_content?: string | null;
	reasoning?: string | null;
	tool_calls?: ToolCallDelta[] | null;
}

export interface ChunkUsage {
	prompt_tokens?: number | null;
	completion_tokens?: number | null;
	total_tokens?: number | null;
	prompt_tokens_details?: {
		cached_tokens?: number | null;
		cache_write_tokens?: number | null;
	} | null;
	/** DeepSeek's name for cached tokens. */
	prompt_cache_hit_tokens?: number | null;
}

export interface Choice {
	index?: number;
	delta?: Delta | null;
	/** In place of `delta` where a server sends the whole answer at once. */
	message?: Delta | null;
	finish_reason?: string | null;
	usage?: ChunkUsage | null;
}

export interface Chunk {
	object?: string;
	choices?: Choice[] | null;
	/** With the last choice, or in a chunk of its own without choices. */
	usage?: ChunkUsage | null;
}
