/** Summarizers tried in order until one makes a summary; each failure is kept with its reason. */
import { ModelError } from '../../agent/model.ts';
import { abortError, isAbort, UserError } from '../../util/errors.ts';
import type { SummarizerFailure, SummaryDetails } from '../entries.ts';
import { SummaryFailure } from './summary-answer.ts';
import type { Summarizer } from './summarizer.ts';

export interface CandidateResult<T> {
	value: T;
	/** The one that made it. */
	summarizer: Summarizer;
	/** Those before it, in order. */
	failures: SummarizerFailure[];
}

/** Characters of a failure's message that are stored. */
const MESSAGE_LIMIT = 500;
/** The reason where several summarizers failed for different reasons. */
const NO_SUMMARY = 'no-summary';

/**
 * Runs `run` with each summarizer in turn until one succeeds. What the summarizer is to blame for
 * leads to the next one, a summary that makes the context no smaller ("no-gain") included: another
 * model may write a shorter one. A UserError about the session ends it, as does an abort.
 * @throws where all failed: the error of the only one as it is, or one UserError that names each with
 * its reason; a UserError about the session as it is; an AbortError when `signal` fired
 */
export async function tryCandidates<T>(
	candidates: readonly Summarizer[],
	run: (summarizer: Summarizer) => Promise<T>,
	{ signal }: { signal: AbortSignal },
): Promise<CandidateResult<T>> {
	const failures: SummarizerFailure[] = [];
	const errors: unknown[] = [];
	for (const summarizer of candidates) {
		if (signal.aborted) throw abortError('The summary');
		try {
			return { value: await run(summarizer), summarizer, failures };
		} catch (error) {
			if (isAbort(error)) throw error;
			if (signal.aborted) throw abortError('The summary');
			if (isAboutSession(error)) throw error;
			errors.push(error);
			failures.push(failureOf(summarizer.name, error));
		}
	}
	throw errors.length === 1 ? errors[0] : allFailed(failures, errors);
}

/** The details of a summary, together with the failures that came before it. */
export function withFailures<T extends SummaryDetails>(
	details: T,
	failures: SummarizerFailure[],
): T {
	const { summarizer } = details;
	if (!summarizer || failures.length === 0) return details;
	return { ...details, summarizer: { ...summarizer, failures } };
}

/** True for errors that the next summarizer would meet as well. */
function isAboutSession(error: unknown): boolean {
	return (
		error instanceof UserError && !(error instanceof SummaryFailure) && error.reason !== 'no-gain'
	);
}

function failureOf(name: string, error: unknown): SummarizerFailure {
	const reason = error instanceof UserError || error instanceof ModelError ? error.reason : 'error';
	// The request's own words, without what was wrapped around them for a person.
	const wrapped = error instanceof SummaryFailure && error.cause instanceof ModelError;
	const told = wrapped ? error.cause : error;
	const message = told instanceof Error ? told.message : String(told);
	return { name, reason, message: message.slice(0, MESSAGE_LIMIT) };
}

function allFailed(failures: readonly SummarizerFailure[], errors: readonly unknown[]): UserError {
	const reasons = new Set(failures.map(({ reason }) => reason));
	const [only] = reasons.size === 1 ? reasons : [];
	const last = errors.at(-1);
	const told = failures.map(({ name, message }) => `${name}: ${withStop(message)}`);
	return new UserError(
		only ?? NO_SUMMARY,
		told.length > 0
			? `No summary was made; ${told.length} summarizers failed. ${told.join(' ')}`
			: 'There is no summarizer to make a summary with.',
		{
			kept: 'The session is unchanged.',
			...(last instanceof UserError && last.hint ? { hint: last.hint } : {}),
			cause: new AggregateError(errors),
		},
	);
}

function withStop(message: string): string {
	return /[.!?…"”]$/.test(message) ? message : `${message}.`;
}
