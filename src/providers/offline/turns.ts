/** Owns walking the messages: who asked what, what was said and done in answer, turn by turn. */
import type { ImageContent, TextContent, ThinkingContent, ToolCall } from '../../agent/messages.ts';
import type { AgentMessage, BashExecutionMessage } from '../../session/messages.ts';
import { failureText, shownCommand } from './commands.ts';
import type { FailureLog } from './failure-log.ts';
import type { Pacer } from './pacer.ts';
import { moveOf, readRequest, type UserRequest } from './requests.ts';
import { clip, headAndTail, plainLine } from './text.ts';
import { ToolRecord, type TurnActions } from './tool-calls.ts';

export interface Turn {
	/** Undefined where the messages begin inside a turn, or an extension began it. */
	request: UserRequest | undefined;
	/** The assistant's texts, bounded, oldest first. */
	statements: string[];
	/** True where the last assistant message ended by itself and called no tool. */
	closed: boolean;
	/** True where the user or an error cut it short. */
	interrupted: boolean;
	actions: TurnActions;
}

export interface Walk {
	turns: Turn[];
	failures: FailureLog;
	tools: ToolRecord;
	/** Clean lines on `!` commands and extension messages. */
	notes: string[];
	/** Summaries met among the messages, oldest first. */
	summaries: { text: string; branch: boolean }[];
}

const STATEMENT_CHARS = 12_000;
/** A turn's first and last statements are kept; beyond this many, middle ones give way. */
const MOST_STATEMENTS = 400;
/** The prompt that this extension and oh-my-pi inject after a compaction. */
const SYNTHETIC = /^Continue if you have next steps\.?$/;

type Part = TextContent | ImageContent | ThinkingContent | ToolCall;

function textOf(content: string | readonly Part[]): string {
	if (typeof content === 'string') return content;
	if (!Array.isArray(content)) return '';
	return content
		.map((part: Part) => (part.type === 'text' ? part.text : ''))
		.filter(Boolean)
		.join('\n');
}

function newTurn(request?: UserRequest): Turn {
	const actions = { changed: new Set<string>(), commands: [], calls: 0 };
	return { request, statements: [], closed: false, interrupted: false, actions };
}

/** Reads all messages, oldest first, giving way to the event loop as it goes. */
export async function walkMessages(
	messages: readonly AgentMessage[],
	failures: FailureLog,
	pacer: Pacer,
): Promise<Walk> {
	const walk: Walk = {
		turns: [],
		failures,
		tools: new ToolRecord(failures),
		notes: [],
		summaries: [],
	};
	const current = (): Turn => {
		if (walk.turns.length === 0) walk.turns.push(newTurn());
		return walk.turns.at(-1)!;
	};
	for (const message of messages) await pacer.worked(readMessage(message, walk, current));
	return walk;
}

/** Returns the number of characters looked at. */
function readMessage(message: AgentMessage, walk: Walk, current: () => Turn): number {
	switch (message.role) {
		case 'user': {
			const text = textOf(message.content);
			const move = moveOf(text);
			if (move === 'request') walk.turns.push(newTurn(readRequest(text)));
			else if (move === 'goOn' && walk.turns.length > 0) current().interrupted = false;
			return Math.min(text.length, 64_000) * 2;
		}
		case 'assistant': {
			const turn = current();
			const text = headAndTail(textOf(message.content), STATEMENT_CHARS, STATEMENT_CHARS / 4);
			if (text.trim()) turn.statements.push(text);
			if (turn.statements.length > MOST_STATEMENTS) turn.statements.splice(MOST_STATEMENTS / 2, 1);
			let calls = 0;
			for (const part of Array.isArray(message.content) ? message.content : [])
				if (part.type === 'toolCall') {
					calls++;
					walk.tools.call(part, turn.actions);
				}
			turn.interrupted = message.stopReason === 'aborted' || message.stopReason === 'error';
			turn.closed =
				calls === 0 && !turn.interrupted && message.stopReason !== 'toolUse' && text.trim() !== '';
			return text.length;
		}
		case 'toolResult': {
			const turn = current();
			turn.closed = false;
			return walk.tools.result(message, turn.actions, walk.turns.length).length;
		}
		case 'bashExecution':
			if (!message.excludeFromContext) walk.notes.push(bashNote(message, walk));
			return Math.min(message.output.length, 32_000);
		case 'custom': {
			const text = textOf(message.content).slice(0, 4_000).trim();
			if (text && !SYNTHETIC.test(text))
				walk.notes.push(`${plainLine(message.customType)}: ${clip(plainLine(text), 300)}`);
			return text.length;
		}
		case 'compactionSummary':
		case 'branchSummary':
			walk.summaries.push({ text: message.summary, branch: message.role === 'branchSummary' });
			return message.summary.length;
		default:
			return 0;
	}
}

function bashNote(message: BashExecutionMessage, walk: Walk): string {
	const isError = typeof message.exitCode === 'number' && message.exitCode !== 0;
	const output = headAndTail(message.output);
	const failed = walk.failures.command(message.command, output, isError, walk.turns.length);
	const state = message.cancelled
		? 'cancelled'
		: isError || failed
			? failureText(output, 160)
			: 'succeeded';
	const last =
		failed || message.cancelled
			? ''
			: plainLine(output.trim().slice(-400).split('\n').at(-1) ?? '');
	return `The user ran \`${shownCommand(message.command)}\`: ${state}${last ? `; last line: ${clip(last, 120)}` : ''}`;
}
