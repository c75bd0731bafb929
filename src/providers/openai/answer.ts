/** Builds the assistant message from a stream's chunks, and the events on the way. */
import type { AssistantMessage, StopReason, Usage } from '../../agent/messages.ts';
import type { ModelStreamEvent } from '../../agent/model.ts';
import {
	asText,
	type Choice,
	type Chunk,
	type ChunkUsage,
	type Delta,
	type TextPart,
} from './chunk.ts';
import { ToolCallAssembly } from './tool-call-assembly.ts';
import { toUsage } from './usage.ts';

const stopReasons: ReadonlyMap<string, StopReason> = new Map([
	['stop', 'stop'],
	['end_turn', 'stop'],
	['eos', 'stop'],
	['length', 'length'],
	['max_tokens', 'length'],
	['model_length', 'length'],
	['tool_calls', 'toolUse'],
	['function_call', 'toolUse'],
	['content_filter', 'error'],
]);

function joined(parts: string | TextPart[] | null | undefined): string {
	if (!Array.isArray(parts)) return asText(parts);
	return parts.map((part) => asText(part.text)).join('');
}

/** Mistral sends text and thinking as typed parts. */
function thinkingParts(content: Delta['content']): string {
	if (!Array.isArray(content)) return '';
	return content.map((part) => joined(part.thinking)).join('');
}

/** Collects one answer. */
export class Answer {
	#text = '';
	#thinking = '';
	#refusal = '';
	#finishReason = '';
	#usage: ChunkUsage | undefined;
	readonly #calls = new ToolCallAssembly();

	/** As the server sent it; empty while the answer is unfinished. */
	get finishReason(): string {
		return this.#finishReason;
	}

	/** Takes one chunk in; returns what is new in it. */
	add(chunk: Chunk): ModelStreamEvent[] {
		// Other choices than the first are alternatives that were not asked for.
		const choice = chunk.choices?.find(({ index }) => (index ?? 0) === 0);
		const usage = chunk.usage ?? choice?.usage;
		if (usage) this.#usage = usage;
		return choice ? this.#addChoice(choice) : [];
	}

	#addChoice(choice: Choice): ModelStreamEvent[] {
		const delta = choice.delta ?? choice.message ?? {};
		const events: ModelStreamEvent[] = [];
		const thinking =
			(asText(delta.reasoning_content) || asText(delta.reasoning)) + thinkingParts(delta.content);
		if (thinking) {
			this.#thinking += thinking;
			events.push({ type: 'thinking', delta: thinking });
		}
		const text = joined(delta.content);
		if (text) {
			this.#text += text;
			events.push({ type: 'text', delta: text });
		}
		this.#refusal += asText(delta.refusal);
		for (const fragment of delta.tool_calls ?? []) events.push(this.#calls.add(fragment));
		this.#finishReason = asText(choice.finish_reason) || this.#finishReason;
		return events;
	}

	/** The whole answer. `origin` is who gave it, as written to session files. */
	finish(origin: Pick<AssistantMessage, 'api' | 'provider' | 'model'>): AssistantMessage {
		const calls = this.#calls.finish();
		const content: AssistantMessage['content'] = [];
		if (this.#thinking) content.push({ type: 'thinking', thinking: this.#thinking });
		if (this.#text) content.push({ type: 'text', text: this.#text });
		content.push(...calls);
		const usage: Usage = toUsage(this.#usage);
		let stopReason = stopReasons.get(this.#finishReason) ?? 'stop';
		// Several servers finish with "stop" although the answer holds calls.
		if (stopReason === 'stop' && calls.length > 0) stopReason = 'toolUse';
		const message: AssistantMessage = {
			role: 'assistant',
			content,
			...origin,
			usage,
			stopReason,
			timestamp: Date.now(),
		};
		if (this.#refusal) {
			message.stopReason = 'error';
			message.errorMessage = `The model refused: ${this.#refusal}`;
		} else if (stopReason === 'error') {
			message.errorMessage = "The answer was stopped by the provider's content filter.";
		}
		return message;
	}
}
