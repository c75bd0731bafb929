/**
 * The fetch under the SDK lets nothing but an event stream through, so that a gateway's page never
 * passes for an empty answer.
 */
import { ModelError } from '../../agent/model.ts';
import { excerpt, redact } from '../redact.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { errorBodyStatus, errorBodyText, parseJson, refusal, type Endpoint } from './refusals.ts';

/** Bytes of an unexpected body that are read at most. */
const READ_LIMIT = 4_000_000;

const eventStreamStart = /^\uFEFF?\s*(?:data|event|id|retry)?:/;

function isEventStream(response: Response): boolean {
	return response.headers.get('content-type')?.toLowerCase().includes('event-stream') ?? false;
}

function eventStreamOf(body: ReadableStream | string, response: Response): Response {
	const headers = { 'content-type': 'text/event-stream' };
	return new Response(body, { status: response.status, headers });
}

/** Reads until the beginning of the body tells what it is; the rest comes back as a stream. */
async function peek(response: Response) {
	const body: ReadableStream<Uint8Array> | null = response.body;
	const reader = body?.getReader();
	const decoder = new TextDecoder();
	const chunks: Uint8Array[] = [];
	let start = '';
	let ended = !reader;
	while (reader && !ended && start.trim().length < 8) {
		const { done, value } = await reader.read();
		ended = done;
		if (value) {
			chunks.push(value);
			start += decoder.decode(value, { stream: true });
		}
	}
	const all = async () => {
		let text = start;
		while (reader && !ended && text.length < READ_LIMIT) {
			const { done, value } = await reader.read();
			ended = done;
			text += decoder.decode(value, { stream: !done });
		}
		if (!ended) await reader?.cancel();
		return text;
	};
	const stream = () =>
		new ReadableStream<Uint8Array>({
			async pull(controller) {
				const chunk = chunks.shift();
				if (chunk) return controller.enqueue(chunk);
				const next = ended ? undefined : await reader?.read();
				if (next?.value) controller.enqueue(next.value);
				else controller.close();
			},
			cancel: (reason) => reader?.cancel(reason),
		});
	return { start, all, stream };
}

/** A 200 that does not call itself an event stream: mislabelled, a whole answer, or no answer. */
async function repair(response: Response, endpoint: Endpoint): Promise<Response> {
	const body = await peek(response);
	if (eventStreamStart.test(body.start)) return eventStreamOf(body.stream(), response);
	const text = await body.all();
	const json = parseJson(text);
	if (typeof json === 'object' && json !== null) {
		// A server that ignores `stream: true` sends the whole answer at once.
		if ('choices' in json && Array.isArray(json.choices) && json.choices.length > 0)
			return eventStreamOf(`data: ${JSON.stringify(json)}\n\ndata: [DONE]\n\n`, response);
		if ('error' in json || ('object' in json && json.object === 'error'))
			throw refusal({ status: errorBodyStatus(json), text: errorBodyText(json) }, endpoint);
	}
	const type = response.headers.get('content-type') ?? 'no content type';
	const said = excerpt(redact(text, endpoint.secrets));
	throw new ModelError(
		'badAnswer',
		`The model server at ${endpoint.host} answered ${response.status} with ${excerpt(type, 60)} instead of ` +
			`an event stream: ${said ? `"${said}"` : 'the body is empty.'}`,
		{ status: response.status, hint: 'Is the base URL that of an OpenAI-compatible server?' },
	);
}

/** A fetch for the SDK's streaming requests, bound to one endpoint. */
export function createStreamFetch(endpoint: Endpoint, apiKey: string | undefined): typeof fetch {
	const guardedFetch = createGuardedFetch(endpoint, apiKey);
	return async (input, init) => {
		const response = await guardedFetch(input, init);
		return !response.ok || isEventStream(response) ? response : repair(response, endpoint);
	};
}
