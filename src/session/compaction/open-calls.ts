/** Which tool calls are open on a walk back through messages: their results are met before they are. */
import type { AgentMessage } from '../messages.ts';
import { toolCallsOf } from '../request-builder.ts';

export class OpenCalls {
	private readonly known = new Set<string>();
	/** Results met whose call lies further back. */
	private readonly unanswered = new Set<string>();

	/** @param messages all that the walk will meet; a result whose call is not among them opens nothing */
	constructor(messages: Iterable<AgentMessage>) {
		for (const message of messages)
			if (message.role === 'assistant')
				for (const call of toolCallsOf(message)) this.known.add(call.id);
	}

	/** Takes the next message on the way back. */
	meet(message: AgentMessage): void {
		if (message.role === 'toolResult' && this.known.has(message.toolCallId))
			this.unanswered.add(message.toolCallId);
		else if (message.role === 'assistant')
			for (const call of toolCallsOf(message)) this.unanswered.delete(call.id);
	}

	/** True between a result and its call, where nothing may be parted. */
	get any(): boolean {
		return this.unanswered.size > 0;
	}
}
