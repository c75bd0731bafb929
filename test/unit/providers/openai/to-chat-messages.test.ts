/** Messages as the Chat Completions API wants them. */
import { strict as assert } from 'node:assert';
import { emptyUsage, type AssistantMessage } from '../../../../src/agent/messages.ts';
import { toChatMessages } from '../../../../src/providers/openai/to-chat-messages.ts';

const image = { type: 'image' as const, data: 'QUJD', mimeType: 'image/png' };
const imageUrl = { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } };
const text = (value: string) => ({ type: 'text' as const, text: value });

function assistant(content: AssistantMessage['content']): AssistantMessage {
	return {
		role: 'assistant',
		content,
		api: 'openai-completions',
		provider: 'p',
		model: 'm',
		usage: emptyUsage(),
		stopReason: 'stop',
		timestamp: 0,
	};
}

function result(toolCallId: string, content: (ReturnType<typeof text> | typeof image)[]) {
	return {
		role: 'toolResult' as const,
		toolCallId,
		toolName: 'read',
		content,
		isError: false,
		timestamp: 0,
	};
}

describe('toChatMessages', () => {
	it('puts the system prompt first and keeps recorded system messages', () => {
		const messages = toChatMessages('ours', [
			{ role: 'system', content: [text('recorded')], timestamp: 0 },
			{ role: 'user', content: 'hi', timestamp: 0 },
		]);
		assert.deepEqual(messages, [
			{ role: 'system', content: 'ours' },
			{ role: 'system', content: 'recorded' },
			{ role: 'user', content: 'hi' },
		]);
	});

	it('sends parts only where there is an image', () => {
		const messages = toChatMessages(undefined, [
			{ role: 'user', content: [text('a'), text(''), text('b')], timestamp: 0 },
			{ role: 'user', content: [text('look'), image], timestamp: 0 },
			{ role: 'user', content: [text('')], timestamp: 0 },
		]);
		assert.deepEqual(messages, [
			{ role: 'user', content: 'a\nb' },
			{ role: 'user', content: [{ type: 'text', text: 'look' }, imageUrl] },
		]);
	});

	it('sends text and calls of the assistant, no thinking and no empty turn', () => {
		const call = { type: 'toolCall' as const, id: 'c1', name: 'read', arguments: { path: 'x' } };
		const sent = {
			id: 'c1',
			type: 'function',
			function: { name: 'read', arguments: '{"path":"x"}' },
		};
		const messages = toChatMessages(undefined, [
			assistant([{ type: 'thinking', thinking: 'hm' }, text('Reading.'), call]),
			assistant([call]),
			assistant([{ type: 'thinking', thinking: 'hm' }]),
			assistant([text('Done.')]),
		]);
		assert.deepEqual(messages, [
			{ role: 'assistant', content: 'Reading.', tool_calls: [sent] },
			{ role: 'assistant', content: null, tool_calls: [sent] },
			{ role: 'assistant', content: 'Done.' },
		]);
	});

	it('keeps a run of results together and shows their images after it', () => {
		const messages = toChatMessages(undefined, [
			result('c1', [image]),
			result('c2', [text('plain')]),
			result('c3', []),
			{ role: 'user', content: 'next', timestamp: 0 },
		]);
		assert.deepEqual(messages, [
			{ role: 'tool', tool_call_id: 'c1', content: '(an image, shown below)' },
			{ role: 'tool', tool_call_id: 'c2', content: 'plain' },
			{ role: 'tool', tool_call_id: 'c3', content: '(no output)' },
			{
				role: 'user',
				content: [{ type: 'text', text: 'Images from the tool results above:' }, imageUrl],
			},
			{ role: 'user', content: 'next' },
		]);
	});
});
