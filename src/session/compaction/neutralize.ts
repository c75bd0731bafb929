/** Keeps quoted text from closing or opening the tags that prompts and summaries are wrapped in. */

const tagNames = [
	'conversation',
	'previous-summary',
	'additional-context',
	'summary',
	'read-files',
	'modified-files',
];

const ownTag = new RegExp(`<(?=\\s*/?\\s*(?:${tagNames.join('|')})(?![\\w-]))`, 'gi');

/** Replaces the bracket of whatever looks like one of our own tags by "‹": readable, but no tag. */
export function neutralizeTags(text: string): string {
	return text.includes('<') ? text.replace(ownTag, '‹') : text;
}
