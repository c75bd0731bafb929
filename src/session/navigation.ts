/** What choosing an entry in the tree means: where the leaf goes, and which text is to be edited. */
import { UserError } from '../util/errors.ts';
import type { SessionEntry } from './entries.ts';
import type { SessionManager } from './session-manager.ts';

export interface NavigationTarget {
	/** The new leaf; null is the empty conversation before the first message. */
	leafId: string | null;
	/** The text of a chosen user or custom message, to be edited and sent as a new branch. */
	editorText?: string;
}

/**
 * A user or custom message moves the leaf to its parent and gives its text to the editor; any other
 * entry becomes the leaf (spec: navigation targets, as in both upstream tools).
 * @throws UserError('no-such-entry') for an unknown id
 */
export function navigationTarget(manager: SessionManager, targetId: string): NavigationTarget {
	const entry = manager.tree.get(targetId);
	if (!entry)
		throw new UserError('no-such-entry', `There is no entry ${targetId} in this session.`, {
			kept: 'Nothing was changed.',
		});
	const editorText = editableText(entry);
	if (editorText === undefined) return { leafId: targetId };
	return { leafId: manager.tree.parentOf(targetId), editorText };
}

/** The text of a user or custom message; undefined for any other entry. */
export function editableText(entry: SessionEntry): string | undefined {
	if (entry.type === 'custom_message') return contentText(entry.content);
	if (entry.type !== 'message') return undefined;
	const { message } = entry;
	if (message.role !== 'user' && message.role !== 'custom') return undefined;
	return contentText(message.content);
}

/** The text parts of a message's content, one below the other. Tolerates damaged content. */
export function contentText(content: unknown): string {
	if (typeof content === 'string') return content;
	if (!Array.isArray(content)) return '';
	return content
		.map((part: unknown) => {
			const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown };
			return type === 'text' && typeof text === 'string' ? text : '';
		})
		.filter(Boolean)
		.join('\n');
}
