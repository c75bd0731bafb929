/** Overflows that a server does not refuse: it takes the prompt and has no room left to answer. */
import type { AssistantMessage } from './messages.ts';
import { wholeNumber } from '../util/whole-number.ts';
import { ModelError } from './model.ts';

/** At this share of the window a prompt leaves no room for an answer (upstream's bound). */
const FULL_SHARE = 0.99;

/**
 * The error that an answer stands for: cut off at its limit before its first word, with a prompt that
 * fills the window. Undefined for every other answer.
 * @param contextWindow tokens of the model's window
 */
export function silentOverflow(
	{ stopReason, usage, content }: AssistantMessage,
	contextWindow: number,
): ModelError | undefined {
	if (stopReason !== 'length' || usage.output > 0 || content.length > 0) return undefined;
	const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
	if (prompt < FULL_SHARE * contextWindow) return undefined;
	return new ModelError(
		'overflow',
		`The conversation fills the context window of ${wholeNumber(contextWindow)} tokens: there was no room for an answer.`,
	);
}
