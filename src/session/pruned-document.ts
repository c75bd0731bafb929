/** The document of an entry, pruned or not: what the tool gave, and what the model sees instead. */
import { codeSpan } from '../util/untrusted-markdown.ts';
import { entryDocument, type EntryDocument } from './entry-markdown.ts';
import { contentText } from './navigation.ts';
import { toolResultOf } from './pruned-message.ts';
import type { SessionManager } from './session-manager.ts';

/**
 * The document of an entry; of a pruned one, with its original output where that is kept.
 * @returns undefined for an entry that is not in the session
 */
export function sessionDocument(
	manager: SessionManager,
	entryId: string,
): EntryDocument | undefined {
	const entry = manager.tree.get(entryId);
	if (!entry) return undefined;
	const document = entryDocument(entry);
	if (entry.type !== 'message' || !manager.isPruned(entryId)) return document;
	const message = originalOf(manager, entryId);
	if (!message)
		return withNote(
			document,
			'This output was pruned, and its original is not kept beside the file.',
		);
	const notice = contentText(toolResultOf(manager.tree.shownInContext(entry))?.content);
	return withNote(
		entryDocument({ ...entry, message }),
		`This output was pruned: the model sees ${codeSpan(notice)} instead.`,
	);
}

/** Originals that cannot be read now are as good as missing to who looks. */
function originalOf(manager: SessionManager, entryId: string) {
	try {
		return manager.originalOf(entryId);
	} catch {
		return undefined;
	}
}

function withNote(document: EntryDocument, note: string): EntryDocument {
	return { ...document, text: `> ${note}\n\n${document.text}` };
}
