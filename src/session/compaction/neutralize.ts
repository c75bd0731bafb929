/** Keeps quoted text from closing or opening the tags that prompts and summaries are wrapped in. */

const tagNames = [
	'conversation',
	'previous-summary',
	'additional-context',
	'summary',
	'read-files',
	'modified-files',
];

// Each space is looked at once: text from outside may hold very many.
const ownTag = new RegExp(`<(?=(?:\\s*/)?\\s*(?:${tagNames.join('|')})(?![\\w-]))`, 'gi');

/** Replaces the bracket of whatever looks like one of our own tags by "‹": readable, but no tag. */
export function neutralizeTags(text: string): string {
	return text.includes('<') ? text.replace(ownTag, '‹') : text;
}
