/** What the demo can tell from a request alone: it remembers nothing, so that a turn may be compacted at any point. */
import { createHash } from 'node:crypto';
import summarizationPrompt from '../../prompts/compaction/summarization-system-prompt.md';
import summaryContext from '../../prompts/compaction/compaction-summary-context.md';
import { estimateTextTokens } from '../../src/util/tokens.ts';
import type { RecordedMessage, RecordedRequest } from '../../test/support/scripted-server.ts';

type Body = RecordedRequest['body'];

/** A call that the demo makes; its id is made from where it stands in the script. */
export interface DemoCall {
	name: string;
	arguments: Record<string, unknown>;
}

/** One answer of the demo. */
export interface Reply {
	thinking?: string;
	text: string;
	calls?: DemoCall[];
}

/** Where in the script an answer stands: which walk, and which of its steps. */
export interface Place {
	walk: string;
	step: number;
}

const CALL_ID = /^demo_([a-z]+)_(\d+)_(\d+)_/;
const [summaryContextStart = ''] = summaryContext.split('\n');

/** The text of a message, parts joined; other parts than text are passed over. */
export function textOf(message: RecordedMessage | undefined): string {
	const content = message?.content;
	if (typeof content === 'string') return content;
	if (!Array.isArray(content)) return '';
	return content.map((part: { text?: string }) => part.text ?? '').join('\n');
}

/** True for the requests that ask for a summary. */
export function isSummaryRequest({ messages }: Body): boolean {
	const [first] = messages;
	return first?.role === 'system' && textOf(first).trim() === summarizationPrompt.trim();
}

/** The summary that stands in for the earlier conversation; undefined where nothing was compacted. */
export function summaryIn({ messages }: Body): string | undefined {
	const message = messages.find((each) => each.role === 'user' && isSummary(each));
	return message && /<summary>\n([\s\S]*)\n<\/summary>/.exec(textOf(message))?.[1];
}

function isSummary(message: RecordedMessage): boolean {
	return textOf(message).startsWith(summaryContextStart);
}

/** What the person said last; empty where the last message is none of theirs. */
export function saidLast({ messages }: Body): string {
	const last = messages.at(-1);
	return last?.role === 'user' && !isSummary(last) ? textOf(last).trim() : '';
}

/** The names of the tools that may be called. */
export function toolNames(body: Body): string[] {
	const tools = body['tools'];
	if (!Array.isArray(tools)) return [];
	return tools.map((tool: { function?: { name?: unknown } }) => String(tool.function?.name));
}

/** The id of a call: its place, and what tells this request from all others. */
export function callId(body: Body, { walk, step }: Place, index: number): string {
	const digest = createHash('sha256').update(JSON.stringify(body.messages)).digest('hex');
	return `demo_${walk}_${step}_${index}_${digest.slice(0, 10)}`;
}

/** Where the script stands, when the last message is the result of one of its calls. */
export function placeIn({ messages }: Body): Place | undefined {
	const last = messages.at(-1);
	const found = last?.role === 'tool' && CALL_ID.exec(String(last['tool_call_id']));
	return found ? { walk: found[1] ?? '', step: Number(found[2]) } : undefined;
}

/** The result of a call that the script made in this turn; undefined where it is no longer in the request. */
export function resultOf({ messages }: Body, { walk, step }: Place, index = 0): string | undefined {
	const start = `demo_${walk}_${step}_${index}_`;
	const result = messages.findLast(
		(message) => message.role === 'tool' && String(message['tool_call_id']).startsWith(start),
	);
	return result && textOf(result);
}

/** Tokens of a prompt as the demo counts them: with the estimate that Espalier makes itself. */
export function promptTokens({ messages, tools }: Body): number {
	return estimateTextTokens(JSON.stringify([messages, tools ?? []]));
}
