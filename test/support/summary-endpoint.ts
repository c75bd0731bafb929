/** A real summary endpoint on the loopback, whose answers a test gives by hand. */
import {
	createServer,
	type IncomingHttpHeaders,
	type IncomingMessage,
	type ServerResponse,
} from 'node:http';

export interface EndpointRequest {
	method: string | undefined;
	/** Path and query. */
	path: string | undefined;
	headers: IncomingHttpHeaders;
	/** The parsed body. */
	body: Record<string, unknown>;
	/** Resolves when the exchange is over: "early" where the client hung up before the end. */
	closed: Promise<'finished' | 'early'>;
}

export type EndpointAnswer = (response: ServerResponse) => void;

export interface SummaryEndpoint {
	/** "http://127.0.0.1:port". */
	readonly origin: string;
	readonly requests: EndpointRequest[];
	/** The answers of the next requests, one each; after them the last one stays. */
	answer(...answers: EndpointAnswer[]): void;
	/** Resolves with the next request once it has arrived. */
	nextRequest(): Promise<EndpointRequest>;
	close(): Promise<void>;
}

export const answers = {
	json(value: unknown, status = 200, headers: Record<string, string> = {}): EndpointAnswer {
		return answers.text(JSON.stringify(value), 'application/json', status, headers);
	},
	text(
		body: string,
		type: string,
		status = 200,
		headers: Record<string, string> = {},
	): EndpointAnswer {
		return (response) => response.writeHead(status, { 'content-type': type, ...headers }).end(body);
	},
	/** Takes the request and never answers. */
	silence: (): EndpointAnswer => () => undefined,
	/** Kills the socket, after the beginning of an answer where one is given. */
	hangUp(beginning?: string): EndpointAnswer {
		return (response) => {
			if (beginning === undefined) return response.destroy();
			response.writeHead(200, { 'content-type': 'application/json' });
			return response.write(beginning, () => response.destroy());
		};
	},
	/** Begins an answer and never ends it. */
	stall(beginning: string): EndpointAnswer {
		return (response) =>
			response.writeHead(200, { 'content-type': 'application/json' }).write(beginning);
	},
};

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
	const parts: Buffer[] = [];
	for await (const part of request) parts.push(part as Buffer);
	return JSON.parse(Buffer.concat(parts).toString('utf8')) as Record<string, unknown>;
}

export async function startSummaryEndpoint(): Promise<SummaryEndpoint> {
	const requests: EndpointRequest[] = [];
	let queue: EndpointAnswer[] = [];
	let waiting: ((request: EndpointRequest) => void)[] = [];
	const server = createServer((incoming, response) => {
		const { method, url: path, headers } = incoming;
		const closed = new Promise<'finished' | 'early'>((resolve) => {
			response.once('close', () => resolve(response.writableFinished ? 'finished' : 'early'));
		});
		void bodyOf(incoming).then((body) => {
			const request = { method, path, headers, body, closed };
			requests.push(request);
			const answer = queue.length > 1 ? queue.shift() : queue[0];
			answer?.(response);
			for (const resolve of waiting.splice(0)) resolve(request);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	const port = typeof address === 'object' && address ? address.port : 0;
	return {
		origin: `http://127.0.0.1:${port}`,
		requests,
		answer: (...next) => {
			queue = next;
			waiting = [];
			requests.length = 0;
		},
		nextRequest: () => new Promise((resolve) => waiting.push(resolve)),
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}
