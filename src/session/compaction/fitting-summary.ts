/** A summary with its file tags, no larger than the room that is left for it. */
import { estimateTextTokens, type TokenCounter } from '../../util/tokens.ts';
import { clipToFit } from '../../util/clip-text.ts';
import { appendFileTags, MAX_TAGGED_FILES, type FileLists } from './utils.ts';

/** The share of the room that file tags may take; the lists are whole in the entry's details. */
const TAGS_SHARE = 0.5;

/**
 * Appends the file tags to a summary. Where both together do not fit `room` tokens, fewer files are
 * tagged, and then the text is clipped in its middle: models do not always keep to what they were asked.
 */
export function fittingSummary(
	text: string,
	lists: FileLists,
	room: number = Infinity,
	count: TokenCounter = estimateTextTokens,
): string {
	const whole = appendFileTags(text, lists);
	if (count(whole) <= room) return whole;
	let most = MAX_TAGGED_FILES;
	while (most > 0 && count(appendFileTags('', lists, most)) > room * TAGS_SHARE)
		most = Math.floor(most / 2);
	const tagged = (part: string) => appendFileTags(part, lists, most);
	return tagged(clipToFit(text, (part) => count(tagged(part)) <= room));
}
