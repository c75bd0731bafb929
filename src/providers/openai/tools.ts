/** Tools in requests: how they are offered, and a server that takes none. */
import type OpenAI from 'openai';
import { ModelError, type ToolDefinition } from '../../agent/model.ts';
import type { Endpoint } from './refusals.ts';

/**
 * How servers say that they, or the model, take no tools: Ollama and many others; OpenRouter; vLLM without
 * its tool parser; llama.cpp without its template engine.
 */
const refusesTools =
	/(?:not|n't) support\S* (?:the )?(?:use of )?(?:tool|function)|(?:tool|function)s?(?:[ _](?:use|calls?|calling))? (?:is|are) not supported|found that support tool use|tool choice requires|tools param requires|(?:unknown|unsupported|unrecognized|unexpected)\b.{0,40}\btools?\b/i;

/** The `tools` field of a request; absent where none are offered, since some servers refuse an empty list. */
export function toolsField(tools: readonly ToolDefinition[] | undefined): {
	tools?: OpenAI.ChatCompletionTool[];
} {
	if (!tools?.length) return {};
	return {
		tools: tools.map(({ name, description, parameters }) => ({
			type: 'function',
			function: { name, description, parameters },
		})),
	};
}

/**
 * The same error, or a plainer one where a request was refused for the tools it offers. They are never
 * left out silently: an agent without its tools does something else than what it was asked for.
 */
export function explainToolRefusal(error: ModelError, { host, model }: Endpoint): ModelError {
	if (error.status === undefined || !refusesTools.test(error.message)) return error;
	return new ModelError(
		'badRequest',
		`${model} at ${host} does not take tools: ${error.message.replace(/^.*?\(status \d+\)(?:: )?/, '')}`,
		{
			status: error.status,
			hint: 'Choose a model that calls tools, or start its server with tool calls enabled.',
			cause: error,
		},
	);
}
