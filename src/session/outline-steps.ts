/** The steps of a turn: its entries after the head, tool results below the message that asked for them. */
import type { SessionEntry } from './entries.ts';
import { calledTools } from './entry-text.ts';

export interface Step {
	id: string;
	/** Ids of the tool results that answer this step's calls. */
	results: string[];
}

/** Steps are added in order, so that a turn that grows, or is very long, is paired bit by bit. */
export class TurnSteps {
	readonly steps: Step[] = [];
	/** Where each entry is: the place of its step, and its place among the results (-1: the step itself). */
	readonly places = new Map<string, { step: number; result: number }>();
	private asking: Step | undefined;
	private asked = new Set<string>();

	/** Adds the next entry of the turn. */
	add(entry: SessionEntry): void {
		const { id } = entry;
		const callId = answeredCall(entry);
		if (this.asking && callId !== undefined && this.asked.has(callId)) {
			const result = this.asking.results.push(id) - 1;
			this.places.set(id, { step: this.places.get(this.asking.id)?.step ?? 0, result });
			return;
		}
		const step: Step = { id, results: [] };
		this.places.set(id, { step: this.steps.push(step) - 1, result: -1 });
		const calls = calledTools(entry);
		if (calls.length === 0) return;
		this.asking = step;
		this.asked = new Set(calls.map((call) => call.id));
	}
}

function answeredCall(entry: SessionEntry): string | undefined {
	if (entry.type !== 'message' || entry.message?.role !== 'toolResult') return undefined;
	return entry.message.toolCallId;
}
