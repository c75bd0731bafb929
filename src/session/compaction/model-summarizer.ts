/** The Summarizer port over any model: as many requests as it takes, none larger than the window. */
import type { AssistantMessage, Usage } from '../../agent/messages.ts';
import { ModelError, type Model } from '../../agent/model.ts';
import { NO_RETRIES, withRetry, type RetryNotice, type RetryPolicy } from '../../agent/retry.ts';
import { createYielder } from '../../util/async.ts';
import { abortError, isAbort } from '../../util/errors.ts';
import { estimateTextTokens } from '../../util/tokens.ts';
import systemPrompt from '../../../prompts/compaction/summarization-system-prompt.md';
import shortPrompt from '../../../prompts/compaction/compaction-short-summary.md';
import type { AgentMessage } from '../messages.ts';
import { buildRequest } from '../request-builder.ts';
import { clipToFit } from '../../util/clip-text.ts';
import { serializeMessage } from './serialize.ts';
import { requestFailure, summaryFailure, summaryOf } from './summary-answer.ts';
import type { Summarizer, SummaryAnswer, SummaryRequest } from './summarizer.ts';
import { summaryPrompt } from './summary-prompt.ts';
import { TranscriptParts } from './transcript-parts.ts';
import { addUsage } from './usage.ts';

export interface ModelSummarizerOptions {
	/** Asks for a line for lists too, in one more request for a history; false where absent. */
	shortSummary?: boolean;
	/** The longest that one request may take, in ms; 15 minutes where absent. */
	timeLimitMs?: number;
	/** For each single request, so that parts already summarized are not lost; none where absent. */
	retry?: RetryPolicy;
	/** Told before each wait for a retry. */
	onRetry?: (notice: RetryNotice) => void;
	/** How retries wait; see withRetry. */
	wait?: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

const DEFAULT_TIME_LIMIT_MS = 15 * 60_000;
/** Share of the window that a summary may take at most, so that there is room for what it is about. */
const OUTPUT_SHARE = 0.5;
/** Share of the window that is left alone: servers add tokens for roles and templates. */
const MARGIN_SHARE = 0.05;
/** Below this many tokens for the transcript no useful summary can come about. */
const LEAST_TRANSCRIPT_TOKENS = 200;
/** How often the parts are halved where the server finds a request too long all the same. */
const MOST_HALVINGS = 4;
/** Share of what a prompt may take that hooks' lines take at most, and as much for a hook's prompt. */
const HOOK_SHARE = 1 / 3;
const SHORT_SUMMARY_TOKENS = 512;

const system = systemPrompt.trim();

async function transcriptOf(messages: readonly AgentMessage[], signal: AbortSignal) {
	const yielder = createYielder();
	const blocks: string[] = [];
	for (const message of buildRequest(messages).messages) {
		const block = serializeMessage(message);
		if (block) blocks.push(block);
		await yielder();
		if (signal.aborted) throw abortError('The summary');
	}
	return new TranscriptParts(blocks);
}

/** The request with no more of what hooks said than `most` tokens each, so that they never fill a window. */
function withFittingHooks(request: SummaryRequest, most: number): SummaryRequest {
	const { basePrompt, additionalContext = [], ...rest } = request;
	const lines: string[] = [];
	let left = most;
	for (const line of additionalContext) {
		const fitting = clipToFit(line, (text) => estimateTextTokens(text) <= left);
		if (fitting === '') continue;
		lines.push(fitting);
		left -= estimateTextTokens(fitting);
	}
	// A prompt without its middle asks for something else: ours takes its place.
	const isUsable = basePrompt !== undefined && estimateTextTokens(basePrompt) <= most;
	return {
		...rest,
		...(lines.length > 0 ? { additionalContext: lines } : {}),
		...(isUsable ? { basePrompt } : {}),
	};
}

/** One summary in the making. */
class SummaryRun {
	usage: Usage | undefined;
	readonly #model: Model;
	readonly #name: string;
	readonly #options: ModelSummarizerOptions;
	readonly #timeLimitMs: number;
	readonly #signal: AbortSignal;

	constructor(model: Model, name: string, options: ModelSummarizerOptions, signal: AbortSignal) {
		this.#model = model;
		this.#name = name;
		this.#options = options;
		this.#timeLimitMs = options.timeLimitMs ?? DEFAULT_TIME_LIMIT_MS;
		this.#signal = signal;
	}

	/** The limit for one answer. */
	outputTokens(maxTokens: number): number {
		return Math.max(1, Math.min(maxTokens, Math.floor(this.#model.contextWindow * OUTPUT_SHARE)));
	}

	/** Tokens that prompts may have beside an answer of `output` tokens. */
	promptTokens(output: number): number {
		const { contextWindow } = this.#model;
		return contextWindow - output - Math.ceil(contextWindow * MARGIN_SHARE);
	}

	/** Sends one prompt; the answer is a summary or an error. No tools are offered. */
	async ask(
		prompt: string,
		maxOutputTokens: number,
		retry: RetryPolicy = this.#options.retry ?? NO_RETRIES,
	): Promise<string> {
		const { onRetry, wait } = this.#options;
		const receive = () => this.#receive(prompt, maxOutputTokens);
		const message = await withRetry(receive, retry, { signal: this.#signal, onRetry, wait });
		// Some servers and endpoints report nothing.
		if (message.usage.totalTokens > 0) this.usage = addUsage(this.usage, message.usage);
		return summaryOf(message, this.#name, maxOutputTokens);
	}

	async #receive(prompt: string, maxOutputTokens: number) {
		const limit = AbortSignal.timeout(this.#timeLimitMs);
		let message: AssistantMessage | undefined;
		const user = { role: 'user' as const, content: prompt, timestamp: Date.now() };
		try {
			const events = this.#model.stream(
				{ systemPrompt: system, messages: [user], maxOutputTokens },
				AbortSignal.any([this.#signal, limit]),
			);
			for await (const event of events) if (event.type === 'done') message = event.message;
		} catch (error) {
			if (this.#signal.aborted) throw abortError('The summary');
			if (limit.aborted && isAbort(error)) {
				const minutes = Math.round(this.#timeLimitMs / 60_000);
				const message = `${this.#name} had not finished the summary after ${minutes} minutes.`;
				throw summaryFailure('timeout', message, { cause: error });
			}
			throw error;
		}
		if (this.#signal.aborted) throw abortError('The summary');
		if (!message) throw summaryFailure('badAnswer', `${this.#name} ended without an answer.`);
		return message;
	}

	/** Goes through the transcript, each part merged into the summary of the parts before it. */
	async summarize(given: SummaryRequest, parts: TranscriptParts): Promise<string> {
		const output = this.outputTokens(given.maxTokens);
		const whole = this.promptTokens(output) - estimateTextTokens(system);
		const request = withFittingHooks(given, whole * HOOK_SHARE);
		let summary = request.previousSummary?.trim() || undefined;
		let halvings = 0;
		let mostPerPart = Infinity;
		while (!parts.done) {
			const bare = whole - estimateTextTokens(summaryPrompt(request, '', undefined));
			const previous =
				summary && clipToFit(summary, (text) => estimateTextTokens(text) <= bare / 2);
			const overhead = estimateTextTokens(summaryPrompt(request, '', previous));
			const room = Math.min(whole - overhead, mostPerPart);
			if (room < LEAST_TRANSCRIPT_TOKENS)
				throw summaryFailure(
					'window',
					`The window of ${this.#name} (${this.#model.contextWindow} tokens) is too small to make a summary in.`,
				);
			const part = parts.peek(room);
			try {
				summary = await this.ask(summaryPrompt(request, part.text, previous), output);
				part.advance();
			} catch (error) {
				// The estimate was too low for this model, or its window is smaller than configured.
				const overflow = error instanceof ModelError && error.reason === 'overflow';
				mostPerPart = Math.floor(estimateTextTokens(part.text) / 2);
				const hopeless = halvings >= MOST_HALVINGS || mostPerPart < LEAST_TRANSCRIPT_TOKENS;
				if (!overflow || hopeless) throw error;
				halvings++;
			}
		}
		return summary ?? '';
	}

	/** A line for lists; its failure costs nobody the summary, and no wait for a retry. */
	async shorten(summary: string): Promise<string | undefined> {
		const fits = (text: string) =>
			estimateTextTokens(text) + estimateTextTokens(system + shortPrompt) + 20 <=
			this.promptTokens(SHORT_SUMMARY_TOKENS);
		const quoted = clipToFit(summary, fits);
		if (!quoted) return undefined;
		try {
			const prompt = `<summary>\n${quoted}\n</summary>\n\n${shortPrompt.trim()}`;
			return await this.ask(prompt, this.outputTokens(SHORT_SUMMARY_TOKENS), NO_RETRIES);
		} catch (error) {
			if (isAbort(error)) throw error;
			return undefined;
		}
	}
}

/**
 * A summarizer over `model`. Its requests hold the transcript as quoted data with the instruction
 * after it, fit the model's window by the estimate, and offer no tools (spec.md, "Summary
 * generation").
 */
export function createModelSummarizer(
	model: Model,
	options: ModelSummarizerOptions = {},
): Summarizer {
	const name = model.label ?? `${model.provider}/${model.id}`;
	return {
		name,
		contextWindow: model.contextWindow,
		async summarize(request: SummaryRequest, signal: AbortSignal): Promise<SummaryAnswer> {
			const run = new SummaryRun(model, name, options, signal);
			const parts = await transcriptOf(request.messages, signal);
			// Messages without a word to tell leave the earlier summary as it is.
			if (parts.done && !request.previousSummary?.trim())
				throw summaryFailure('nothing', 'There is nothing to summarize.');
			try {
				const text = await run.summarize(request, parts);
				const isForLists = options.shortSummary && request.kind === 'history';
				const shortText = isForLists ? await run.shorten(text) : undefined;
				return {
					text,
					...(run.usage ? { usage: run.usage } : {}),
					...(shortText ? { shortText } : {}),
				};
			} catch (error) {
				throw error instanceof ModelError ? requestFailure(error) : error;
			}
		},
	};
}
