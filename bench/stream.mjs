// What our loop costs on top of the SDK: the same streamed answer, read by runTurn and by hand.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { median, shown, sideBySide } from './measure.mjs';

const CHUNKS = 10_000;
/** Turns that warm up what is compared. */
const WARM_UP = 3;

/**
 * A table of its own, since pi has no part in it: the loop's overhead may be below 0, as it reads events
 * itself.
 */
export async function streamTable({ core, rounds }) {
	const script = fileURLToPath(new URL('stream-server.mjs', import.meta.url));
	const server = fork(script, [String(CHUNKS)]);
	try {
		const [baseUrl] = await once(server, 'message');
		const contenders = { espalier: ourLoop(core, baseUrl), sdk: byHand(baseUrl) };
		await sideBySide(contenders, WARM_UP);
		const times = await sideBySide(contenders, rounds);
		const overhead = median(times.espalier) / median(times.sdk) - 1;
		return [
			'| what | Espalier | the SDK by hand | overhead |',
			'| --- | --- | --- | --- |',
			`| an answer of ${CHUNKS.toLocaleString('en')} chunks, as fast as it comes | ${shown(times.espalier)} | ${shown(times.sdk)} | ${(overhead * 100).toFixed(1)} % |`,
		];
	} finally {
		server.disconnect();
	}
}

function ourLoop({ createOpenAIModel, runTurn }, baseUrl) {
	const model = createOpenAIModel({ baseUrl, model: 'bench', contextWindow: 100_000 });
	const messages = [{ role: 'user', content: 'Go on.', timestamp: 0 }];
	return async () => {
		const stored = [];
		let streamed = '';
		const { ended } = await runTurn(
			{
				model,
				tools: [],
				nextRequest: () => Promise.resolve({ messages }),
				append: async (message) => void stored.push(message),
				listener: {
					text: (delta) => void (streamed += delta),
					thinking() {},
					toolStarted() {},
					toolOutput() {},
					toolEnded() {},
				},
			},
			new AbortController().signal,
		);
		check(ended === 'complete' && stored[0].content[0].text === streamed, streamed);
	};
}

function byHand(baseUrl) {
	const client = new OpenAI({ baseURL: baseUrl, apiKey: 'unused' });
	return async () => {
		let streamed = '';
		let usage;
		const stream = await client.chat.completions.create({
			model: 'bench',
			messages: [{ role: 'user', content: 'Go on.' }],
			stream: true,
			stream_options: { include_usage: true },
		});
		for await (const chunk of stream) {
			streamed += chunk.choices[0]?.delta?.content ?? '';
			usage = chunk.usage ?? usage;
		}
		check(usage?.completion_tokens === CHUNKS, streamed);
	};
}

/** What was not read whole was not measured. */
function check(isWhole, streamed) {
	if (!isWhole || !streamed.endsWith(`word${CHUNKS - 3} `))
		throw new Error('The answer is not whole.');
}
