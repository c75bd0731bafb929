/** Small helpers around the Model port, for tests. */
import { ModelError, type Model, type ModelRequest } from '../../src/agent/model.ts';
import type { AssistantMessage, UserMessage } from '../../src/agent/messages.ts';

/** A user message with this text. */
export function userMessage(text: string): UserMessage {
	return { role: 'user', content: text, timestamp: 0 };
}

export interface Collected {
	text: string[];
	thinking: string[];
	message: AssistantMessage;
}

/** Runs one request to its end; asks "hello" where no messages are given. */
export async function collect(
	model: Model,
	request: Partial<ModelRequest> = {},
	signal: AbortSignal = new AbortController().signal,
): Promise<Collected> {
	const text: string[] = [];
	const thinking: string[] = [];
	const messages: AssistantMessage[] = [];
	const whole = { messages: [userMessage('hello')], ...request };
	for await (const event of model.stream(whole, signal)) {
		if (event.type === 'text') text.push(event.delta);
		else if (event.type === 'thinking') thinking.push(event.delta);
		else if (event.type === 'done') messages.push(event.message);
	}
	if (messages.length !== 1) throw new Error(`Expected one done event, got ${messages.length}.`);
	return { text, thinking, message: messages[0]! };
}

/** The ModelError of a request that must fail. */
export async function failure(
	model: Model,
	request: Partial<ModelRequest> = {},
): Promise<ModelError> {
	try {
		await collect(model, request);
	} catch (error) {
		if (error instanceof ModelError) return error;
		throw error;
	}
	throw new Error('The request did not fail.');
}
