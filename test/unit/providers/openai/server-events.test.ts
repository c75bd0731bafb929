/** Events in any spelling, cut anywhere: held against the SDK's own reader. */
import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { Stream } from 'openai/core/streaming';
import {
	readServerEvents,
	ServerEventDecoder,
	type ServerEvent,
} from '../../../../src/providers/openai/server-events.ts';

/** A response whose body comes in pieces of these many bytes, over and over. */
function responseOf(text: string, sizes: readonly number[]): Response {
	const bytes = new TextEncoder().encode(text);
	const pieces: Uint8Array[] = [];
	for (let at = 0, turn = 0; at < bytes.length; turn++) {
		const size = sizes[turn % sizes.length] ?? bytes.length;
		pieces.push(bytes.slice(at, at + size));
		at += size;
	}
	return new Response(
		new ReadableStream({
			pull(controller) {
				const piece = pieces.shift();
				if (piece) controller.enqueue(piece);
				else controller.close();
			},
		}),
	);
}

async function read(response: Response): Promise<ServerEvent[]> {
	const events: ServerEvent[] = [];
	for await (const some of readServerEvents(response)) events.push(...some);
	return events;
}

async function readBySdk(response: Response): Promise<unknown[]> {
	const values: unknown[] = [];
	for await (const value of Stream.fromSSEResponse<unknown>(response, new AbortController()))
		values.push(value);
	return values;
}

describe("a server's events", () => {
	const value = fc.oneof(
		fc.string({ unit: 'grapheme' }),
		fc.record({ text: fc.string() }, { noNullPrototype: true }),
	);
	const event = fc.record({
		value,
		space: fc.constantFrom('', ' '),
		name: fc.constantFrom('', 'event: message\n', 'event:chunk\n'),
		before: fc.constantFrom('', ': keep-alive\n', ':\n\n', 'id: 7\n', 'retry: 10\nodd\n'),
		spread: fc.boolean(),
	});

	it('are those that the SDK reads, whatever the line ends and the cuts', () =>
		fc.assert(
			fc.asyncProperty(
				fc.array(event, { minLength: 1, maxLength: 6 }),
				fc.constantFrom('\n', '\r\n', '\r'),
				fc.constantFrom('', '\n', '\n\n'),
				fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
				fc.boolean(),
				async (events, lineEnd, ending, sizes, hasMark) => {
					const texts = events.map((each) => {
						const json = JSON.stringify(each.value, undefined, each.spread ? 1 : undefined);
						const data = json.split('\n').map((line) => `data:${each.space}${line}`);
						return `${each.before}${each.name}${data.join('\n')}`;
					});
					const text = (texts.join('\n\n') + ending).replaceAll('\n', lineEnd);
					const found = await read(responseOf((hasMark ? '\uFEFF' : '') + text, sizes));
					assert.deepEqual(
						found.map(({ data }) => JSON.parse(data) as unknown),
						events.map((each) => each.value),
					);
					assert.deepEqual(
						found.map(({ name }) => name),
						events.map(({ name }) => name.replace(/^event: ?|\n$/g, '')),
					);
					assert.deepEqual(
						await readBySdk(responseOf(text, sizes)),
						events.map((each) => each.value),
					);
				},
			),
			{ numRuns: 300 },
		));

	it('need data: a name alone is none', async () => {
		assert.deepEqual(await read(responseOf('event: ping\n\ndata: 1\n\n', [5])), [
			{ name: '', data: '1' },
		]);
	});

	it('come as soon as they are complete, all of one read at once', () => {
		const decoder = new ServerEventDecoder();
		const datas = (text: string) => decoder.add(text).map(({ data }) => data);
		assert.deepEqual(datas('data: 1\n\ndata: 2\n\ndata: 3\n'), ['1', '2']);
		assert.deepEqual(datas('\n'), ['3']);
		assert.deepEqual(datas('data: 4\r\n\r'), []);
		assert.deepEqual(datas('\ndata: 5'), ['4']);
		assert.deepEqual(decoder.end(), [{ name: '', data: '5' }]);
	});

	it('may be large, in many pieces', () => {
		const decoder = new ServerEventDecoder();
		const piece = 'x'.repeat(1_000);
		decoder.add('data: ');
		for (let i = 0; i < 20_000; i++) assert.deepEqual(decoder.add(piece), []);
		assert.equal(decoder.add('\n\n')[0]?.data.length, 20_000_000);
	});

	it('are given up when nobody reads on', async () => {
		let isCancelled = false;
		const response = new Response(
			new ReadableStream<Uint8Array>({
				start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
				cancel: () => void (isCancelled = true),
			}),
		);
		for await (const _ of readServerEvents(response)) break;
		assert(isCancelled);
	});
});
