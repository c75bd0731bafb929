/**
 * Compaction: plans what is summarized and what is kept, and makes the summary. Pure over its inputs:
 * nothing is stored here, and the summarizer is passed in.
 */
import { UserError } from '../../util/errors.ts';
import { once, withLazy } from '../../util/lazy.ts';
import type { TokenCounter } from '../../util/tokens.ts';
import { ContextEntries } from '../context-entries.ts';
import { contextMessages, findContextStart, type ContextStart } from '../context.ts';
import { contextTokens } from '../context-tokens.ts';
import type { CompactionDetails, CompactionEntry, CoveredRange, SessionEntry } from '../entries.ts';
import type { AgentMessage } from '../messages.ts';
import type { Usage } from '../../agent/messages.ts';
import {
	compactionBudget,
	roomForSummary,
	USUAL_SUMMARY_TOKENS,
	type CompactionSettings,
} from './budget.ts';
import { cutBefore, cutForSize, type Cut } from './cut-point.ts';
import { fittingSummary } from './fitting-summary.ts';
import type { SummaryAnswer, Summarizer } from './summarizer.ts';
import { addUsage } from './usage.ts';
import {
	addFileOperations,
	addRecordedFiles,
	createFileOperations,
	fileLists,
	stripFileTags,
	type FileOperations,
} from './utils.ts';

/**
 * The plan of a compaction: everything that is decided before a summarizer is asked. What grows with the
 * conversation (messages, counts, files) is made when it is first read, and once, from the path as it was
 * when the plan was made.
 */
export interface CompactionPreparation {
	firstKeptEntryId: string;
	/** History before the kept part, or before the turn that the cut splits. */
	messagesToSummarize: AgentMessage[];
	/** The early part of the split turn; empty where no turn is split. */
	turnPrefixMessages: AgentMessage[];
	isSplitTurn: boolean;
	/** What stays in the context as it is. */
	keptMessages: AgentMessage[];
	/** Tokens of the built messages now. */
	tokensBefore: number;
	/** The summary that the new one continues, without file tags. */
	previousSummary: string | undefined;
	fileOps: FileOperations;
	/** The path entries that go into the summary. */
	covered: CoveredRange;
	/** Upper bound on the summary, in tokens. */
	summaryTokens: number;
	/** Tokens that messages may take in a request; undefined where the window is unknown. */
	roomTokens: number | undefined;
	/** Counted by `count` where one was given. */
	keptTokens: number;
	settings: CompactionSettings;
}

export interface PrepareOptions {
	/**
	 * The entry that is to be the first one kept, instead of what the settings would keep. The cut lies
	 * before it where it is no cut point itself.
	 */
	boundaryId?: string | undefined;
}

export interface CompactionResult {
	summary: string;
	shortSummary?: string;
	firstKeptEntryId: string;
	tokensBefore: number;
	tokensAfter: number;
	details: CompactionDetails;
	usage?: Usage;
}

export interface CompactOptions {
	/** A person's words on what the summary should focus on. */
	instructions?: string | undefined;
	/** Lines that hooks add for the summarizer. */
	additionalContext?: readonly string[] | undefined;
	/** A hook's prompt for the history, instead of ours. */
	basePrompt?: string | undefined;
	signal?: AbortSignal | undefined;
	count?: TokenCounter | undefined;
}

/** A summary that must be smaller says nothing. */
const LEAST_SUMMARY_TOKENS = 64;
/** Between the two parts of a split turn's summary (spec: split turns). */
const SPLIT = '\n\n---\n\n';
const NO_FILES = { readFiles: [], modifiedFiles: [] };
const TURN_CONTEXT = '**Turn Context (split turn):**\n\n';

/**
 * Plans a compaction of a path (root first). The window that is looked at is the active context: what
 * the previous compaction kept, then what came after it, so that no message is ever in neither a
 * summary nor the context (spec: the window is the active context).
 * Returns undefined where there is nothing to do: the path ends in a compaction, or everything fits
 * in what is kept.
 */
export function prepareCompaction(
	pathEntries: readonly SessionEntry[],
	settings: CompactionSettings,
	count?: TokenCounter,
	{ boundaryId }: PrepareOptions = {},
): CompactionPreparation | undefined {
	if (pathEntries.at(-1)?.type === 'compaction') return undefined;
	const budget = compactionBudget(settings);
	const start = findContextStart(pathEntries);
	const entries = snapshotFrom(pathEntries, start);
	const cut =
		boundaryId === undefined
			? cutForSize(entries, budget.keepTokens, count)
			: cutBefore(entries, entries.placeOf(boundaryId));
	const firstKept = cut && entries.entryAt(cut.first);
	if (!firstKept || !hasMessageBefore(entries, cut.first)) return undefined;

	const { roomTokens } = budget;
	const { compaction } = start;
	const kept = once(() => {
		const messages = entries.messages(cut.first);
		return { messages, tokens: contextTokens(messages, count, roomTokens) };
	});
	const summarized = once(() => summarizedPart(entries, cut, compaction));
	return withLazy(
		{
			firstKeptEntryId: firstKept.id,
			isSplitTurn: cut.turnStart >= 0,
			previousSummary: compaction && stripFileTags(compaction.summary),
			roomTokens,
			settings,
		},
		{
			messagesToSummarize: () => summarized().history,
			turnPrefixMessages: () => summarized().prefix,
			keptMessages: () => kept().messages,
			tokensBefore: () => contextTokens(contextMessages(start, entries), count, roomTokens),
			fileOps: () => summarized().fileOps,
			covered: () => summarized().covered,
			summaryTokens: () =>
				Math.min(budget.summaryTokens, roomForSummary(roomTokens, kept().tokens)),
			keptTokens: () => kept().tokens,
		},
	);
}

/** The context's entries of the path as it is now: callers may go on with their list. */
function snapshotFrom(path: readonly SessionEntry[], start: ContextStart): ContextEntries {
	const { firstKeptIndex, compactionIndex } = start;
	return new ContextEntries(path.slice(firstKeptIndex), {
		...start,
		firstKeptIndex: 0,
		compactionIndex: compactionIndex - firstKeptIndex,
	});
}

function hasMessageBefore(entries: ContextEntries, end: number): boolean {
	for (let place = entries.from; place < end; place++) if (entries.messageAt(place)) return true;
	return false;
}

interface SummarizedPart {
	history: AgentMessage[];
	prefix: AgentMessage[];
	fileOps: FileOperations;
	covered: CoveredRange;
}

/** What goes into the summary. All of it at once: the parts are of one size, and read together. */
function summarizedPart(
	entries: ContextEntries,
	{ first, turnStart }: Cut,
	previous: CompactionEntry | undefined,
): SummarizedPart {
	const historyEnd = turnStart < 0 ? first : turnStart;
	const history: AgentMessage[] = [];
	const prefix: AgentMessage[] = [];
	const fileOps = createFileOperations();
	if (previous) addRecordedFiles(fileOps, previous);
	let firstEntryId: string | undefined;
	let lastEntryId = '';
	for (let place = entries.from; place < first; place++) {
		const entry = entries.entryAt(place);
		if (!entry) continue;
		firstEntryId ??= entry.id;
		lastEntryId = entry.id;
		if (entry.type === 'branch_summary') addRecordedFiles(fileOps, entry);
		const message = entries.messageAt(place);
		if (!message) continue;
		(place < historyEnd ? history : prefix).push(message);
		addFileOperations(fileOps, message);
	}
	const messages = history.length + prefix.length;
	return {
		...{ history, prefix, fileOps },
		covered: { firstEntryId: firstEntryId ?? '', lastEntryId, messages },
	};
}

/**
 * Makes the summary of a prepared compaction. Nothing is stored.
 * @throws UserError where what is kept leaves no room for a summary, no usable one came back or the context
 * would not shrink; an AbortError when the signal fired
 */
export async function compact(
	preparation: CompactionPreparation,
	summarizer: Summarizer,
	options: CompactOptions = {},
): Promise<CompactionResult> {
	const began = performance.now();
	const room = roomForSummary(preparation.roomTokens, preparation.keptTokens);
	// The summary would be clipped to nothing, and what it stands for be gone from the context.
	if (room < LEAST_SUMMARY_TOKENS)
		throw new UserError(
			'no-room',
			`What would be kept (${preparation.keptTokens} tokens) leaves no room for a summary.`,
			{ kept: 'The session is unchanged.', hint: 'Keep less: choose a later entry.' },
		);
	const { text, shortText, usage } = await summarizeParts(preparation, summarizer, options);
	const lists = fileLists(preparation.fileOps);
	const summary = fittingSummary(text, lists, room, options.count);
	const tokensAfter = contextTokens(
		[
			{
				role: 'compactionSummary',
				summary,
				tokensBefore: preparation.tokensBefore,
				timestamp: 0,
			},
			...preparation.keptMessages,
		],
		options.count,
		preparation.roomTokens,
	);
	if (tokensAfter >= preparation.tokensBefore)
		throw new UserError(
			'no-gain',
			`Compacting would not make the context smaller (${preparation.tokensBefore} tokens now, ${tokensAfter} with the summary).`,
			{ kept: 'The session is unchanged.' },
		);
	return {
		summary,
		...(shortText ? { shortSummary: shortText } : {}),
		firstKeptEntryId: preparation.firstKeptEntryId,
		tokensBefore: preparation.tokensBefore,
		tokensAfter,
		details: {
			...lists,
			covered: preparation.covered,
			summarizer: { name: summarizer.name, durationMs: Math.round(performance.now() - began) },
		},
		...(usage ? { usage } : {}),
	};
}

/** What a compaction is expected to leave, in tokens: the kept messages and a summary of usual size. */
export function expectedTokensAfter(preparation: CompactionPreparation): number {
	const { keptTokens, summaryTokens } = preparation;
	return keptTokens + Math.min(summaryTokens, USUAL_SUMMARY_TOKENS);
}

/** One summary, or two where a turn is split, made one after the other: local servers take one at a time. */
async function summarizeParts(
	preparation: CompactionPreparation,
	summarizer: Summarizer,
	options: CompactOptions,
): Promise<SummaryAnswer> {
	const signal = options.signal ?? new AbortController().signal;
	const { messagesToSummarize, turnPrefixMessages, previousSummary, summaryTokens } = preparation;
	const { instructions, additionalContext, basePrompt } = options;
	const focus = instructions ? { instructions } : {};
	const context = additionalContext?.length ? { additionalContext } : {};
	const summarizeHistory = (maxTokens: number) =>
		summarizer.summarize(
			{
				kind: 'history',
				messages: messagesToSummarize,
				maxTokens,
				...(previousSummary ? { previousSummary } : {}),
				...(basePrompt ? { basePrompt } : {}),
				...context,
				...focus,
			},
			signal,
		);
	if (turnPrefixMessages.length === 0) return summarizeHistory(summaryTokens);

	const hasHistory = messagesToSummarize.length > 0;
	// Without new history before the split turn the previous summary is the history (spec).
	const historyTokens = Math.floor((summaryTokens * 2) / 3);
	const history: SummaryAnswer | undefined = hasHistory
		? await summarizeHistory(historyTokens)
		: previousSummary
			? { text: fittingSummary(previousSummary, NO_FILES, historyTokens, options.count) }
			: undefined;
	const prefix = await summarizer.summarize(
		{
			kind: 'turnPrefix',
			messages: turnPrefixMessages,
			maxTokens: Math.floor(summaryTokens / 3),
			...(hasHistory ? {} : context),
			...focus,
		},
		signal,
	);
	const usage = addUsage(history?.usage, prefix.usage);
	const shortText = history?.shortText ?? prefix.shortText;
	return {
		text: [...(history ? [history.text.trim()] : []), TURN_CONTEXT + prefix.text.trim()].join(
			SPLIT,
		),
		...(shortText ? { shortText } : {}),
		...(usage ? { usage } : {}),
	};
}
