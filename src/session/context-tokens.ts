/**
 * The one token count that the meter, the trigger, the tree and a compaction's "before" and "after"
 * share: what the request built from these messages takes, without system prompt and tools.
 */
import { estimateTextTokens, type TokenCounter } from '../util/tokens.ts';
import { llmMessageTokens } from './message-tokens.ts';
import type { AgentMessage } from './messages.ts';
import { buildRequest, toSendable, type BuiltRequest } from './request-builder.ts';
import { groupLimit } from './request-clip.ts';
import { NO_RESULT, toolCallsOf } from './tool-call-pairs.ts';

/**
 * Tokens of the request that would be built from these messages: the same number as counting that
 * request, without building it, since a plan of a compaction counts everything there is.
 * @param room tokens that the window leaves for them (see `buildRequest`)
 */
export function contextTokens(
	messages: Iterable<AgentMessage>,
	count: TokenCounter = estimateTextTokens,
	room?: number,
): number {
	const standIn = count(NO_RESULT);
	/** Calls that no result has answered yet, with the groups that they stand in. */
	const open = new Map<string, Group[]>();
	let tokens = 0;
	/** Tokens of the largest messages that belong together: only large ones are ever clipped. */
	let largest = 0;
	for (const source of messages) {
		const message = toSendable(source);
		if (typeof message === 'string') continue;
		const size = count.known?.(source) ?? llmMessageTokens(message, count);
		if (message.role === 'toolResult') {
			const group = open.get(message.toolCallId)?.pop();
			if (!group) continue;
			// It takes the place of the stand-in that its call was counted with.
			tokens += size - standIn;
			group.tokens += size - standIn;
			largest = Math.max(largest, group.tokens);
			continue;
		}
		const calls = message.role === 'assistant' ? toolCallsOf(message) : [];
		const group = { tokens: size + calls.length * standIn };
		for (const { id } of calls) {
			const groups = open.get(id);
			if (groups) groups.push(group);
			else open.set(id, [group]);
		}
		tokens += group.tokens;
		largest = Math.max(largest, group.tokens);
	}
	return room !== undefined && largest > groupLimit(room)
		? requestTokens(buildRequest([...messages], { room, count }), count)
		: tokens;
}

/** Tokens of a message and of what belongs to it. */
interface Group {
	tokens: number;
}

function requestTokens(request: BuiltRequest, count: TokenCounter): number {
	let tokens = 0;
	for (let index = 0; index < request.messages.length; index++)
		tokens += tokensAt(request, index, count);
	return tokens;
}

/** Tokens of one message of a request; what is known of its source holds where all of it is sent. */
export function tokensAt(
	{ messages, sources, clipped }: BuiltRequest,
	index: number,
	count: TokenCounter,
): number {
	const source = sources[index];
	const known = source && !clipped.has(source) ? count.known?.(source) : undefined;
	const message = messages[index];
	return known ?? (message ? llmMessageTokens(message, count) : 0);
}
