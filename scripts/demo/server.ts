/**
 * The demo model: an OpenAI-compatible server on the loopback that answers from a script. It looks at
 * nothing but the request, so that the same request always gets the same answer.
 */
import {
	startScriptedServer,
	steps,
	type RecordedRequest,
	type Step,
} from '../../test/support/scripted-server.ts';
import { estimateTextTokens } from '../../src/util/tokens.ts';
import {
	callId,
	isSummaryRequest,
	placeIn,
	promptTokens,
	saidLast,
	summaryIn,
	toolNames,
	type Place,
	type Reply,
} from './request.ts';
import { summarize } from './summary.ts';
import { replyAt, walkOf, walks } from './walks.ts';

/** The model's name: wherever a name is shown, it says what it is. */
export const DEMO_MODEL = 'scripted demo, not a language model';
/** Tokens of its window: small, so that it is full after a few prompts. */
export const DEMO_WINDOW = 8_000;
/** What to try, in this order. */
export const DEMO_PROMPTS: readonly string[] = walks.map(({ prompt }) => prompt);

/** Between two words, in ms: fast to read, and slow enough to be seen coming. */
const PACE_MS = 12;

export interface DemoServer {
	/** With the /v1. */
	readonly baseUrl: string;
	readonly port: number;
	/** Hangs up on everybody. */
	close(): Promise<void>;
}

/**
 * Starts the demo model.
 * @param options `port`, any free one where absent; `paceMs`, the pause before each word
 * @throws Error where the port is taken (EADDRINUSE)
 */
export async function startDemoServer({
	port = 0,
	paceMs = PACE_MS,
}: { port?: number; paceMs?: number } = {}): Promise<DemoServer> {
	const server = await startScriptedServer({ port });
	server.setModels([{ id: DEMO_MODEL, context_length: DEMO_WINDOW }]);
	server.setDefault(({ body }) => stepFor(body, paceMs));
	return {
		baseUrl: server.baseUrl,
		port: Number(new URL(server.baseUrl).port),
		close: () => server.close(),
	};
}

function stepFor(body: RecordedRequest['body'], paceMs: number): Step {
	const read = promptTokens(body);
	if (read > DEMO_WINDOW)
		return steps.status(400, {
			error: {
				message: `This model's maximum context length is ${DEMO_WINDOW} tokens. However, your messages resulted in ${read} tokens.`,
				type: 'invalid_request_error',
				code: 'context_length_exceeded',
			},
		});
	const { reply, place } = isSummaryRequest(body)
		? { reply: { text: summarize(body) }, place: { walk: 'summary', step: 0 } }
		: replyTo(body);
	const deltas = deltasOf(reply, (index) => callId(body, place, index));
	const written = estimateTextTokens(JSON.stringify(reply));
	return steps.deltas(deltas, {
		finishReason: reply.calls ? 'tool_calls' : 'stop',
		usage: { prompt_tokens: read, completion_tokens: written, total_tokens: read + written },
		...(paceMs > 0 ? { delayMs: paceMs } : {}),
	});
}

function replyTo(body: RecordedRequest['body']): { reply: Reply; place: Place } {
	const reached = placeIn(body);
	const current = reached && walkOf(reached);
	if (current) {
		const step = reached.step + 1;
		return { reply: replyAt(current, step, body), place: { walk: current.name, step } };
	}
	const said = saidLast(body);
	const walk = walks.find(({ matches }) => matches.test(said));
	if (!walk) return { reply: anyReply(body, said), place: { walk: 'any', step: 0 } };
	const offered = toolNames(body);
	const missing = walk.needs.filter((name) => !offered.includes(name));
	const reply = missing.length > 0 ? withoutTools(missing) : replyAt(walk, 0, body);
	return { reply, place: { walk: walk.name, step: 0 } };
}

function withoutTools(missing: readonly string[]): Reply {
	const names = missing.map((name) => `\`${name}\``).join(', ');
	return {
		text: `For this I need tools that this request does not offer: ${names}. They are there when a folder is open and trusted.`,
	};
}

/** The reply to whatever the script does not know. */
function anyReply(body: RecordedRequest['body'], said: string): Reply {
	if (/^continue if you have next steps/i.test(said))
		return { text: 'There are no next steps: what you asked for is done.' };
	const summary = summaryIn(body);
	const offered = toolNames(body);
	return {
		thinking: 'This is none of the prompts in the script, so I say what I am and what I know.',
		text: [
			`I am a **${DEMO_MODEL}**: I follow a script, and understand nothing.`,
			offered.length > 0
				? `This request offers me ${offered.length} tools: ${offered.map((name) => `\`${name}\``).join(', ')}.`
				: 'This request offers me no tools.',
			summary === undefined
				? 'Nothing of this conversation has been compacted.'
				: `The earlier part of this conversation reaches me as a summary, which begins:\n\n${quoted(summary)}`,
			`What I know to do:\n\n${DEMO_PROMPTS.map((prompt) => `- ${prompt}`).join('\n')}`,
		].join('\n\n'),
	};
}

function quoted(text: string): string {
	const lines = text.split('\n').slice(0, 6);
	return lines.map((each) => `> ${each}`).join('\n');
}

/** Words one by one, whole calls last. */
function deltasOf(reply: Reply, idOf: (index: number) => string): Record<string, unknown>[] {
	const words = (text: string) => text.match(/\s*\S+\s*/g) ?? [];
	return [
		...words(reply.thinking ?? '').map((word) => ({ reasoning_content: word })),
		...words(reply.text).map((word) => ({ content: word })),
		...(reply.calls ?? []).map(({ name, arguments: args }, index) => ({
			tool_calls: [
				{
					index,
					id: idOf(index),
					type: 'function',
					function: { name, arguments: JSON.stringify(args) },
				},
			],
		})),
	];
}
