/** Pairs tool calls with their results, as every model server demands it. */
import type {
	AssistantMessage,
	LlmMessage,
	ToolCall,
	ToolResultMessage,
} from '../agent/messages.ts';
import type { AgentMessage } from './messages.ts';

/** Messages on their way into a request, each with the session's message that it stands for. */
export interface RequestMessages {
	messages: LlmMessage[];
	/** Undefined for a stand-in. */
	sources: (AgentMessage | undefined)[];
}

/** What stands in for the result of an interrupted call. */
export const NO_RESULT = '(No result was recorded for this tool call: it was interrupted.)';

const NO_CALLS: readonly ToolCall[] = [];

/** The tool calls of an assistant message. */
export function toolCallsOf({ content }: AssistantMessage): readonly ToolCall[] {
	// Most answers hold none, and there may be very many answers.
	for (const part of content)
		if (part.type === 'toolCall') return content.filter((each) => each.type === 'toolCall');
	return NO_CALLS;
}

/** The calls of a message whose results do not simply follow it, and where these were found. */
interface Asked {
	calls: readonly ToolCall[];
	answers: (number | undefined)[];
}

/** What is not in the order that servers want; nearly all of a session is. */
interface Disorder {
	asked: Map<LlmMessage, Asked>;
	/** Places of results that do not stand right behind their call. */
	strays: Set<number>;
	orphans: number[];
}

/**
 * Puts each tool result right behind its call, in the order of the calls. Some servers give every turn's
 * calls the same ids, so a result answers the nearest call before it that has none yet. An unanswered
 * call gets a stand-in result; a result without a call is left out, and told in `orphans`.
 */
export function pairToolCalls(
	given: RequestMessages,
	repairs: string[],
): RequestMessages & { orphans: AgentMessage[] } {
	const { asked, strays, orphans } = disorderOf(given.messages);
	if (asked.size === 0 && strays.size === 0) return { ...given, orphans: [] };
	const paired: RequestMessages = { messages: [], sources: [] };
	const push = (place: number) => {
		const message = given.messages[place];
		if (!message) return;
		paired.messages.push(message);
		paired.sources.push(given.sources[place]);
	};
	for (let place = 0; place < given.messages.length; place++) {
		const message = given.messages[place];
		if (!message || strays.has(place)) continue;
		push(place);
		const found = asked.get(message);
		for (const [index, call] of (found?.calls ?? []).entries()) {
			const answer = found?.answers[index];
			if (answer !== undefined) push(answer);
			else {
				repairs.push(`The interrupted call of "${call.name}" got a stand-in result.`);
				paired.messages.push(standIn(call, message.timestamp));
				paired.sources.push(undefined);
			}
		}
	}
	const lost = orphans.flatMap((place) => given.sources[place] ?? []);
	for (const place of orphans) {
		const message = given.messages[place];
		if (message?.role === 'toolResult')
			repairs.push(`A result of "${message.toolName}" without its call was left out.`);
	}
	return { ...paired, orphans: lost };
}

function disorderOf(messages: readonly LlmMessage[]): Disorder {
	const disorder: Disorder = { asked: new Map(), strays: new Set(), orphans: [] };
	const unanswered = new Map<string, Asked[]>();
	for (let place = 0; place < messages.length; place++) {
		const message = messages[place];
		if (message?.role === 'toolResult') {
			disorder.strays.add(place);
			if (!answer(unanswered.get(message.toolCallId), message.toolCallId, place))
				disorder.orphans.push(place);
		} else if (message?.role === 'assistant') {
			const following = resultsInOrder(messages, place, message);
			if (following >= 0) {
				place += following;
				continue;
			}
			const one = { calls: toolCallsOf(message), answers: [] };
			disorder.asked.set(message, one);
			for (const { id } of one.calls) {
				const list = unanswered.get(id);
				if (!list) unanswered.set(id, [one]);
				else if (list.at(-1) !== one) list.push(one);
			}
		}
	}
	return disorder;
}

/** How many results follow the message at a place, one for each call in order; -1 where it is otherwise. */
function resultsInOrder(
	messages: readonly LlmMessage[],
	place: number,
	{ content }: AssistantMessage,
): number {
	let results = 0;
	for (const part of content) {
		if (part.type !== 'toolCall') continue;
		const result = messages[place + ++results];
		if (result?.role !== 'toolResult' || result.toolCallId !== part.id) return -1;
	}
	return results;
}

/** Gives a result to the newest call of its id that has none. @returns false where there is none */
function answer(list: Asked[] | undefined, id: string, place: number): boolean {
	for (let asked = list?.at(-1); asked; asked = list?.at(-1)) {
		const { calls, answers } = asked;
		const free = calls.findIndex((call, index) => call.id === id && answers[index] === undefined);
		if (free >= 0) {
			answers[free] = place;
			return true;
		}
		// All answered: no later result can be meant for these.
		list?.pop();
	}
	return false;
}

function standIn(call: { id: string; name: string }, timestamp: number): ToolResultMessage {
	return {
		role: 'toolResult',
		toolCallId: call.id,
		toolName: call.name,
		content: [{ type: 'text', text: NO_RESULT }],
		isError: true,
		timestamp,
	};
}
