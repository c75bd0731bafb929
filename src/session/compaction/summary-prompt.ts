/** Lays out the request for a summary: the quoted transcript first, the instruction last. */
import basePrompt from '../../../prompts/compaction/compaction-summary.md';
import updatePrompt from '../../../prompts/compaction/compaction-update-summary.md';
import turnPrefixPrompt from '../../../prompts/compaction/compaction-turn-prefix.md';
import branchPrompt from '../../../prompts/compaction/branch-summary.md';
import nextPartPrompt from '../../../prompts/compaction/compaction-next-part.md';
import { neutralizeTags } from './neutralize.ts';
import type { SummaryKind, SummaryRequest } from './summarizer.ts';

/** What the instruction depends on, apart from the transcript. */
export type PromptRequest = Pick<
	SummaryRequest,
	'kind' | 'instructions' | 'replaceInstructions' | 'additionalContext' | 'basePrompt'
>;

const firstPrompts: Record<SummaryKind, string> = {
	history: basePrompt,
	turnPrefix: turnPrefixPrompt,
	branch: branchPrompt,
};

/** The instruction: ours or the person's, then how to merge, then the focus. */
function instructionOf(request: PromptRequest, merges: boolean): string {
	const given = request.instructions?.trim();
	const replaced = Boolean(given && request.replaceInstructions);
	const own = request.basePrompt?.trim();
	const base = replaced ? given! : own || firstPrompts[request.kind].trim();
	// The update prompt asks for the sections of a history; other forms keep their own.
	if (merges && !replaced && !own && request.kind === 'history')
		return withFocus(updatePrompt.trim(), given);
	const merged = merges ? `${nextPartPrompt.trim()}\n\n${base}` : base;
	return replaced ? merged : withFocus(merged, given);
}

function withFocus(prompt: string, focus: string | undefined): string {
	return focus ? `${prompt}\n\nAdditional focus: ${focus}` : prompt;
}

/**
 * The prompt for one pass.
 * @param transcript already defused (see serialize.ts).
 * @param previousSummary what the new summary replaces, where there is such a thing.
 */
export function summaryPrompt(
	request: PromptRequest,
	transcript: string,
	previousSummary: string | undefined,
): string {
	const parts = [`<conversation>\n${transcript}\n</conversation>`];
	const previous = previousSummary?.trim();
	if (previous) parts.push(`<previous-summary>\n${neutralizeTags(previous)}\n</previous-summary>`);
	const context = request.additionalContext?.map((line) => `- ${neutralizeTags(line.trim())}`);
	if (context?.length)
		parts.push(`<additional-context>\n${context.join('\n')}\n</additional-context>`);
	parts.push(instructionOf(request, Boolean(previous)));
	return parts.join('\n\n');
}
