// Compacts a session five times in a row, each time after new work, as a person's session would be.

/** How often a session is compacted. */
export const COMPACTIONS = 5;
/** Tokens that stay as they are: little, so that nearly all of a session goes through summaries. */
const KEEP_TOKENS = 2_000;
const settings = { reserveTokens: 16_384, keepRecentTokens: KEEP_TOKENS };

/**
 * Cuts the entries into stretches of equal size and compacts after each. A cut lies wherever the
 * size says, inside turns too; only a tool call is not parted from its result. Yields for each
 * compaction its preparation, its result, and the index of the first entry that it kept.
 */
export async function* replay(core, entries, summarizer) {
	const weights = entries.map(({ message }) => (message ? core.estimateTokens(message) : 0));
	const total = weights.reduce((sum, weight) => sum + weight, 0);
	const path = [];
	let compactions = 0;
	let used = 0;
	for (const [index, entry] of entries.entries()) {
		path.push({ ...entry, parentId: path.at(-1)?.id ?? null });
		used += weights[index];
		const isDue = used >= (total * (compactions + 1)) / COMPACTIONS;
		const isLast = index === entries.length - 1;
		if ((!isDue && !isLast) || endsInCall(entry)) continue;
		const preparation = core.prepareCompaction(path, settings);
		if (!preparation) continue;
		const result = await core.compact(preparation, summarizer);
		const kept = entries.findIndex(({ id }) => id === result.firstKeptEntryId);
		compactions++;
		yield { preparation, result, covered: kept };
		const { summary, firstKeptEntryId, tokensBefore, details } = result;
		path.push({
			...{ type: 'compaction', id: `compaction-${compactions}`, parentId: entry.id },
			...{ timestamp: entry.timestamp, summary, firstKeptEntryId, tokensBefore, details },
		});
	}
}

function endsInCall({ message }) {
	return (
		message?.role === 'assistant' &&
		Array.isArray(message.content) &&
		message.content.some(({ type }) => type === 'toolCall')
	);
}
