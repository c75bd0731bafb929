/** What recorded requests hold: their text, their size, and whether a server could take them. */
import { strict as assert } from 'node:assert';
import { estimateTextTokens } from '../../src/util/tokens.ts';
import type { RecordedMessage, RecordedRequest } from './scripted-server.ts';

interface WireCall {
	id: string;
	function: { name: string; arguments: string };
}

function callsOf(message: RecordedMessage): WireCall[] {
	return (message['tool_calls'] as WireCall[] | undefined) ?? [];
}

/** All text of one message, arguments of calls included. */
export function wireText(message: RecordedMessage): string {
	const content = typeof message.content === 'string' ? message.content : '';
	const parts = Array.isArray(message.content) ? (message.content as { text?: string }[]) : [];
	const calls = callsOf(message).map((call) => `${call.function.name}${call.function.arguments}`);
	return [content, ...parts.map(({ text }) => text ?? ''), ...calls].join('\n');
}

/** Estimated tokens of a request's messages, system prompt included. */
export function wireTokens(request: RecordedRequest): number {
	return request.body.messages.reduce((sum, each) => sum + estimateTextTokens(wireText(each)), 0);
}

/** Tokens that a request asks for: its messages and the answer that it allows. */
export function wireTokensWithAnswer(request: RecordedRequest): number {
	const limit = request.body['max_tokens'] ?? request.body['max_completion_tokens'];
	assert.equal(typeof limit, 'number', 'a summary request bounds its answer');
	return wireTokens(request) + Number(limit);
}

/** Fails where a server would refuse the order of calls and results, or an empty message. */
export function assertPaired(messages: readonly RecordedMessage[]): void {
	let open: string[] = [];
	for (const message of messages) {
		if (message.role === 'tool') {
			const id = String(message['tool_call_id']);
			assert(open.includes(id), `the result ${id} follows no call`);
			open = open.filter((each, place) => place !== open.indexOf(id) || each !== id);
			continue;
		}
		assert.deepEqual(open, [], 'calls are answered before anything else is said');
		open = callsOf(message).map(({ id }) => id);
		for (const call of callsOf(message)) JSON.parse(call.function.arguments);
		assert(open.length > 0 || wireText(message).trim() !== '', 'an empty message was sent');
	}
	assert.deepEqual(open, [], 'the last calls are answered');
}
