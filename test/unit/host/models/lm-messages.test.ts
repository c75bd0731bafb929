/** Messages for the Language Model API: two roles, no system message, calls and results in pairs. */
import assert from 'node:assert/strict';
import { toLmMessages } from '../../../../src/host/models/lm-messages.ts';
import type { LlmMessage } from '../../../../src/agent/messages.ts';
import { assistant, toolCall, toolResult } from '../../../support/session-builder.ts';

const user = (content: Extract<LlmMessage, { role: 'user' }>['content']): LlmMessage => ({
	role: 'user',
	content,
	timestamp: 1,
});
const image = { type: 'image' as const, mimeType: 'image/png', data: 'AQID' };
const text = (value: string) => ({ type: 'text' as const, text: value });

describe('messages for VS Code’s models', () => {
	it('begin with the instructions, marked, in the first user message', () => {
		const [first, ...rest] = toLmMessages('Be brief.', [user('Hi'), assistant('Hello')], false);
		assert.deepEqual(first, {
			role: 'user',
			parts: [text('<instructions>\nBe brief.\n</instructions>\n\n'), text('Hi')],
		});
		assert.deepEqual(rest, [{ role: 'assistant', parts: [text('Hello')] }]);
	});

	it('have instructions of their own where the first is not the user’s', () => {
		const messages = toLmMessages('Be brief.', [assistant('Hello')], false);
		assert.deepEqual(
			messages.map(({ role }) => role),
			['user', 'assistant'],
		);
		assert.equal(toLmMessages('Only this.', [], false).length, 1);
		assert.deepEqual(toLmMessages(undefined, [], false), []);
	});

	it('hold images where the model takes them, else a note', () => {
		const messages = [user([text('Look: '), image])];
		assert.deepEqual(toLmMessages(undefined, messages, true)[0]?.parts, [
			text('Look: '),
			{ type: 'image', mimeType: 'image/png', data: Buffer.from([1, 2, 3]) },
		]);
		assert.match(JSON.stringify(toLmMessages(undefined, messages, false)), /cannot be shown/);
	});

	it('keep calls and results together, and the results of one answer in one message', () => {
		const calling: LlmMessage = {
			...assistant(''),
			content: [
				{ type: 'thinking', thinking: 'hm' },
				text(''),
				toolCall('c1', 'read', { path: 'a' }),
				toolCall('c2'),
			],
		};
		const failed = { ...toolResult('c2', 'no such file'), isError: true };
		const empty = { ...toolResult('c3', ''), content: [image] };
		const messages = [user('Go'), calling, toolResult('c1', 'A'), failed, empty, user('Next')];
		assert.deepEqual(toLmMessages(undefined, messages, true), [
			{ role: 'user', parts: [text('Go')] },
			{
				role: 'assistant',
				parts: [
					{ type: 'call', callId: 'c1', name: 'read', input: { path: 'a' } },
					{ type: 'call', callId: 'c2', name: 'read', input: {} },
				],
			},
			{
				role: 'user',
				parts: [
					{ type: 'result', callId: 'c1', text: 'A' },
					{ type: 'result', callId: 'c2', text: '(The tool call failed.)\nno such file' },
					{ type: 'result', callId: 'c3', text: '(an image, shown below)' },
					{ type: 'image', mimeType: 'image/png', data: Buffer.from([1, 2, 3]) },
				],
			},
			{ role: 'user', parts: [text('Next')] },
		]);
	});

	it('leave out what is empty', () => {
		const thinkingOnly: LlmMessage = {
			...assistant(''),
			content: [{ type: 'thinking', thinking: 'hm' }],
		};
		assert.deepEqual(toLmMessages(undefined, [user(''), thinkingOnly, user([])], true), []);
	});
});
