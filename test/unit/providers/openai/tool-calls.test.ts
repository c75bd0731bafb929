/** C17: tool calls as servers really stream them. */
import { strict as assert } from 'node:assert';
import type { ToolCallDelta } from '../../../../src/providers/openai/chunk.ts';
import { createOpenAIModel } from '../../../../src/providers/openai/openai-model.ts';
import { ToolCallAssembly } from '../../../../src/providers/openai/tool-call-assembly.ts';
import { collect } from '../../../support/collect-stream.ts';
import { startScriptedServer, steps } from '../../../support/scripted-server.ts';

const read = { type: 'toolCall', id: 'a', name: 'read', arguments: { path: 'x.ts' } };
const list = { type: 'toolCall', id: 'b', name: 'ls', arguments: { path: 'src' } };

const cases: [string, ToolCallDelta[], object[]][] = [
	[
		'fragments with an index',
		[
			{ index: 0, id: 'a', function: { name: 'read', arguments: '' } },
			{ index: 0, function: { arguments: '{"path":' } },
			{ index: 1, id: 'b', function: { name: 'ls', arguments: '{"path"' } },
			{ index: 0, function: { arguments: '"x.ts"}' } },
			{ index: 1, function: { arguments: ':"src"}' } },
		],
		[read, list],
	],
	[
		'fragments without an index, distinct ids',
		[
			{ id: 'a', function: { name: 'read', arguments: '{"path":' } },
			{ id: 'a', function: { arguments: '"x.ts"}' } },
			{ id: 'b', function: { name: 'ls', arguments: '{"path":"src"}' } },
		],
		[read, list],
	],
	[
		'interleaved ids without an index',
		[
			{ id: 'a', function: { name: 'read', arguments: '{"path":' } },
			{ id: 'b', function: { name: 'ls', arguments: '{"path":' } },
			{ id: 'a', function: { arguments: '"x.ts"}' } },
			{ id: 'b', function: { arguments: '"src"}' } },
		],
		[read, list],
	],
	[
		'continuations without index and id',
		[
			{ id: 'a', function: { name: 'read', arguments: '{"path":' } },
			{ function: { arguments: '"x.ts"}' } },
			{ id: 'b', function: { name: 'ls', arguments: '{"path":' } },
			{ function: { arguments: '"src"}' } },
		],
		[read, list],
	],
	[
		'the same index for every call',
		[
			{ index: 0, id: 'a', function: { name: 'read', arguments: '{"path":"x.ts"}' } },
			{ index: 0, id: 'b', function: { name: 'ls', arguments: '{"path":' } },
			{ index: 0, function: { arguments: '"src"}' } },
		],
		[read, list],
	],
	[
		'a name repeated in each fragment',
		[
			{ index: 0, id: 'a', function: { name: 'read', arguments: '{"path":' } },
			{ index: 0, id: 'a', function: { name: 'read', arguments: '"x.ts"}' } },
		],
		[read],
	],
	[
		'a name in pieces, and null fields',
		[
			{ index: 0, id: 'a', function: { name: 're', arguments: null } },
			{ index: 0, id: null, function: { name: 'ad', arguments: '{"path":"x.ts"}' } },
		],
		[read],
	],
	[
		'arguments as an object',
		[{ id: 'a', function: { name: 'read', arguments: { path: 'x.ts' } } }],
		[read],
	],
	[
		'no ids at all',
		[
			{ function: { name: 'read', arguments: '{"path":"x.ts"}' } },
			{ function: { name: 'ls', arguments: '{"path":"src"}' } },
		],
		[
			{ ...read, id: 'call_1' },
			{ ...list, id: 'call_2' },
		],
	],
	[
		'one id for two indexes',
		[
			{ index: 0, id: 'a', function: { name: 'read', arguments: '{"path":"x.ts"}' } },
			{ index: 1, id: 'a', function: { name: 'ls', arguments: '{"path":"src"}' } },
		],
		[read, { ...list, id: 'a_2' }],
	],
	[
		'no arguments',
		[{ id: 'a', function: { name: 'ls' } }],
		[{ ...read, name: 'ls', arguments: {} }],
	],
	[
		'two objects back to back',
		[{ id: 'a', function: { name: 'read', arguments: '{"path":"x"}{"path":"y"}' } }],
		[{ ...read, arguments: { _raw: '{"path":"x"}{"path":"y"}' } }],
	],
	[
		'a list',
		[{ id: 'a', function: { name: 'read', arguments: '["x"]' } }],
		[{ ...read, arguments: { _raw: '["x"]' } }],
	],
	[
		'JSON that breaks off',
		[{ id: 'a', function: { name: 'read', arguments: '{"path":"x' } }],
		[{ ...read, arguments: { _raw: '{"path":"x' } }],
	],
];

describe('tool calls in a stream (C17)', () => {
	for (const [name, fragments, expected] of cases) {
		it(name, () => {
			const assembly = new ToolCallAssembly();
			for (const fragment of fragments) assembly.add(fragment);
			assert.deepEqual(assembly.finish(), expected);
		});
	}

	it('through the SDK: text, calls and their stop reason', async () => {
		const server = await startScriptedServer();
		try {
			const calls = [
				{ id: 'a', name: 'read', arguments: '{"path":"x.ts"}' },
				{ id: 'b', name: 'ls', arguments: '{"path":"src"}' },
			];
			// A server that finishes with "stop" although it calls.
			server.enqueue(steps.toolCalls(calls), steps.toolCalls(calls, { finishReason: 'stop' }));
			const { baseUrl } = server;
			const model = createOpenAIModel({ baseUrl, model: 'm', contextWindow: 8000 });
			for (let i = 0; i < 2; i++) {
				const { message } = await collect(model);
				assert.deepEqual(message.content, [read, list]);
				assert.equal(message.stopReason, 'toolUse');
			}
		} finally {
			await server.close();
		}
	});
});
