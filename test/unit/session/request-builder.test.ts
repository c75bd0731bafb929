import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import type { AgentMessage } from '../../../src/session/messages.ts';
import { buildRequest } from '../../../src/session/request-builder.ts';
import { contextTokens } from '../../../src/session/context-tokens.ts';
import { estimateTokens } from '../../../src/session/message-tokens.ts';
import { assistant, textOfTokens, toolCall, toolResult } from '../../support/session-builder.ts';

const user = (text: string): AgentMessage => ({ role: 'user', content: text, timestamp: 0 });

const bash = (command: string): AgentMessage => ({
	...{ role: 'bashExecution', command, output: 'out', exitCode: 0 },
	...{ cancelled: false, truncated: false, timestamp: 0 },
});

/** What every server demands: each call answered at once, each result right behind its call. */
function assertPaired(messages: readonly AgentMessage[]): void {
	const sent = buildRequest(messages).messages;
	let open: string[] = [];
	for (const message of sent) {
		if (message.role === 'toolResult') {
			assert.equal(message.toolCallId, open.shift());
			continue;
		}
		assert.deepEqual(open, []);
		if (message.role === 'assistant')
			open = message.content.flatMap((part) => (part.type === 'toolCall' ? [part.id] : []));
		assert(message.content.length > 0);
	}
	assert.deepEqual(open, []);
}

describe('request builder', () => {
	it('pairs every call with one result, whatever the messages are (C03)', () => {
		const id = fc.constantFrom('a', 'b', 'c', 'd');
		const message = fc.oneof(
			fc.constantFrom('hello', '', '  ').map(user),
			fc
				.tuple(fc.constantFrom('text', ''), fc.uniqueArray(id, { maxLength: 3 }))
				.map(([text, calls]) =>
					assistant(
						text,
						calls.map((call) => toolCall(call)),
					),
				),
			fc
				.constantFrom('aborted' as const, 'error' as const)
				.map((stopReason) => assistant('partial', [toolCall('a')], { stopReason })),
			id.map((call) => toolResult(call, 'output')),
		);
		fc.assert(fc.property(fc.array(message, { maxLength: 12 }), assertPaired));
	});

	it('is counted without being built, to the same number', () => {
		const id = fc.constantFrom('a', 'b', 'c');
		const tokens = fc.integer({ min: 0, max: 200 });
		const message = fc.oneof(
			tokens.map((size) => user(textOfTokens(size))),
			fc.tuple(tokens, fc.array(id, { maxLength: 3 })).map(([size, calls]) =>
				assistant(
					textOfTokens(size),
					calls.map((call) => toolCall(call)),
				),
			),
			tokens.map((size) => assistant(textOfTokens(size), [], { stopReason: 'aborted' })),
			fc.tuple(id, tokens).map(([call, size]) => toolResult(call, textOfTokens(size))),
		);
		fc.assert(
			fc.property(
				fc.array(message, { maxLength: 14 }),
				fc.option(fc.integer({ min: 100, max: 900 })),
				(messages, option) => {
					const room = option ?? undefined;
					const sent = buildRequest(messages, { room }).messages;
					const expected = sent.reduce((sum, each) => sum + estimateTokens(each), 0);
					assert.equal(contextTokens(messages, undefined, room), expected);
				},
			),
			{ numRuns: 2000 },
		);
	});

	it('moves a result behind its call over what lies between, and names each repair', () => {
		const { messages, repairs } = buildRequest([
			assistant('', [toolCall('a'), toolCall('b')]),
			user('meanwhile'),
			toolResult('a', 'output'),
			toolResult('z', 'orphan'),
		]);
		assert.deepEqual(
			messages.map(({ role }) => role),
			['assistant', 'toolResult', 'toolResult', 'user'],
		);
		assert.equal(repairs.length, 2);
	});

	it('gives each call its own result where turns use the same ids (C17)', () => {
		const turn = (output: string) => [
			assistant('', [toolCall('call_0')]),
			toolResult('call_0', output),
		];
		const { messages, repairs } = buildRequest([...turn('first'), user('and'), ...turn('second')]);
		const results = messages.filter(({ role }) => role === 'toolResult');
		assert.match(JSON.stringify(results), /first.*second/);
		assert.equal(results.length, 2);
		assert.deepEqual(repairs, []);
	});

	it('leaves out turns that failed or were aborted, with their results (C03, C09)', () => {
		const { messages } = buildRequest([
			user('go'),
			assistant('half', [toolCall('a')], { stopReason: 'aborted' }),
			toolResult('a', 'stand-in'),
			assistant('', [], { stopReason: 'error' }),
		]);
		assert.deepEqual(
			messages.map(({ role }) => role),
			['user'],
		);
	});

	it('tolerates content that is not there or not what it should be (C11)', () => {
		const damaged = [
			{ role: 'user', content: null },
			{ role: 'assistant', content: [null, 3, { type: 'hologram' }], stopReason: 'stop' },
			{ role: 'user', content: [{ type: 'text', text: 'fine' }] },
			{ role: 'later', content: 'unknown role' },
		] as unknown as AgentMessage[];
		assert.equal(buildRequest(damaged).messages.length, 1);
	});

	it('clips what stands in lists in the arguments of a newest call, too (C04)', () => {
		const edits = Array.from({ length: 20 }, (_, index) => ({
			oldText: textOfTokens(600),
			newText: textOfTokens(500),
			line: index,
		}));
		const call = toolCall('c', 'edit', { path: 'a.ts', edits });
		const history = [user('go'), assistant('', [call]), toolResult('c', 'ok', 'edit')];
		const room = 7000;
		assert(contextTokens(history, undefined, room) <= room);
		const { messages, clipped } = buildRequest(history, { room });
		assert.deepEqual([...clipped], [history[1]]);
		assert.match(JSON.stringify(messages[1]), /"line":19/);
		assert.equal(call.arguments.edits, edits);
		assert.equal(edits[0]?.oldText.length, 2400);
	});

	it('clips a group that is larger than the window, the largest texts first (C01, C04)', () => {
		const room = 6000;
		const history = [
			user('read them'),
			assistant('', [toolCall('a', 'read', { path: 'x' }), toolCall('b'), toolCall('c')]),
			toolResult('a', textOfTokens(9000)),
			toolResult('b', textOfTokens(5000)),
			toolResult('c', textOfTokens(100)),
		];
		const { messages, clipped } = buildRequest(history, { room });
		const sizes = messages.slice(2).map((message) => estimateTokens(message));
		assert.equal(sizes[2], 100, 'small ones stay whole');
		assert(Math.abs((sizes[0] ?? 0) - (sizes[1] ?? 0)) < 20, 'large ones share what is left');
		assert(contextTokens(history, undefined, room) <= room);
		assert.deepEqual([...clipped], [history[2], history[3]]);
		assert.match(JSON.stringify(messages[2]), /characters cut/);
		assert.equal(buildRequest(history).clipped.size, 0);
		const later = buildRequest([...history, user('and now?')], { room });
		assert.deepEqual(later.messages.slice(0, -1), messages, 'it stays clipped when others follow');
	});

	it('leaves the thinking of a group out first where the group is larger than the window (C04)', () => {
		const thoughtful = assistant('Thought about it.', [toolCall('a')]);
		thoughtful.content.unshift({ type: 'thinking', thinking: textOfTokens(9000) });
		const history = [user('think'), thoughtful, toolResult('a', textOfTokens(3000)), user('x')];
		const { messages, clipped } = buildRequest(history, { room: 6000 });
		assert.deepEqual([...clipped], [thoughtful]);
		assert.equal(JSON.stringify(messages).includes('thinking'), false);
		assert(contextTokens(history, undefined, 6000) <= 6000);
	});

	it('says of each message whether it is sent, and why not', () => {
		const messages = [
			user(' '),
			{ ...bash('ls'), excludeFromContext: true },
			bash('pwd'),
			assistant('half', [], { stopReason: 'aborted' }),
			assistant('broken', [], { stopReason: 'error' }),
			toolResult('z', 'orphan'),
			{ role: 'later' } as unknown as AgentMessage,
			assistant('fine'),
		];
		const { leftOut, sources } = buildRequest(messages);
		assert.deepEqual(
			messages.map((message) => leftOut.get(message) ?? 'sent'),
			['empty', 'command', 'sent', 'aborted', 'error', 'orphan', 'unknown', 'sent'],
		);
		assert.deepEqual(sources, [messages[2], messages[7]]);
	});
});
