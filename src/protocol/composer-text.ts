/** The rules for text in the composer, shared by page and host so that both hold the same draft. */

/**
 * What stays in the composer once `sent` is accepted: what was typed meanwhile. Text that was edited
 * in between is no longer what was sent, and stays whole.
 */
export function textAfterSending(text: string, sent: string): string {
	if (text === sent) return '';
	return text.startsWith(sent) ? text.slice(sent.length).trimStart() : text;
}

/** Puts `text` into a composer; other text that stands there is kept below it. */
export function textWithInserted(text: string, existing: string): string {
	if (!existing.trim() || existing === text) return text;
	return text ? `${text}\n\n${existing}` : existing;
}
