/** Owns the offline summarizer: the Summarizer that needs no model, no key and no network. */
import type {
	SummaryAnswer,
	Summarizer,
	SummaryRequest,
} from '../../session/compaction/summarizer.ts';
import type { AgentMessage } from '../../session/messages.ts';
import { UserError } from '../../util/errors.ts';
import { digest, openTurnMilestones } from './digest.ts';
import { FailureLog } from './failure-log.ts';
import { Focus } from './focus.ts';
import { addBranch, mergeOutlines } from './merge.ts';
import { emptyOutline, isEmptyOutline, type Outline } from './outline.ts';
import { Pacer } from './pacer.ts';
import { parseSummary } from './previous-summary.ts';
import { renderSummary } from './render.ts';
import { shortTextOf } from './short-text.ts';
import { walkMessages } from './turns.ts';

/**
 * A summary is read by a model on every later request; more than this says little more. A history and
 * the early part of a split turn stand in one summary, of 4,000 tokens together.
 */
const ENOUGH_TOKENS = { history: 3_300, turnPrefix: 680, branch: 3_300 };

/**
 * The summarizer used where no model is connected and as the last candidate in a recovery. It
 * extracts rather than writes: the same input always gives the same text.
 */
export function createOfflineSummarizer(): Summarizer {
	return { name: 'offline', contextWindow: undefined, summarize };
}

async function summarize(request: SummaryRequest, signal: AbortSignal): Promise<SummaryAnswer> {
	const pacer = new Pacer(signal);
	const focus = new Focus(request.instructions);
	const failures = new FailureLog();
	const before = request.previousSummary ? parseSummary(request.previousSummary) : emptyOutline();
	failures.carry([...before.stale, ...before.blocked]);
	const walk = await walkMessages(request.messages, failures, pacer);
	const now = await digest(walk, focus, pacer);
	if (request.kind === 'turnPrefix') now.done.push(...openTurnMilestones(walk));

	let outline: Outline = before;
	for (const summary of walk.summaries) {
		const parsed = parseSummary(summary.text);
		await pacer.worked(summary.text.length);
		if (summary.branch) addBranch(now, parsed);
		else {
			failures.carry([...parsed.stale, ...parsed.blocked]);
			outline = mergeOutlines(outline, parsed);
		}
	}
	Object.assign(now, failures.open(walk.turns.length));
	now.focusNotes = focus.notes();
	outline = mergeOutlines(outline, now);
	if (isEmptyOutline(outline)) outline.notes.push(wordlessNote(request.messages));
	await pacer.pause();
	const budget = Math.max(1, Math.min(request.maxTokens, ENOUGH_TOKENS[request.kind]));
	const text = renderSummary(outline, request.kind, focus.text, budget);
	return { text, shortText: shortTextOf(outline) };
}

/** A session of images alone must not be stuck. */
function wordlessNote(messages: readonly AgentMessage[]): string {
	const images = messages.flatMap((message) =>
		'content' in message && Array.isArray(message.content)
			? message.content.filter(({ type }) => type === 'image')
			: [],
	).length;
	if (images === 0)
		throw new UserError('empty', 'There is no text to summarize.', {
			kept: 'Nothing was changed.',
		});
	return `What was summarized held ${images} images and no text.`;
}
