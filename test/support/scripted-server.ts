/**
 * A real HTTP server on the loopback that speaks the OpenAI-compatible protocol from a script.
 * Plain Node, for unit, integration and end-to-end tests and for the demo.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
	steps,
	type HangStep,
	type RawStep,
	type Step,
	type StreamStep,
} from './scripted-steps.ts';

export type { Step } from './scripted-steps.ts';
export { Gate, steps } from './scripted-steps.ts';

export interface RecordedMessage {
	role: string;
	content: unknown;
	[field: string]: unknown;
}

export interface RecordedRequest {
	path: string;
	/** "?…", or nothing. */
	search: string;
	headers: IncomingMessage['headers'];
	/** The parsed body. */
	body: { model?: string; messages: RecordedMessage[]; stream?: boolean; [field: string]: unknown };
	/** Resolves when the exchange is over: "early" where the client hung up before the end. */
	closed: Promise<'finished' | 'early'>;
}

/** A step, or what makes one from the request. */
export type StepSource = Step | ((request: RecordedRequest) => Step | Promise<Step>);

export interface ScriptedServer {
	/** With the /v1. */
	readonly baseUrl: string;
	/** The chat completion requests so far, the oldest first. */
	readonly requests: RecordedRequest[];
	/** The steps of the next requests, one each. */
	enqueue(...sources: StepSource[]): void;
	/** The step of every request that finds the queue empty. */
	setDefault(source: StepSource): void;
	/** What /v1/models lists: names, or whole entries. */
	setModels(models: (string | { id: string; [field: string]: unknown })[]): void;
	/** What GET or POST of another path answers; everything else is 404. */
	setPath(path: string, step: RawStep | HangStep): void;
	/** The paths of the requests so far that asked for something else than a completion. */
	readonly lookups: { path: string; headers: IncomingMessage['headers'] }[];
	/** Resolves with request number `count` (from 1) once it has arrived. */
	waitForRequest(count: number): Promise<RecordedRequest>;
	/** Forgets queue, default and records. */
	reset(): void;
	/** Hangs up on everybody. */
	close(): Promise<void>;
}

const noStep: Step = steps.status(500, {
	error: { message: 'The test scripted no step for this.' },
});

function chunkOf(model: string, fields: object): string {
	const head = { id: 'chatcmpl-scripted', object: 'chat.completion.chunk', created: 0, model };
	return `data: ${JSON.stringify({ ...head, ...fields })}\n\n`;
}

/** Writes and lets the bytes go, so that a later reset does not take them along. */
function write(response: ServerResponse, text: string): Promise<void> {
	return new Promise((resolve) => response.write(text, () => resolve()));
}

async function sendStream(
	response: ServerResponse,
	step: StreamStep,
	model: string,
): Promise<void> {
	const { usage, usageIn = 'ownChunk', finishReason, ending = 'done' } = step;
	response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
	response.flushHeaders();
	for (const delta of step.deltas) {
		await step.gate?.pass();
		if (step.delayMs) await new Promise((resolve) => setTimeout(resolve, step.delayMs));
		if (response.destroyed) return;
		await write(response, chunkOf(model, { choices: [{ index: 0, delta, finish_reason: null }] }));
	}
	if (ending === 'reset') response.destroy();
	if (ending === 'cut') response.end();
	if (ending !== 'done') return;
	const last = { choices: [{ index: 0, delta: {}, finish_reason: finishReason }] };
	if (finishReason !== null)
		await write(response, chunkOf(model, { ...last, ...(usageIn === 'lastChunk' && { usage }) }));
	if (usage && (usageIn === 'ownChunk' || finishReason === null))
		await write(response, chunkOf(model, { choices: [], usage }));
	response.end('data: [DONE]\n\n');
}

/** The same answer in one piece, for requests without `stream: true`. */
function wholeAnswer(step: StreamStep, model: string): RawStep {
	const field = (name: string) =>
		step.deltas.map((delta) => (delta[name] as string | undefined) ?? '').join('');
	const calls = step.deltas.flatMap((delta) => delta['tool_calls'] ?? []);
	const message = {
		role: 'assistant',
		content: field('content'),
		...(calls.length > 0 && { tool_calls: calls }),
	};
	return steps.status(200, {
		id: 'chatcmpl-scripted',
		object: 'chat.completion',
		model,
		choices: [{ index: 0, message, finish_reason: step.finishReason }],
		usage: step.usage,
	});
}

async function send(response: ServerResponse, step: Step, request: RecordedRequest): Promise<void> {
	const model = request.body.model ?? 'scripted';
	if (step.type === 'hang') return;
	if (step.type === 'reset') {
		response.destroy();
		return;
	}
	if (step.type === 'stream' && request.body.stream === true) {
		await sendStream(response, step, model);
		return;
	}
	const raw = step.type === 'stream' ? wholeAnswer(step, model) : step;
	response.writeHead(raw.status, raw.headers);
	response.end(raw.body);
}

async function readBody(request: IncomingMessage): Promise<string> {
	const parts: Buffer[] = [];
	for await (const part of request) parts.push(part as Buffer);
	return Buffer.concat(parts).toString('utf8');
}

function listen(server: Server, port: number): Promise<number> {
	return new Promise((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, '127.0.0.1', () => {
			const address = server.address();
			resolve(typeof address === 'object' && address ? address.port : 0);
		});
	});
}

/**
 * Starts a server on 127.0.0.1.
 * @param options `port`, any free one where absent
 */
export async function startScriptedServer({ port: wanted = 0 } = {}): Promise<ScriptedServer> {
	const requests: RecordedRequest[] = [];
	const queue: StepSource[] = [];
	let fallback: StepSource = noStep;
	let models: (string | { id: string })[] = ['scripted-model'];
	const lookups: ScriptedServer['lookups'] = [];
	const paths = new Map<string, RawStep | HangStep>();
	let arrivals: { count: number; resolve: (request: RecordedRequest) => void }[] = [];

	const record = (request: RecordedRequest) => {
		requests.push(request);
		for (const { count, resolve } of arrivals) if (count === requests.length) resolve(request);
		arrivals = arrivals.filter(({ count }) => count > requests.length);
	};

	const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
		const { pathname: path, search } = new URL(incoming.url ?? '/', 'http://localhost');
		const text = await readBody(incoming);
		const closed = new Promise<'finished' | 'early'>((resolve) => {
			response.once('close', () => resolve(response.writableFinished ? 'finished' : 'early'));
		});
		if (!path.endsWith('/chat/completions')) {
			lookups.push({ path, headers: incoming.headers });
			const entry = { object: 'model', owned_by: 'scripted' };
			const data = models.map((model) =>
				typeof model === 'string' ? { id: model, ...entry } : { ...entry, ...model },
			);
			const list = path === '/v1/models' ? steps.status(200, { object: 'list', data }) : undefined;
			const missing = steps.status(404, { error: { message: `No such path: ${path}` } });
			const step = paths.get(path) ?? list ?? missing;
			if (step.type === 'hang') return;
			response.writeHead(step.status, step.headers);
			response.end(step.body);
			return;
		}
		const body = JSON.parse(text) as RecordedRequest['body'];
		const request = { path, search, headers: incoming.headers, body, closed };
		const source = queue.shift() ?? fallback;
		record(request);
		await send(response, typeof source === 'function' ? await source(request) : source, request);
	};

	const server = createServer((incoming, response) => {
		handle(incoming, response).catch((error: unknown) => response.destroy(error as Error));
	});
	const port = await listen(server, wanted);

	return {
		baseUrl: `http://127.0.0.1:${port}/v1`,
		requests,
		enqueue: (...sources) => void queue.push(...sources),
		setDefault: (source) => void (fallback = source),
		setModels: (listed) => void (models = listed),
		setPath: (path, step) => void paths.set(path, step),
		lookups,
		waitForRequest: (count) => {
			const arrived = requests[count - 1];
			if (arrived) return Promise.resolve(arrived);
			return new Promise((resolve) => arrivals.push({ count, resolve }));
		},
		reset: () => {
			queue.length = 0;
			requests.length = 0;
			lookups.length = 0;
			paths.clear();
			models = ['scripted-model'];
			fallback = noStep;
		},
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}
