/**
 * Compaction: plans what is summarized and what is kept, and makes the summary. Pure over its inputs:
 * nothing is stored here, and the summarizer is passed in.
 */
import { UserError } from '../../util/errors.ts';
import type { TokenCounter } from '../../util/tokens.ts';
import { buildPathContext, findContextStart, keptContextEntries } from '../context.ts';
import { contextTokens } from '../context-tokens.ts';
import type { CompactionDetails, CoveredRange, SessionEntry } from '../entries.ts';
import type { AgentMessage } from '../messages.ts';
import type { Usage } from '../../agent/messages.ts';
import { compactionBudget, USUAL_SUMMARY_TOKENS, type CompactionSettings } from './budget.ts';
import { findCutPoint } from './cut-point.ts';
import type { SummaryAnswer, Summarizer } from './summarizer.ts';
import { addUsage } from './usage.ts';
import {
	addFileOperations,
	addRecordedFiles,
	appendFileTags,
	createFileOperations,
	fileLists,
	stripFileTags,
	type FileOperations,
} from './utils.ts';

/** The plan of a compaction: everything that is decided before a summarizer is asked. */
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
	settings: CompactionSettings;
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
	signal?: AbortSignal | undefined;
	count?: TokenCounter | undefined;
}

/** Between the two parts of a split turn's summary (spec: split turns). */
const SPLIT = '\n\n---\n\n';
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
): CompactionPreparation | undefined {
	if (pathEntries.at(-1)?.type === 'compaction') return undefined;
	const budget = compactionBudget(settings);
	const start = findContextStart(pathEntries);
	const cut = findCutPoint(
		pathEntries,
		start.firstKeptIndex,
		pathEntries.length,
		budget.keepTokens,
		count,
	);
	const firstKept = pathEntries[cut.firstKeptEntryIndex];
	if (!firstKept) return undefined;

	const historyEnd = cut.isSplitTurn ? cut.turnStartIndex : cut.firstKeptEntryIndex;
	const positions = new Map(pathEntries.map((entry, index) => [entry, index]));
	const messagesToSummarize: AgentMessage[] = [];
	const turnPrefixMessages: AgentMessage[] = [];
	const keptMessages: AgentMessage[] = [];
	const fileOps = createFileOperations();
	const coveredEntries: SessionEntry[] = [];
	for (const { entry, messages } of keptContextEntries(pathEntries, start)) {
		const position = positions.get(entry) ?? 0;
		if (position >= cut.firstKeptEntryIndex) {
			keptMessages.push(...messages);
			continue;
		}
		(position < historyEnd ? messagesToSummarize : turnPrefixMessages).push(...messages);
		coveredEntries.push(entry);
		if (entry.type === 'branch_summary') addRecordedFiles(fileOps, entry);
	}
	const first = coveredEntries[0];
	const last = coveredEntries.at(-1);
	if (!first || !last || messagesToSummarize.length + turnPrefixMessages.length === 0)
		return undefined;

	if (start.compaction) addRecordedFiles(fileOps, start.compaction);
	addFileOperations(fileOps, messagesToSummarize);
	addFileOperations(fileOps, turnPrefixMessages);
	return {
		firstKeptEntryId: firstKept.id,
		messagesToSummarize,
		turnPrefixMessages,
		isSplitTurn: cut.isSplitTurn,
		keptMessages,
		tokensBefore: contextTokens(buildPathContext(pathEntries).messages, count),
		previousSummary: start.compaction && stripFileTags(start.compaction.summary),
		fileOps,
		covered: {
			firstEntryId: first.id,
			lastEntryId: last.id,
			messages: messagesToSummarize.length + turnPrefixMessages.length,
		},
		summaryTokens: budget.summaryTokens,
		settings,
	};
}

/**
 * Makes the summary of a prepared compaction. Nothing is stored.
 * @throws UserError where no usable summary came back or the context would not shrink; an AbortError
 * when the signal fired
 */
export async function compact(
	preparation: CompactionPreparation,
	summarizer: Summarizer,
	options: CompactOptions = {},
): Promise<CompactionResult> {
	const began = performance.now();
	const { text, shortText, usage } = await summarizeParts(preparation, summarizer, options);
	const lists = fileLists(preparation.fileOps);
	const summary = appendFileTags(text, lists);
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
	const { keptMessages, summaryTokens } = preparation;
	return contextTokens(keptMessages) + Math.min(summaryTokens, USUAL_SUMMARY_TOKENS);
}

/** One summary, or two where a turn is split, made one after the other: local servers take one at a time. */
async function summarizeParts(
	preparation: CompactionPreparation,
	summarizer: Summarizer,
	options: CompactOptions,
): Promise<SummaryAnswer> {
	const signal = options.signal ?? new AbortController().signal;
	const { messagesToSummarize, turnPrefixMessages, previousSummary, summaryTokens } = preparation;
	const instructions = options.instructions ? { instructions: options.instructions } : {};
	if (turnPrefixMessages.length === 0)
		return summarizer.summarize(
			{
				kind: 'history',
				messages: messagesToSummarize,
				maxTokens: summaryTokens,
				...(previousSummary ? { previousSummary } : {}),
				...instructions,
			},
			signal,
		);

	const history: SummaryAnswer | undefined =
		messagesToSummarize.length > 0
			? await summarizer.summarize(
					{
						kind: 'history',
						messages: messagesToSummarize,
						maxTokens: Math.floor((summaryTokens * 2) / 3),
						...(previousSummary ? { previousSummary } : {}),
						...instructions,
					},
					signal,
				)
			: // Without new history before the split turn the previous summary is the history (spec).
				previousSummary
				? { text: previousSummary }
				: undefined;
	const prefix = await summarizer.summarize(
		{
			kind: 'turnPrefix',
			messages: turnPrefixMessages,
			maxTokens: Math.floor(summaryTokens / 3),
			...instructions,
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
