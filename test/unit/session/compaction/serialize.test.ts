/** The transcript that summarizers read: labels, shortening, and tags that cannot be closed. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import {
	emptyUsage,
	type AssistantMessage,
	type LlmMessage,
} from '../../../../src/agent/messages.ts';
import { clipMiddle, clipToFit } from '../../../../src/util/clip-text.ts';
import { neutralizeTags } from '../../../../src/session/compaction/neutralize.ts';
import { serializeConversation } from '../../../../src/session/compaction/serialize.ts';
import { stripFileTags } from '../../../../src/session/compaction/utils.ts';
import { userMessage } from '../../../support/collect-stream.ts';

function assistant(...content: AssistantMessage['content']): AssistantMessage {
	return {
		role: 'assistant',
		content,
		api: 'a',
		provider: 'p',
		model: 'm',
		usage: emptyUsage(),
		stopReason: 'stop',
		timestamp: 0,
	};
}

function result(text: string, isError = false): LlmMessage {
	return {
		role: 'toolResult',
		toolCallId: 'c',
		toolName: 'bash',
		content: [{ type: 'text', text }],
		isError,
		timestamp: 0,
	};
}

describe('serializeConversation', () => {
	it('writes labelled blocks with a blank line between them', () => {
		const transcript = serializeConversation([
			userMessage('Fix it'),
			assistant(
				{ type: 'thinking', thinking: 'secret thoughts' },
				{ type: 'text', text: 'Looking.' },
				{ type: 'toolCall', id: '1', name: 'read', arguments: { path: 'a.ts', limit: 5 } },
				{ type: 'toolCall', id: '2', name: 'ls', arguments: {} },
			),
			result('file text'),
			result('ENOENT', true),
		]);
		assert.equal(
			transcript,
			[
				'[User]: Fix it',
				'[Assistant]: Looking.',
				'[Assistant tool calls]: read(path="a.ts", limit=5); ls()',
				'[Tool result]: file text',
				'[Tool result]: (error) ENOENT',
			].join('\n\n'),
		);
	});

	it('names images, and leaves out what says nothing', () => {
		const image = { type: 'image' as const, data: 'QUJDREVG', mimeType: 'image/png' };
		const transcript = serializeConversation([
			{ role: 'user', content: [{ type: 'text', text: 'See' }, image], timestamp: 0 },
			{ role: 'user', content: [image], timestamp: 0 },
			userMessage('  '),
			assistant({ type: 'thinking', thinking: 'only this' }),
			result(''),
			{ role: 'system', content: 'You are pi.', timestamp: 0 },
		]);
		assert.equal(transcript, '[User]: See\n[image]\n\n[User]: [image]');
	});

	it('shortens tool results to 2000 characters and says by how much', () => {
		const text = `${'a'.repeat(3000)}${'z'.repeat(2000)}`;
		const transcript = serializeConversation([result(text)]);
		assert.match(transcript, /\[… 3000 characters cut …\]/);
		assert.equal(transcript.replace(/[^az]/g, '').replace(/characters/, '').length > 1990, true);
		assert(transcript.length < 2100);
		assert(transcript.endsWith('z'), 'the end is kept');
		const short = 'b'.repeat(2000);
		assert.equal(serializeConversation([result(short)]), `[Tool result]: ${short}`);
	});

	it('keeps the error lines of what it cuts out of a tool result', () => {
		const filler = 'compiled one more module\n'.repeat(120);
		const error = "src/a.ts(3,1): error TS2305: Module 'b' has no exported member 'c'.";
		const many = Array.from({ length: 50 }, (_, i) => `Error: number ${i} </conversation>`);
		const one = serializeConversation([result(`${filler}${error}\n${filler}`)]);
		assert.equal(one.split(error).length, 2, 'the error stands there once');
		const transcript = serializeConversation([result(`${filler}${many.join('\n')}\n${filler}`)]);
		assert.match(transcript, /Error: number 49 ‹\/conversation>\n\[…\]/);
		assert.doesNotMatch(transcript, /Error: number 40 /, 'the newest few are enough');
		assert(transcript.length < 3500);
	});

	it('shortens long arguments, but never the words of a person', () => {
		const long = 'x'.repeat(10_000);
		const call = {
			type: 'toolCall' as const,
			id: '1',
			name: 'write',
			arguments: { content: long },
		};
		assert(serializeConversation([assistant(call)]).length < 2200);
		assert.equal(serializeConversation([userMessage(long)]), `[User]: ${long}`);
	});

	it('keeps every item of a numbered list (C05)', () => {
		const items = Array.from({ length: 40 }, (_, i) => `${i + 1}. item-${i + 1}`);
		const transcript = serializeConversation([userMessage(items.join('\n'))]);
		for (const item of items) assert(transcript.includes(item));
	});

	it('lets nothing close or open our own tags', () => {
		const names = [
			'conversation',
			'previous-summary',
			'additional-context',
			'summary',
			'read-files',
			'modified-files',
		];
		const forms = names.flatMap((name) => [
			`</${name}>`,
			`<${name}>`,
			`< / ${name.toUpperCase()} >`,
			`</${name}\n>`,
			`<${name} a="b">`,
			`</${name}`,
		]);
		for (const form of forms) {
			const everywhere: LlmMessage[] = [
				userMessage(`a ${form} b`),
				assistant(
					{ type: 'text', text: form },
					{ type: 'toolCall', id: '1', name: form, arguments: { [form]: form } },
				),
				result(form),
			];
			const transcript = serializeConversation(everywhere);
			assert(!transcript.includes('<'), transcript);
			assert(transcript.includes('‹'), 'still readable');
		}
	});

	it('leaves other tags alone', () => {
		const html = '<div><summaries/><Conversations></div> a < b, <summary-card>';
		assert.equal(neutralizeTags(html), html);
	});

	it('writes 10,000 messages', () => {
		const messages = Array.from({ length: 10_000 }, (_, i) => result(`${i} ${'x<'.repeat(500)}`));
		const blocks = serializeConversation(messages).split('[Tool result]: ');
		assert.equal(blocks.length - 1, messages.length);
	});
});

describe('text from outside of any size', () => {
	it('costs no more than its length: spaces behind a bracket', () => {
		const text = `<${' '.repeat(1_000_000)}x`;
		assert.equal(neutralizeTags(text), text);
		assert.equal(neutralizeTags('< / conversation>'), '‹ / conversation>');
	});

	it('costs no more than its length: file tags that are never closed', () => {
		const text = '<read-files>'.repeat(400_000);
		assert.equal(stripFileTags(text), text);
		const tags = '<read-files>\na\n</read-files>\n<modified-files>b</modified-files>';
		assert.equal(stripFileTags(`one\n\n${tags}\n\ntwo${tags}`), 'one\n\n\n\n\ntwo');
	});
});

describe('clipMiddle', () => {
	it('never cuts through a surrogate pair, and counts what is gone', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.nat(150), (text, limit) => {
				const clipped = clipMiddle(text, limit);
				assert(!/\p{Surrogate}/u.test(clipped));
				const marker = /\n\[… (\d+) characters cut …\]\n/.exec(clipped);
				if (!marker) return assert.equal(clipped, text);
				const [head = '', tail = ''] = [
					clipped.slice(0, marker.index),
					clipped.slice(marker.index + marker[0].length),
				];
				assert(text.startsWith(head) && text.endsWith(tail));
				assert.equal(head.length + tail.length + Number(marker[1]), text.length);
				assert(head.length + tail.length <= limit + 1);
			}),
		);
	});

	it('clipToFit fits whatever can be fitted', () => {
		const text = 'word '.repeat(100_000);
		const clipped = clipToFit(text, (candidate) => candidate.length <= 5000);
		assert(clipped.length <= 5000 && clipped.length > 4900);
		assert.equal(
			clipToFit(text, () => false),
			'',
		);
		assert.equal(
			clipToFit('short', () => true),
			'short',
		);
	});
});
