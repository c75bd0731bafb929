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
	/** Calls that no result has answered yet: each is counted with a stand-in. */
	const open = new Map<string, number>();
	let tokens = 0;
	/** Tokens of the last messages that belong together: only these are ever clipped. */
	let group = 0;
	for (const source of messages) {
		const message = toSendable(source);
		if (typeof message === 'string') continue;
		if (message.role === 'toolResult') {
			const calls = open.get(message.toolCallId) ?? 0;
			if (calls === 0) continue;
			if (calls === 1) open.delete(message.toolCallId);
			else open.set(message.toolCallId, calls - 1);
			const size = count.known?.(source) ?? llmMessageTokens(message, count);
			tokens += size - standIn;
			group += size - standIn;
			continue;
		}
		group = count.known?.(source) ?? llmMessageTokens(message, count);
		if (message.role === 'assistant')
			for (const { id } of toolCallsOf(message)) {
				open.set(id, (open.get(id) ?? 0) + 1);
				group += standIn;
			}
		tokens += group;
	}
	return room !== undefined && group > groupLimit(room)
		? requestTokens(buildRequest([...messages], { room, count }), count)
		: tokens;
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
