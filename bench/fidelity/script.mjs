// Writing a session down: entries as a session file holds them, and the facts that they state.
import { narration, output, smallTurn } from './filler.mjs';

const usage = {
	...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
	cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/**
 * A fact of the message that it is given with. Kinds: request, constraint, file, error, decision,
 * item (of a user's list), step (unfinished). It is present where one line holds all `keys`.
 */
export const must = (kind, ...keys) => ({ kind, keys, isMust: true });
/** Worth having, but a summary without it is no worse for the work that follows. */
export const nice = (kind, ...keys) => ({ kind, keys, isMust: false });
/** Gives a fact a name, so that it can end. */
export const named = (id, fact) => ({ ...fact, id });
/** From this message on the named facts are none: an error is fixed, a rule withdrawn, a step done. */
export const over = (...ids) => ({ ends: ids });

/** A session in the making; the order of calls is the order of entries. */
export class Script {
	entries = [];
	facts = [];
	/** Every call of a file tool: what `details` must hold in the end. */
	fileCalls = [];
	#seed;
	#smallTurn;
	#calls = 0;

	/** @param small makes a small turn from a number. */
	constructor(seed, small = smallTurn) {
		this.#seed = seed;
		this.#smallTurn = small;
	}

	user(text, ...facts) {
		this.#message({ role: 'user', content: text }, facts);
	}

	/** Ends a turn. */
	says(text, ...facts) {
		this.#assistant([{ type: 'text', text }], 'stop', facts);
	}

	/** Said between tool calls. */
	notes(text, ...facts) {
		this.#pending = { text, facts };
	}

	read(path, text = output(this.#next(), path)) {
		this.#tool('read', { path }, text, false, []);
	}

	edit(path, ...facts) {
		const edits = [
			{ oldText: output(this.#next(), path, 4), newText: output(this.#next(), path, 5) },
		];
		this.#tool('edit', { path, edits }, `Edited ${path}.`, false, facts);
	}

	write(path, ...facts) {
		this.#tool(
			'write',
			{ path, content: output(this.#next(), path) },
			`Wrote ${path}.`,
			false,
			facts,
		);
	}

	run(command, text, ...facts) {
		this.#tool('bash', { command }, text, false, facts);
	}

	fails(command, text, ...facts) {
		this.#tool('bash', { command }, `${text}\n\nCommand exited with code 1`, true, facts);
	}

	/** Looks at `count` files, each with some words before. */
	look(...paths) {
		for (const path of paths) {
			this.notes(narration(this.#next(), path));
			this.read(path);
		}
	}

	/**
	 * Small requests between the large ones, each asked and done in a turn of its own: five for each
	 * that is asked for, so that a session is as long as those that are compacted five times.
	 */
	small(count) {
		for (let index = 0; index < count * 5; index++) {
			const turn = this.#smallTurn(this.#next());
			this.user(turn.request);
			this.notes(turn.intro);
			this.read(turn.path);
			this.edit(turn.path);
			if (turn.command) this.run(turn.command, turn.result);
			this.says(turn.answer);
		}
	}

	#pending;

	#next() {
		return (this.#seed = (this.#seed * 1_103_515_245 + 12_345) & 0x7fffffff);
	}

	#tool(name, args, text, isError, facts) {
		const id = `call_${++this.#calls}`;
		if (name !== 'bash') this.fileCalls.push({ name, path: args.path, entry: this.entries.length });
		const said = this.#pending;
		this.#pending = undefined;
		const words = said ? [{ type: 'text', text: said.text }] : [];
		const call = { type: 'toolCall', id, name, arguments: args };
		this.#assistant([...words, call], 'toolUse', said?.facts ?? []);
		const content = [{ type: 'text', text }];
		this.#message({ role: 'toolResult', toolCallId: id, toolName: name, content, isError }, facts);
	}

	#assistant(content, stopReason, facts) {
		const origin = { api: 'scripted', provider: 'scripted', model: 'scripted', usage };
		this.#message({ role: 'assistant', content, ...origin, stopReason }, facts);
	}

	#message(message, facts) {
		const at = this.entries.length;
		for (const fact of facts) {
			for (const id of fact.ends ?? []) this.#end(id, at);
			if (fact.kind) this.facts.push({ ...fact, from: at });
		}
		const timestamp = Date.UTC(2026, 0, 5, 9) + at * 20_000;
		this.entries.push({
			...{ type: 'message', id: `m${at}`, parentId: at > 0 ? `m${at - 1}` : null },
			timestamp: new Date(timestamp).toISOString(),
			message: { ...message, timestamp },
		});
	}

	#end(id, at) {
		const ended = this.facts.filter((fact) => fact.id === id && fact.until === undefined);
		if (ended.length === 0) throw new Error(`No fact named ${id}.`);
		for (const fact of ended) fact.until = at;
	}
}
