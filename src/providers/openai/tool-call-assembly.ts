/** Puts tool calls together from the fragments of a stream, whatever a server leaves out of them. */
import type { ToolCall } from '../../agent/messages.ts';
import type { ModelStreamEvent } from '../../agent/model.ts';
import { DEEPEST_ARGUMENTS, isDeeperThan } from '../../util/depth.ts';
import { asText, type ToolCallDelta } from './chunk.ts';

type ToolCallProgress = Extract<ModelStreamEvent, { type: 'toolCall' }>;

/** Holds the argument text as it came, where it is not one JSON object that can be stored. */
const rawArgumentsKey = '_raw';

interface PartialCall {
	index: number | undefined;
	id: string;
	name: string;
	argumentText: string;
}

function parseArguments(text: string): Record<string, unknown> {
	if (text.trim() === '') return {};
	try {
		const value: unknown = JSON.parse(text);
		const isArguments =
			typeof value === 'object' &&
			value !== null &&
			!Array.isArray(value) &&
			!isDeeperThan(DEEPEST_ARGUMENTS, value);
		if (isArguments) return value as Record<string, unknown>;
	} catch {
		// Kept as it came, below: whoever runs the call tells the model what was wrong with it.
	}
	return { [rawArgumentsKey]: text };
}

/** Collects fragments in the order of arrival. */
export class ToolCallAssembly {
	readonly #calls: PartialCall[] = [];

	/** The call that a fragment continues; undefined where it begins a new one. */
	#continued(fragment: ToolCallDelta): PartialCall | undefined {
		const { index } = fragment;
		const id = asText(fragment.id);
		const name = asText(fragment.function?.name);
		const hasIndex = typeof index === 'number';
		const last = hasIndex
			? this.#calls.findLast((call) => call.index === index)
			: (this.#calls.findLast((call) => id && call.id === id) ?? this.#calls.at(-1));
		if (!last) return undefined;
		// Some servers give every call the same index, or none: a new id is a new call.
		if (id && last.id && id !== last.id) return undefined;
		// Neither index nor id: a complete call that is followed by a name has ended.
		if (!hasIndex && !id && name && last.name) return undefined;
		return last;
	}

	/** Takes a fragment in; returns what is new in it. */
	add(fragment: ToolCallDelta): ToolCallProgress {
		let call = this.#continued(fragment);
		if (!call) {
			call = { index: fragment.index ?? undefined, id: '', name: '', argumentText: '' };
			this.#calls.push(call);
		}
		call.id ||= asText(fragment.id);
		const name = asText(fragment.function?.name);
		// A name that is repeated in every fragment is not a piece of a longer one.
		if (name !== call.name) call.name += name;
		const args = fragment.function?.arguments ?? '';
		const argumentsDelta = typeof args === 'string' ? args : JSON.stringify(args);
		call.argumentText += argumentsDelta;
		return {
			type: 'toolCall',
			index: this.#calls.indexOf(call),
			name: call.name,
			argumentsDelta,
		};
	}

	/** The calls, each with an id of its own and an object as its arguments. */
	finish(): ToolCall[] {
		const taken = new Set<string>();
		return this.#calls.map(({ id, name, argumentText }, position) => {
			const free = id && !taken.has(id) ? id : `${id || 'call'}_${position + 1}`;
			taken.add(free);
			return { type: 'toolCall', id: free, name, arguments: parseArguments(argumentText) };
		});
	}
}
