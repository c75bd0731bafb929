/** What a path tells about how a model counts tokens: its newest steps with reported usage. */
import type { AssistantMessage } from '../agent/messages.ts';
import { createYielder } from '../util/async.ts';
import { keptContextEntries } from './context.ts';
import type { SessionEntry } from './entries.ts';
import type { AgentMessage } from './messages.ts';
import { prunedAt, reportedUsage } from './reported-usage.ts';
import type { SessionTree } from './session-tree.ts';

/** A model as entries name it. */
export interface ModelName {
	provider: string;
	modelId: string;
}

/** What came between two answers of a model, the first answer included, and what it took. */
export interface Observation {
	messages: AgentMessage[];
	/** Tokens by which the prompt grew. */
	grown: number;
}

/** So many are enough for two weights, and few enough to be read again at each start. */
const MAXIMUM_OBSERVATIONS = 64;
/** A model that is not found in so many entries has nothing to tell about now. */
const MAXIMUM_ENTRIES = 2000;

const TELLING = new Set([
	...['message', 'custom_message', 'branch_summary'],
	...['compaction', 'context_edit', 'reset_boundary'],
]);

interface Answer {
	message: AssistantMessage;
	prompt: number;
}

/**
 * The newest observations on the path to `leafId`, newest first, reading upwards no further than
 * needed, across compactions. A step counts only where nothing else changed the prompt: no compaction,
 * edit, reset or prune, no other model, no failed answer.
 */
export async function readObservations(
	tree: SessionTree,
	leafId: string | null,
	model: ModelName,
): Promise<Observation[]> {
	const found: (Observation & { from: number; to: number })[] = [];
	const prunes: number[] = [];
	let later: Answer | undefined;
	let between: AgentMessage[] = [];
	let read = 0;
	const pause = createYielder();
	for (const entry of tree.upFrom(leafId, (type) => TELLING.has(type))) {
		if (found.length >= MAXIMUM_OBSERVATIONS || ++read > MAXIMUM_ENTRIES) break;
		const message = messageOf(entry);
		if (message?.role === 'assistant') {
			const answer = answerOf(message, model);
			if (answer && later && later.prompt > answer.prompt)
				found.push({
					messages: [message, ...between.reverse()],
					grown: later.prompt - answer.prompt,
					from: message.timestamp,
					to: later.message.timestamp,
				});
			later = answer;
			between = [];
		} else if (message && message.role !== 'system') {
			const pruned = prunedAt(message);
			if (pruned !== undefined) prunes.push(pruned);
			between.push(message);
		} else if (entry.type !== 'branch_summary') later = undefined;
		await pause();
	}
	return found.filter(
		({ from, to, messages }) =>
			!prunes.some((time) => time > from && time <= to) &&
			messages.every((message) => prunedAt(message) === undefined),
	);
}

/** The message that an entry adds to a context; undefined for what changes the context otherwise. */
function messageOf(entry: SessionEntry): AgentMessage | undefined {
	if (entry.type === 'compaction' || entry.type === 'reset_boundary') return undefined;
	return keptContextEntries([entry])[0]?.message;
}

function answerOf(message: AssistantMessage, { provider, modelId }: ModelName): Answer | undefined {
	if (message.provider !== provider || message.model !== modelId) return undefined;
	const usage = reportedUsage(message);
	return usage && { message, prompt: usage.prompt };
}
