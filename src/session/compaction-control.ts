/** Compaction of a session: planned, made by a hook or a summarizer, stored, taken back. */
import type { CompactionReason, HookCompaction } from '../extensibility/hooks/types.ts';
import { untilAborted } from '../util/async.ts';
import { isAbort, UserError } from '../util/errors.ts';
import type { TokenCounter } from '../util/tokens.ts';
import type {
	CompactionCause,
	CompactionOutcome,
	CompactionPlan,
	CompactOptions,
} from './agent-events.ts';
import { compactionAtBoundary } from './compaction/given-compaction.ts';
import { tryCandidates, withFailures } from './compaction/candidates.ts';
import {
	compact,
	expectedTokensAfter,
	prepareCompaction,
	type CompactionPreparation,
} from './compaction/compaction.ts';
import type { CompactionEntry, SessionEntry } from './entries.ts';
import { isObject } from './entry-parse.ts';
import type { NewCompaction } from './session-manager.ts';
import {
	compactionSettings,
	refusedByHook,
	requireLeaf,
	type SessionParts,
} from './session-parts.ts';
import { toUserError } from './turn-error.ts';

/** What is stored, and what is told of it. */
interface MadeCompaction {
	fields: NewCompaction;
	tokensAfter: number;
	keptMessages: number;
	summarizer: string;
}

export class CompactionControl {
	private readonly parts: SessionParts;

	constructor(parts: SessionParts) {
		this.parts = parts;
	}

	/**
	 * What a compaction would do; no model is asked and nothing is written.
	 * @throws UserError where there is nothing to compact
	 */
	async plan(options: CompactOptions): Promise<CompactionPlan> {
		const { preparation } = await this.prepare(options);
		const summarizers = await this.parts.summarizers(options.summarizer);
		return {
			preparation,
			tokensBefore: preparation.tokensBefore,
			// A summary is never longer than what it stands for.
			tokensAfter: Math.min(expectedTokensAfter(preparation), preparation.tokensBefore),
			candidates: summarizers.map(({ name }) => name),
		};
	}

	/**
	 * Makes and stores a compaction at the leaf, and tells its beginning and its end.
	 * @throws UserError where there is nothing to compact, a hook refused, or no usable summary came back;
	 * an AbortError when the signal fired. Nothing was written then.
	 */
	async run(
		options: CompactOptions,
		signal: AbortSignal,
		cause: CompactionCause = BY_HAND,
	): Promise<CompactionOutcome> {
		const { reason, willRetry } = cause;
		const { tell } = this.parts;
		tell({ type: 'compactionStarted', reason, willRetry });
		try {
			const outcome = await this.make(options, signal, cause);
			tell({ type: 'compactionEnded', reason, willRetry, outcome });
			return outcome;
		} catch (error) {
			tell({ type: 'compactionEnded', reason, willRetry: false, ...badEnd(reason, error) });
			throw error;
		}
	}

	private async make(
		options: CompactOptions,
		signal: AbortSignal,
		{ reason, willRetry, window }: CompactionCause,
	): Promise<CompactionOutcome> {
		const { manager, hooks } = this.parts;
		const { preparation, path, count } = await untilAborted(this.prepare(options, window), signal);
		const { instructions } = options;
		const before = await hooks.run(
			'session_before_compact',
			{
				preparation,
				branchEntries: path,
				...(instructions ? { customInstructions: instructions } : {}),
				...{ reason, willRetry },
				signal,
			},
			signal,
			({ cancel, compaction }) => cancel === true || compaction !== undefined,
		);
		const answer = before.answers.at(-1);
		if (answer?.result.cancel === true) throw refusedByHook(answer.name, 'be compacted');
		const { failures } = before;
		const given = answer?.result.compaction;
		const made =
			(given && this.take(given, answer.name, { preparation, path, count, failures })) ??
			(await this.summarize(options, { preparation, count, failures }, signal));
		requireLeaf(manager, path.at(-1)?.id ?? null);
		const entry = await manager.appendCompaction(made.fields);
		// It is saved: nothing that a hook does now can take it back, or be waited for by a person.
		const { fromExtension } = made.fields;
		await hooks.run('session_compact', { compactionEntry: entry, fromExtension }, NEVER);
		return {
			entry,
			tokensBefore: preparation.tokensBefore,
			tokensAfter: made.tokensAfter,
			summarizedMessages:
				preparation.messagesToSummarize.length + preparation.turnPrefixMessages.length,
			keptMessages: made.keptMessages,
			summarizer: made.summarizer,
		};
	}

	/**
	 * Takes a compaction of the current branch back: the leaf moves to the entry before it, and what came
	 * after stays a branch. Nothing is removed.
	 * @param compactionId the newest one of the branch where absent
	 * @throws UserError where there is no such compaction on the branch
	 */
	undo(compactionId?: string): CompactionEntry {
		const { manager } = this.parts;
		const { tree, leafId } = manager;
		for (const entry of tree.upFrom(leafId, (type) => type === 'compaction')) {
			if (entry.type !== 'compaction') continue;
			if (compactionId !== undefined && entry.id !== compactionId) continue;
			manager.branch(tree.parentOf(entry.id));
			return entry;
		}
		throw new UserError('no-compaction', 'There is no such compaction on this branch.', {
			kept: 'Nothing was changed.',
			hint: 'Switch to the branch that holds it first.',
		});
	}

	private async prepare({ boundaryId }: CompactOptions, window?: number): Promise<Prepared> {
		const { manager } = this.parts;
		const path = await manager.readContextPath();
		if (boundaryId !== undefined && !path.some(({ id }) => id === boundaryId))
			throw notInContext(boundaryId);
		const count = await this.parts.counter();
		await this.parts.findWindow();
		const settings = compactionSettings(this.parts, await this.parts.overhead(count), window);
		const preparation = prepareCompaction(path, settings, count, { boundaryId });
		if (!preparation) throw nothingToCompact(path.at(-1)?.type === 'compaction', boundaryId);
		return { preparation, path, count };
	}

	private async summarize(
		options: CompactOptions,
		{ preparation, count, failures }: Omit<Making, 'path'>,
		signal: AbortSignal,
	): Promise<MadeCompaction> {
		const { manager, hooks } = this.parts;
		const messages = [...preparation.messagesToSummarize, ...preparation.turnPrefixMessages];
		const event = { sessionId: manager.id, messages };
		const round = await hooks.run('session.compacting', event, signal);
		const results = round.answers.map(({ result }) => result);
		const candidates = await untilAborted(this.parts.summarizers(options.summarizer), signal);
		const compactOptions = {
			instructions: options.instructions,
			additionalContext: results.flatMap(({ context }) => strings(context)),
			basePrompt: results
				.flatMap(({ prompt }) => strings([prompt]))
				.find((prompt) => prompt.trim()),
			signal,
			count,
		};
		const making = tryCandidates(
			candidates,
			(summarizer) => compact(preparation, summarizer, compactOptions),
			{ signal },
		);
		const { value, summarizer, failures: failed } = await untilAborted(making, signal);
		const { tokensAfter, ...result } = value;
		const details = withFailures(result.details, failed);
		const hookFailures = [...failures, ...round.failures];
		// Hooks are other people's code: anything may stand here.
		const preserved = results.map(({ preserveData }) => preserveData).filter(isObject);
		return {
			fields: {
				...result,
				tokensAfter,
				details: { ...details, ...(hookFailures.length > 0 ? { hookFailures } : {}) },
				...(preserved.length > 0
					? { preserveData: Object.assign({}, ...preserved) as object }
					: {}),
				fromExtension: false,
			},
			tokensAfter,
			keptMessages: preparation.keptMessages.length,
			summarizer: summarizer.name,
		};
	}

	/** A hook's compaction where it can be used; else it counts as a failure of that hook. */
	private take(
		given: HookCompaction,
		name: string,
		{ preparation, path, count, failures }: Making,
	): MadeCompaction | undefined {
		const checked = compactionAtBoundary(given, path, preparation, count);
		if (typeof checked === 'string') {
			failures.push(`${name}: ${checked}`);
			return undefined;
		}
		const { tokensAfter, keptMessages } = checked;
		const { summary, shortSummary, firstKeptEntryId, details, preserveData } = given;
		return {
			fields: {
				summary,
				...(typeof shortSummary === 'string' && shortSummary ? { shortSummary } : {}),
				firstKeptEntryId,
				tokensBefore: preparation.tokensBefore,
				tokensAfter,
				...(details === undefined ? {} : { details }),
				...(preserveData === undefined ? {} : { preserveData }),
				fromExtension: true,
			},
			tokensAfter,
			keptMessages,
			summarizer: name,
		};
	}
}

/** Errors that say that there is nothing to gain, rather than that something went wrong. */
export function isNothingToCompact(error: unknown): boolean {
	return (
		error instanceof UserError &&
		(error.reason === 'too-small' || error.reason === 'already-compacted')
	);
}

/** How a compaction that was not made has ended, for views. */
function badEnd(reason: CompactionReason, error: unknown): { error?: UserError; skipped?: true } {
	if (isAbort(error)) return {};
	if (reason !== 'manual' && isNothingToCompact(error)) return { skipped: true };
	const told = toUserError(error);
	if (reason !== 'threshold') return { error: told };
	const { kept, hint } = told;
	return {
		error: new UserError(told.reason, `Auto-compaction failed: ${told.message}`, {
			...(kept ? { kept } : {}),
			...(hint ? { hint } : {}),
			cause: error,
		}),
	};
}

interface Prepared {
	preparation: CompactionPreparation;
	/** The part of the path that the context is made from. */
	path: SessionEntry[];
	count: TokenCounter;
}

interface Making extends Prepared {
	/** Hooks that failed on the way. */
	failures: string[];
}

const NEVER = new AbortController().signal;
const BY_HAND: CompactionCause = { reason: 'manual', willRetry: false };

function strings(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function notInContext(id: string): UserError {
	return new UserError('not-in-context', `Entry ${id} is not in the context of this branch.`, {
		kept: 'Nothing was changed.',
		hint: 'Choose one that no earlier compaction has summarized.',
	});
}

function nothingToCompact(already: boolean, boundaryId: string | undefined): UserError {
	const kept = 'Nothing was changed.';
	if (already)
		return new UserError('already-compacted', 'The session has just been compacted.', { kept });
	if (boundaryId !== undefined)
		return new UserError('too-small', 'There is nothing to summarize before this entry.', { kept });
	return new UserError(
		'too-small',
		'There is nothing to compact: all of it fits in what is kept.',
		{
			kept,
			hint: 'Lower "espalier.compaction.keepRecentTokens" to keep less.',
		},
	);
}
