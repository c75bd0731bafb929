import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { contextTokens } from '../../../src/session/context-tokens.ts';
import { estimateTokens } from '../../../src/session/message-tokens.ts';
import type { AgentMessage } from '../../../src/session/messages.ts';
import { buildRequest } from '../../../src/session/request-builder.ts';
import { soundMessage } from '../../../src/session/sound-message.ts';
import { assistant, toolCall, toolResult } from '../../support/session-builder.ts';

const ROLES = [
	'user',
	'assistant',
	'toolResult',
	'system',
	'custom',
	'bashExecution',
	'compactionSummary',
	'branchSummary',
	'hologram',
];
const FIELDS = ['content', 'command', 'output', 'summary', 'toolCallId', 'toolName', 'stopReason'];

describe('sound messages', () => {
	it('hold no arguments that are nested too deeply to be written (C11)', () => {
		const nested = (levels: number) =>
			JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown;
		for (const levels of [100, 10_000]) {
			const message = assistant('', [toolCall('c', 'x', { a: nested(levels) })]);
			const history = [message, toolResult('c', 'out')];
			assert(contextTokens(history) > 0);
			assert.equal(buildRequest(history).messages.length, 2);
			assert.equal(soundMessage(message) === message, levels === 100);
		}
	});

	it('are never a reason to fail, whatever a file holds (C11)', function () {
		this.timeout(60_000);
		const part = fc.oneof(
			fc.record({
				type: fc.constantFrom('text', 'thinking', 'image', 'toolCall', 'hologram'),
				text: fc.anything(),
				thinking: fc.anything(),
				id: fc.anything(),
				name: fc.anything(),
				arguments: fc.anything(),
				data: fc.anything(),
			}),
			fc.jsonValue(),
		);
		const value = fc.oneof(fc.jsonValue(), fc.array(part));
		const message = fc
			.tuple(fc.constantFrom(...ROLES), fc.dictionary(fc.constantFrom(...FIELDS), value))
			.map(([role, fields]) => ({ ...fields, role }) as unknown as AgentMessage);
		fc.assert(
			fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
				buildRequest(messages);
				assert(contextTokens(messages) >= 0);
				for (const one of messages) assert(estimateTokens(one) >= 0);
			}),
			{ numRuns: 1000 },
		);
	});

	it('come back as they are', () => {
		for (const message of [
			assistant('text', [toolCall('1')]),
			toolResult('1', 'output'),
			{ role: 'user', content: 'hello', timestamp: 0 } as const,
		])
			assert.equal(soundMessage(message), message);
	});

	it('keep what is sound of a damaged one', () => {
		const content = [null, { type: 'text', text: 'kept' }, { type: 'toolCall', id: 'a' }];
		const damaged = { role: 'assistant', content, stopReason: 'stop' } as unknown as AgentMessage;
		assert.deepEqual(soundMessage(damaged), {
			role: 'assistant',
			stopReason: 'stop',
			content: [
				{ type: 'text', text: 'kept' },
				{ type: 'toolCall', id: 'a', name: 'unknown', arguments: {} },
			],
		});
	});
});
