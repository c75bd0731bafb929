/** Owns what tool calls tell: files read and changed, commands run, and the failures among them. */
import type { ToolCall, ToolResultMessage } from '../../agent/messages.ts';
import { segmentsOf } from './commands.ts';
import type { FailureLog } from './failure-log.ts';
import { cleanLine, headAndTail } from './text.ts';

const PATH_KEYS = ['path', 'file_path', 'filePath', 'filename', 'file'];
const COMMAND_KEYS = ['command', 'cmd', 'script'];
const WRITING = /^(?:write|edit|multi_?edit|create|str_?replace|apply_?patch|patch|insert)/i;
const READING = /^(?:read|view|open|cat)/i;
const MOST_FILES = 400;

function textArgument(call: ToolCall, keys: readonly string[]): string {
	for (const key of keys) {
		const value = call.arguments[key];
		if (typeof value === 'string' && value !== '') return value;
	}
	return '';
}

/** What one turn did with tools. */
export interface TurnActions {
	changed: Set<string>;
	commands: string[];
	calls: number;
}

export class ToolRecord {
	readonly changedFiles = new Map<string, number>();
	readonly readFiles = new Set<string>();
	readonly #failures: FailureLog;
	readonly #pending = new Map<string, ToolCall>();

	constructor(failures: FailureLog) {
		this.#failures = failures;
	}

	/** Notes a call. A change counts when its result is no error; a call without result counts as made. */
	call(call: ToolCall, actions: TurnActions): void {
		actions.calls++;
		this.#pending.set(call.id, call);
		const command = textArgument(call, COMMAND_KEYS);
		if (command && actions.commands.length < 40)
			actions.commands.push(...segmentsOf(command).slice(0, 3));
	}

	/** Notes a result; returns the text of it that was looked at. */
	result(message: ToolResultMessage, actions: TurnActions, turn: number): string {
		const call = this.#pending.get(message.toolCallId);
		this.#pending.delete(message.toolCallId);
		let output = '';
		for (const part of message.content) if (part.type === 'text') output += headAndTail(part.text);
		if (!call) return output;
		const command = textArgument(call, COMMAND_KEYS);
		const path = cleanLine(textArgument(call, PATH_KEYS).slice(0, 400)).replace(/`/g, "'");
		if (command) this.#failures.command(command, output, message.isError, turn);
		else
			this.#failures.tool(path ? `${call.name} ${path}` : call.name, output, message.isError, turn);
		if (path && !message.isError) this.#file(call.name, path, actions);
		return output;
	}

	#file(tool: string, path: string, actions: TurnActions): void {
		if (WRITING.test(tool)) {
			actions.changed.add(path);
			const edits = (this.changedFiles.get(path) ?? 0) + 1;
			this.changedFiles.delete(path);
			if (this.changedFiles.size < MOST_FILES) this.changedFiles.set(path, edits);
		} else if (READING.test(tool)) {
			this.readFiles.delete(path);
			if (this.readFiles.size < MOST_FILES) this.readFiles.add(path);
		}
	}
}
