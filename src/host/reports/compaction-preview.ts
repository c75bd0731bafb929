/** The preview of a compaction as a document: what it would summarize, where it would cut, what it keeps. */
import type { CompactionPlan } from '../../session/agent-events.ts';
import { fileLists } from '../../session/compaction/utils.ts';
import { firstLine } from '../../session/entry-text.ts';
import type { SessionTree } from '../../session/session-tree.ts';
import { codeBlock, codeSpan } from '../../util/untrusted-markdown.ts';
import { counted, grouped } from '../tree/row-look.ts';
import { entryLine } from './entry-line.ts';

/** Longest list of files; a session may have touched thousands. */
const MAX_FILES = 100;

/** The document of a plan made for the current leaf of `tree`. */
export function compactionPreview(plan: CompactionPlan, tree: SessionTree): string {
	const { preparation, tokensBefore, tokensAfter } = plan;
	const line = (id: string) => {
		const entry = tree.get(id);
		return entry ? entryLine(entry) : '(not in the session any more)';
	};
	const { covered, isSplitTurn, turnPrefixMessages, keptMessages, keptTokens } = preparation;
	const files = fileLists(preparation.fileOps);
	return document([
		'# Compaction preview',
		'What "Compact session" would do now. Nothing has been changed, and no model was asked.',
		`About **${grouped(tokensBefore)} tokens** now, about **${grouped(tokensAfter)}** expected afterwards.`,
		tokensAfter >= tokensBefore &&
			'A summary may take as much as what it stands for here, so there may be nothing to gain. Where the context would not become smaller, nothing is written.',
		'## Who summarizes',
		[
			...plan.candidates.map((name, index) => `${index + 1}. ${candidate(name)}`),
			...(plan.candidates.length > 1 ? ['', 'Each is asked where the one before it fails.'] : []),
		].join('\n'),
		'## What is summarized',
		[
			`${counted(covered.messages, 'message')}, nothing of which is removed from the session:`,
			'',
			`- from ${line(covered.firstEntryId)}`,
			`- to ${line(covered.lastEntryId)}`,
		].join('\n'),
		preparation.previousSummary !== undefined &&
			'The summary of the compaction before it is carried on in the new one.',
		fileList('Files read', files.readFiles),
		fileList('Files modified', files.modifiedFiles),
		'## Where the cut is',
		`Before ${line(preparation.firstKeptEntryId)}`,
		isSplitTurn
			? `The cut **splits a turn**: its part before the cut (${counted(turnPrefixMessages.length, 'message')}) is summarized apart, so that what is kept of it can be understood.`
			: 'No turn is split.',
		'## What is kept',
		`${counted(keptMessages.length, 'message')} as they are, about ${grouped(keptTokens)} tokens: from the cut to the newest.`,
		'---',
		"Tokens are estimates, and the summary's size is a guess until it is made. This page follows the session: it shows what a compaction would do at the current entry.",
	]);
}

function candidate(name: string): string {
	return name === 'offline' ? 'The offline summarizer, without a model' : codeSpan(name);
}

function fileList(title: string, files: readonly string[]): string {
	if (files.length === 0) return '';
	const more = files.length - MAX_FILES;
	const listed = files.slice(0, MAX_FILES).map((path) => firstLine(path.replace(/\s+/g, ' '), 300));
	if (more > 0) listed.push(`and ${grouped(more)} more`);
	return `${title} (${grouped(files.length)}):\n\n${codeBlock(listed.join('\n'))}`;
}

function document(parts: readonly (string | false)[]): string {
	return `${parts.filter(Boolean).join('\n\n')}\n`;
}
