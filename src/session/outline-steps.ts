/** The steps of a turn: its entries after the head, tool results below the message that asked for them. */
import type { SessionEntry } from './entries.ts';
import { calledTools } from './entry-text.ts';
import type { SessionTree } from './session-tree.ts';

export interface Step {
	id: string;
	/** Ids of the tool results that answer this step's calls. */
	results: string[];
}

export interface TurnSteps {
	steps: Step[];
	/** Where each entry is: the place of its step, and its place among the results (-1: the step itself). */
	places: Map<string, { step: number; result: number }>;
}

/** Pairs the entries `ids` of one turn (without its head) into steps. */
export function pairSteps(tree: SessionTree, ids: readonly string[]): TurnSteps {
	const steps: Step[] = [];
	const places: TurnSteps['places'] = new Map();
	let asking: Step | undefined;
	let asked = new Set<string>();
	for (const id of ids) {
		const entry = tree.get(id) as SessionEntry;
		const callId = answeredCall(entry);
		if (asking && callId !== undefined && asked.has(callId)) {
			const result = asking.results.push(id) - 1;
			places.set(id, { step: places.get(asking.id)?.step ?? 0, result });
			continue;
		}
		const step: Step = { id, results: [] };
		places.set(id, { step: steps.push(step) - 1, result: -1 });
		const calls = calledTools(entry);
		if (calls.length === 0) continue;
		asking = step;
		asked = new Set(calls.map((call) => call.id));
	}
	return { steps, places };
}

function answeredCall(entry: SessionEntry): string | undefined {
	if (entry.type !== 'message' || entry.message?.role !== 'toolResult') return undefined;
	return entry.message.toolCallId;
}
