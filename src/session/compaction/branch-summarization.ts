/**
 * Branch summaries: which entries a navigation leaves behind, and a summary of them. Pure over its
 * inputs: nothing is stored here, and the summarizer is passed in.
 */
import preamble from '../../../prompts/compaction/branch-summary-preamble.md';
import type { Usage } from '../../agent/messages.ts';
import { estimateTextTokens } from '../../util/tokens.ts';
import { estimateTokens } from '../message-tokens.ts';
import { keptContextEntries, openingMessages } from '../context.ts';
import type { BranchSummaryDetails, SessionEntry } from '../entries.ts';
import type { AgentMessage } from '../messages.ts';
import type { SessionTree } from '../session-tree.ts';
import { buildRequest } from '../request-builder.ts';
import { clipMessages } from './clip-message.ts';
import { fittingSummary } from './fitting-summary.ts';
import { OpenCalls } from './open-calls.ts';
import { SIZE_TOLERANCE } from './summary-answer.ts';
import type { Summarizer } from './summarizer.ts';
import {
	addFileOperations,
	addRecordedFiles,
	createFileOperations,
	fileLists,
	type FileOperations,
} from './utils.ts';

export interface BranchEntries {
	/** The entries left behind, oldest first. */
	entries: SessionEntry[];
	/** The deepest entry that the old and the new position share; null where there is none. */
	commonAncestorId: string | null;
}

export interface BranchPreparation {
	/** What the summary is made from, oldest first. */
	messages: AgentMessage[];
	fileOps: FileOperations;
	/** Estimated tokens of `messages`. */
	totalTokens: number;
}

export interface BranchSummaryOptions {
	/** Upper bound on what the summarizer reads, in tokens; none where absent. */
	tokenBudget?: number | undefined;
	/** Upper bound on the summary, in tokens. */
	summaryTokens: number;
	instructions?: string | undefined;
	/** True where the instructions replace the base prompt. */
	replaceInstructions?: boolean | undefined;
	signal: AbortSignal;
}

export interface BranchSummaryResult {
	summary: string;
	details: BranchSummaryDetails;
	usage?: Usage;
}

/** Up to this share of the budget a summary that exceeds it is still added, for continuity (upstream). */
const SUMMARY_FITS_BELOW = 0.9;
/** The share of the budget for a newest group that does not fit. */
const NEWEST_SHARE = 0.5;

/**
 * The entries from the old leaf back to (without) the common ancestor of the old and the new position.
 * Empty where the new position is ahead of the old leaf, or where there is no old leaf.
 */
export function collectEntriesForBranchSummary(
	tree: SessionTree,
	oldLeafId: string | null,
	targetId: string | null,
): BranchEntries {
	const commonAncestorId = tree.commonAncestor(oldLeafId, targetId);
	const entries: SessionEntry[] = [];
	for (const entry of tree.upFrom(oldLeafId, () => true)) {
		if (entry.id === commonAncestorId) break;
		entries.push(entry);
	}
	return { entries: entries.reverse(), commonAncestorId };
}

/**
 * Chooses what the summarizer reads. First pass: file operations of all entries, those recorded by
 * earlier internal summaries included. Second pass: messages from the newest back until the budget
 * is used up; the newest is clipped rather than left out (spec: branch summaries).
 */
export function prepareBranchEntries(
	entries: readonly SessionEntry[],
	tokenBudget: number = Infinity,
): BranchPreparation {
	const fileOps = createFileOperations();
	for (const entry of entries) {
		if (entry.type === 'message') addFileOperations(fileOps, entry.message);
		else if (entry.type === 'branch_summary' || entry.type === 'compaction')
			addRecordedFiles(fileOps, entry);
	}
	const chosen: AgentMessage[][] = [];
	let totalTokens = 0;
	for (const { messages, isSummary } of newestGroupsFirst(branchMessages(entries))) {
		const tokens = tokensOf(messages);
		if (totalTokens + tokens <= tokenBudget) {
			chosen.push(messages);
			totalTokens += tokens;
			continue;
		}
		if (chosen.length === 0) {
			// What is left of the budget is for what led there.
			const clipped = clipMessages(messages, Math.ceil(tokenBudget * NEWEST_SHARE));
			chosen.push([clipped]);
			totalTokens = tokensOf([clipped]);
			continue;
		}
		if (isSummary && totalTokens < tokenBudget * SUMMARY_FITS_BELOW) {
			chosen.push(messages);
			totalTokens += tokens;
		}
		break;
	}
	return { messages: chosen.reverse().flat(), fileOps, totalTokens };
}

function tokensOf(messages: readonly AgentMessage[]): number {
	return messages.reduce((sum, message) => sum + estimateTokens(message), 0);
}

interface MessageGroup {
	messages: [AgentMessage, ...AgentMessage[]];
	isSummary: boolean;
}

/** Joins each assistant message with its tool results: one without the other says nothing. */
function* newestGroupsFirst(groups: readonly MessageGroup[]): Generator<MessageGroup> {
	const newestFirst = groups.toReversed();
	const open = new OpenCalls(newestFirst.flatMap(({ messages }) => messages));
	let later: AgentMessage[] = [];
	for (const { messages, isSummary } of newestFirst) {
		for (const message of messages) open.meet(message);
		const [first, ...rest] = messages;
		if (open.any) later = [first, ...rest, ...later];
		else {
			yield { messages: [first, ...rest, ...later], isSummary };
			later = [];
		}
	}
	const [first, ...rest] = later;
	if (first) yield { messages: [first, ...rest], isSummary: false };
}

/** Each entry's messages, oldest first; compactions as compactionSummary messages. */
function branchMessages(entries: readonly SessionEntry[]): MessageGroup[] {
	const start = {
		compaction: undefined,
		compactionIndex: -1,
		firstKeptIndex: 0,
		unknownFirstKept: false,
	};
	const items = keptContextEntries(entries, start);
	return items.flatMap(({ entry, message }) => {
		const [first, ...rest] =
			entry.type === 'compaction'
				? openingMessages({ ...start, compaction: entry })
				: message
					? [message]
					: [];
		const isSummary = entry.type === 'compaction' || entry.type === 'branch_summary';
		return first ? [{ messages: [first, ...rest], isSummary }] : [];
	});
}

/**
 * Summarizes the entries of a branch that is being left. Undefined where they hold nothing to
 * summarize: then no entry is to be written.
 * @throws UserError where no usable summary came back; an AbortError when the signal fired
 */
export async function generateBranchSummary(
	entries: readonly SessionEntry[],
	summarizer: Summarizer,
	options: BranchSummaryOptions,
): Promise<BranchSummaryResult | undefined> {
	const began = performance.now();
	const { messages, fileOps } = prepareBranchEntries(entries, options.tokenBudget);
	if (buildRequest(messages).messages.length === 0) return undefined;
	const answer = await summarizer.summarize(
		{
			kind: 'branch',
			messages,
			maxTokens: Math.max(1, options.summaryTokens - estimateTextTokens(preamble)),
			...(options.instructions
				? {
						instructions: options.instructions,
						replaceInstructions: options.replaceInstructions !== false,
					}
				: {}),
		},
		options.signal,
	);
	const lists = fileLists(fileOps);
	const text = `${preamble.trim()}\n\n${answer.text.trim()}`;
	return {
		summary: fittingSummary(text, lists, options.summaryTokens * SIZE_TOLERANCE),
		details: {
			...lists,
			coveredEntries: entries.length,
			summarizer: { name: summarizer.name, durationMs: Math.round(performance.now() - began) },
		},
		...(answer.usage ? { usage: answer.usage } : {}),
	};
}
