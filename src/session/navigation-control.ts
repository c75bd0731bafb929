/** Moving a session's leaf, with the summary of what is left and the hooks on the way. */
import { untilAborted } from '../util/async.ts';
import { isAbort } from '../util/errors.ts';
import type { NavigateOptions, NavigateResult } from './agent-events.ts';
import {
	collectEntriesForBranchSummary,
	generateBranchSummary,
	type BranchEntries,
} from './compaction/branch-summarization.ts';
import { compactionBudget } from './compaction/budget.ts';
import { tryCandidates, withFailures } from './compaction/candidates.ts';
import type { SessionEntry } from './entries.ts';
import { requireReadable } from './entry-parse.ts';
import type { NavigationTarget } from './navigation.ts';
import type { NewBranchSummary } from './session-manager.ts';
import { compactionSettings, requireLeaf, type SessionParts } from './session-parts.ts';

export class NavigationControl {
	private readonly parts: SessionParts;

	constructor(parts: SessionParts) {
		this.parts = parts;
	}

	/**
	 * Moves the leaf (spec: navigation targets), after summarizing what is left where that was asked.
	 * @param hold keeps others out while a summary is made
	 * @throws UserError where the summary failed: the leaf is unmoved then. Cancelling gives `{ cancelled: true, aborted: true }`, and so does a hook without `aborted`.
	 */
	async navigate(
		targetId: string,
		target: NavigationTarget,
		options: NavigateOptions,
		signal: AbortSignal,
		hold: () => Promise<void>,
	): Promise<NavigateResult> {
		const { manager, hooks } = this.parts;
		const { leafId, editorText } = target;
		const oldLeafId = manager.leafId;
		const wanted = options.summarize ?? this.parts.settings().branchSummary.enabled;
		try {
			const left = collectEntriesForBranchSummary(manager.tree, oldLeafId, leafId);
			const before = await hooks.run(
				'session_before_tree',
				{
					preparation: {
						targetId,
						oldLeafId,
						commonAncestorId: left.commonAncestorId,
						entriesToSummarize: left.entries,
						userWantsSummary: wanted,
						...instructionsOf(options),
						...(options.label === undefined ? {} : { label: options.label }),
					},
					signal,
				},
				signal,
				({ cancel, summary }) => cancel === true || (wanted && isSummary(summary)),
			);
			const answer = before.answers.at(-1)?.result;
			if (answer?.cancel === true) return { cancelled: true };
			const given = wanted && isSummary(answer?.summary) ? answer.summary : undefined;
			const summary = wanted ? await this.summaryOf(left, given, options, signal, hold) : undefined;
			signal.throwIfAborted();
			const summaryEntry = summary && (await manager.branchWithSummary(leafId, summary));
			if (!summaryEntry) manager.branch(leafId);
			const labelled = summaryEntry?.id ?? targetId;
			if (options.label !== undefined) await manager.appendLabel(labelled, options.label);
			await hooks.run(
				'session_tree',
				{
					newLeafId: manager.leafId,
					oldLeafId,
					...(summaryEntry
						? { summaryEntry, fromExtension: summaryEntry.fromExtension === true }
						: {}),
				},
				NEVER,
			);
			return {
				cancelled: false,
				...(editorText === undefined ? {} : { editorText }),
				...(summaryEntry ? { summaryEntry } : {}),
			};
		} catch (error) {
			if (isAbort(error)) return { cancelled: true, aborted: true };
			throw error;
		}
	}

	private async summaryOf(
		{ entries }: BranchEntries,
		given: GivenSummary | undefined,
		options: NavigateOptions,
		signal: AbortSignal,
		hold: () => Promise<void>,
	): Promise<NewBranchSummary | undefined> {
		const { manager } = this.parts;
		const fromId = manager.leafId;
		for (const entry of entries) requireReadable(entry);
		if (fromId === null || entries.length === 0) return undefined;
		await hold();
		if (given) return { ...given, fromId, fromExtension: true };
		const result = await this.summarize(entries, options, signal);
		requireLeaf(manager, fromId);
		return result && { ...result, fromId, fromExtension: false };
	}

	private async summarize(
		entries: readonly SessionEntry[],
		options: NavigateOptions,
		signal: AbortSignal,
	) {
		const { reserveTokens } = this.parts.settings().branchSummary;
		const budget = compactionBudget({ ...compactionSettings(this.parts, 0), reserveTokens });
		const candidates = await untilAborted(this.parts.summarizers(options.summarizer), signal);
		const making = tryCandidates(
			candidates,
			(summarizer) => {
				const window = summarizer.contextWindow;
				return generateBranchSummary(entries, summarizer, {
					tokenBudget: window === undefined ? undefined : window - budget.reserveTokens,
					summaryTokens: budget.summaryTokens,
					instructions: options.customInstructions,
					replaceInstructions: options.replaceInstructions,
					signal,
				});
			},
			{ signal },
		);
		const { value, failures } = await untilAborted(making, signal);
		return value && { ...value, details: withFailures(value.details, failures) };
	}
}

interface GivenSummary {
	summary: string;
	details?: unknown;
}

const NEVER = new AbortController().signal;

/** Hooks are other people's code: anything may stand here. */
function isSummary(given: GivenSummary | undefined): given is GivenSummary {
	return typeof given?.summary === 'string' && given.summary.trim() !== '';
}

function instructionsOf({ customInstructions, replaceInstructions }: NavigateOptions) {
	return {
		...(customInstructions === undefined ? {} : { customInstructions }),
		...(replaceInstructions === undefined ? {} : { replaceInstructions }),
	};
}
