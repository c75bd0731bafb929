/** The chat's view models: what the panel needs of each entry, sized for display. */

/** A text for display; `cut` characters at its end are left out (0 where all of it is here). */
export interface ShownText {
	text: string;
	cut: number;
}

/** The files that a summary records; `more` counts those beyond the lists. */
export interface FileLists {
	read: string[];
	modified: string[];
	more: number;
}

export interface ToolCallView {
	type: 'tool';
	callId: string;
	name: string;
	/** The argument that says most, on one line: a path, a command, a pattern. */
	summary: string;
	arguments: ShownText;
	/** Null until it has run, and for ever where it was interrupted. */
	result: ToolResultView | null;
}

export interface ToolResultView {
	entryId: string;
	/** `refused`: it was not run, since it was not allowed. */
	outcome: 'done' | 'failed' | 'refused';
	text: ShownText;
	images: number;
}

export type AssistantPart =
	{ type: 'text'; text: ShownText } | { type: 'thinking'; text: ShownText } | ToolCallView;

/** A piece of an answer that is still coming. */
export interface LivePart {
	type: 'text' | 'thinking';
	text: string;
}

export interface UserItem {
	kind: 'user';
	id: string;
	text: ShownText;
	images: number;
}

export interface AssistantItem {
	kind: 'assistant';
	id: string;
	parts: AssistantPart[];
	/** `cut` ended at the model's output limit. */
	status: 'complete' | 'cut' | 'error' | 'aborted';
	error: string | null;
	model: string;
}

export interface CompactionItem {
	kind: 'compaction';
	id: string;
	shortSummary: string | null;
	summary: ShownText;
	tokensBefore: number | null;
	tokensAfter: number | null;
	files: FileLists;
	/** "offline" or the model's name; null where the file does not say. */
	summarizer: string | null;
}

export interface BranchSummaryItem {
	kind: 'branchSummary';
	id: string;
	/** The leaf that was left; null where the file does not say. */
	fromId: string | null;
	summary: ShownText;
	coveredEntries: number | null;
	files: FileLists;
	summarizer: string | null;
}

export interface BashItem {
	kind: 'bash';
	id: string;
	command: string;
	output: ShownText;
	/** What came of it where that is not plain success: "exit code 2", "cancelled". */
	outcome: string | null;
	/** False for a command that the model is never told about. */
	inContext: boolean;
}

/** A message that an extension put into the conversation for the person to see. */
export interface NoteItem {
	kind: 'note';
	id: string;
	label: string;
	text: ShownText;
}

/** A tool result whose call is not on this path, in damaged files. */
export interface LooseResultItem {
	kind: 'looseResult';
	id: string;
	name: string;
	result: ToolResultView;
}

export type ChatItem =
	| UserItem
	| AssistantItem
	| CompactionItem
	| BranchSummaryItem
	| BashItem
	| NoteItem
	| LooseResultItem;
