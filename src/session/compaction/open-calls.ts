/** Which tool calls are open on a walk back through messages: their results are met before they are. */
import type { AgentMessage } from '../messages.ts';
import { toolCallsOf } from '../tool-call-pairs.ts';

export class OpenCalls {
	/** Looks ahead on the way back, no further than it takes to find the call of a result. */
	private readonly ahead: Iterator<AgentMessage>;
	private looked = 0;
	private met = 0;
	/** How many calls of an id were looked at that have not been met yet. */
	private readonly coming = new Map<string, number>();
	/** Results met whose call lies further back. */
	private readonly unanswered = new Set<string>();

	/** @param newestFirst what the walk will meet, in that order; a result without its call opens nothing */
	constructor(newestFirst: Iterable<AgentMessage>) {
		this.ahead = newestFirst[Symbol.iterator]();
	}

	/** Takes the next message on the way back. */
	meet(message: AgentMessage): void {
		if (this.looked === this.met) this.look();
		this.met++;
		if (message.role === 'toolResult') {
			if (this.isCalledFurtherBack(message.toolCallId)) this.unanswered.add(message.toolCallId);
		} else if (message.role === 'assistant')
			for (const { id } of toolCallsOf(message)) {
				this.unanswered.delete(id);
				this.coming.set(id, (this.coming.get(id) ?? 0) - 1);
			}
	}

	/** True between a result and its call, where nothing may be parted. */
	get any(): boolean {
		return this.unanswered.size > 0;
	}

	private isCalledFurtherBack(id: string): boolean {
		while ((this.coming.get(id) ?? 0) <= 0) if (!this.look()) return false;
		return true;
	}

	/** @returns false at the beginning of the conversation */
	private look(): boolean {
		const next = this.ahead.next();
		if (next.done) return false;
		this.looked++;
		if (next.value.role === 'assistant')
			for (const { id } of toolCallsOf(next.value))
				this.coming.set(id, (this.coming.get(id) ?? 0) + 1);
		return true;
	}
}
