/** Notices a server that cuts a prompt to its window and says nothing (C17). */
import type { ChatCompletionMessageParam } from 'openai/resources';
import { estimateTextTokens } from '../../util/tokens.ts';

/** Below this many estimated tokens the estimate is too rough to tell anything from. */
const LEAST_ESTIMATE = 2_000;
/** Of the estimate. Its error on real sessions is a third of that at most; half a window is cut off. */
const SUSPICIOUS_SHARE = 0.6;

/** Estimated tokens of the texts in a request; images are left out, since servers differ on them. */
export function estimatePrompt(messages: readonly ChatCompletionMessageParam[]): number {
	let tokens = 0;
	for (const message of messages) {
		const { content } = message;
		if (typeof content === 'string') tokens += estimateTextTokens(content);
		else
			for (const part of content ?? [])
				if (part.type === 'text') tokens += estimateTextTokens(part.text);
	}
	return tokens;
}

/**
 * What to warn of where a server read far less than it was sent; undefined where nothing looks cut.
 * @param reported tokens of the prompt as the server counted them, 0 where it did not
 * @param estimated tokens of the prompt as we count them
 */
export function cutPromptWarning(
	model: string,
	reported: number,
	estimated: number,
): string | undefined {
	if (reported <= 0 || estimated < LEAST_ESTIMATE) return undefined;
	if (reported >= estimated * SUSPICIOUS_SHARE) return undefined;
	return (
		`${model} read ${reported} tokens of a prompt of about ${estimated}: its server seems to have cut the ` +
		`beginning off. Give the model a larger window there, or set espalier.model.contextWindow to what it serves.`
	);
}
