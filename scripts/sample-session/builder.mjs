/** Owns the shape of the sample session's entries: ids, times, parents, messages, usage. */
import { createHash } from 'node:crypto';

const START = Date.UTC(2026, 1, 3, 9, 12, 0);
const PROVIDER = 'demo';
const MODEL = 'scripted-demo';
/** Tokens of system prompt and tools in the reported usage. */
const PROMPT_TOKENS = 1900;

function hex(text, length) {
	return createHash('sha256').update(`tea-shop ${text}`).digest('hex').slice(0, length);
}

function uuid(text) {
	const digits = hex(text, 32);
	return [
		digits.slice(0, 8),
		digits.slice(8, 12),
		`7${digits.slice(13, 16)}`,
		`9${digits.slice(17, 20)}`,
		digits.slice(20),
	].join('-');
}

export class SessionBuilder {
	/** The files as they are at this point of the session. */
	files;
	#lines = [];
	#leaf = null;
	#time = START;
	#entries = 0;
	#calls = 0;
	#context = PROMPT_TOKENS;
	#cached = 0;

	constructor(cwd, files) {
		this.files = files;
		const timestamp = new Date(START).toISOString();
		this.#lines.push({ type: 'session', version: 3, id: uuid('session'), timestamp, cwd });
		this.#append('model_change', { provider: PROVIDER, modelId: MODEL });
	}

	/** The newest entry's id. */
	get leaf() {
		return this.#leaf;
	}

	#append(type, fields, seconds = 1) {
		// Uneven but fixed steps look like work and stay deterministic.
		this.#time += seconds * 1000 + ((this.#entries * 137) % 900);
		const id = hex(`entry ${this.#entries++}`, 8);
		this.#lines.push({
			type,
			id,
			parentId: this.#leaf,
			timestamp: new Date(this.#time).toISOString(),
			...fields,
		});
		this.#leaf = id;
		return id;
	}

	#message(message, seconds) {
		const characters = JSON.stringify(message.content ?? message.output).length;
		const id = this.#append(
			'message',
			{ message: { ...message, timestamp: this.#time + seconds * 1000 } },
			seconds,
		);
		this.#context += Math.ceil(characters / 4);
		return id;
	}

	user(text) {
		return this.#message({ role: 'user', content: [{ type: 'text', text }] }, 95);
	}

	/** A `!` command that the user ran. */
	bang(command, output, exitCode = 0) {
		return this.#message(
			{ role: 'bashExecution', command, output, exitCode, cancelled: false, truncated: false },
			20,
		);
	}

	/** An assistant message; each action is a call with its result, made by the functions below. */
	act(text, ...actions) {
		const calls = actions.map(({ name, arguments: args }) => ({
			type: 'toolCall',
			id: `call_${hex(`call ${this.#calls++}`, 12)}`,
			name,
			arguments: args,
		}));
		const content = [...(text ? [{ type: 'text', text }] : []), ...calls];
		const id = this.#assistant(content, calls.length > 0 ? 'toolUse' : 'stop');
		actions.forEach(({ name, output, isError }, index) =>
			this.#message(
				{
					role: 'toolResult',
					toolCallId: calls[index].id,
					toolName: name,
					content: [{ type: 'text', text: output }],
					isError,
				},
				1,
			),
		);
		return id;
	}

	/** The assistant's last word in a turn. */
	say(text) {
		return this.act(text);
	}

	#assistant(content, stopReason) {
		const output = Math.ceil(JSON.stringify(content).length / 4);
		const input = this.#context - this.#cached;
		const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
		const usage = {
			input,
			output,
			cacheRead: this.#cached,
			cacheWrite: 0,
			totalTokens: this.#context + output,
			cost,
		};
		this.#cached = this.#context;
		return this.#message(
			{
				role: 'assistant',
				content,
				api: 'openai-completions',
				provider: PROVIDER,
				model: MODEL,
				usage,
				stopReason,
			},
			4 + Math.ceil(output / 60),
		);
	}

	label(targetId, label) {
		this.#append('label', { targetId, label });
	}

	name(name) {
		this.#append('session_info', { name });
	}

	/** Tells an approach that is given up: afterwards leaf, files and context are as they were. */
	abandoned(tell) {
		const before = { leaf: this.#leaf, context: this.#context, files: this.files.snapshot() };
		tell();
		this.#leaf = before.leaf;
		this.#context = before.context;
		this.#cached = Math.min(this.#cached, before.context);
		this.files.restore(before.files);
	}

	// The actions: each works on the files as they are and gives the call with its result.

	read(path) {
		return { name: 'read', arguments: { path }, output: this.files.text(path), isError: false };
	}

	bash(command, output, isError = false) {
		return { name: 'bash', arguments: { command }, output, isError };
	}

	/** Applies the planned change of that name (see file-history.mjs). */
	change(name) {
		const { path, oldText, newText, isNew } = this.files.apply(name);
		if (isNew)
			return {
				name: 'write',
				arguments: { path, content: newText },
				output: `Wrote ${newText.length} bytes to ${path}.`,
				isError: false,
			};
		return this.#edited(path, oldText, newText);
	}

	/** An edit that is not in the plan, for the approach that is given up. */
	edit(path, oldText, newText) {
		this.files.replace(path, oldText, newText);
		return this.#edited(path, oldText, newText);
	}

	#edited(path, oldText, newText) {
		return {
			name: 'edit',
			arguments: { path, oldText, newText },
			output: `Replaced ${oldText.split('\n').length} lines with ${newText.split('\n').length} in ${path}.`,
			isError: false,
		};
	}

	toJsonl() {
		return this.#lines.map((line) => `${JSON.stringify(line)}\n`).join('');
	}
}
