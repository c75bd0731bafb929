/** Recognises a refusal that means "the context does not fit the model's window", by its wording. */

/**
 * Limits on speed, money or use. They also speak of too many tokens, but a shorter context does not
 * lift them, so they are looked for first.
 */
const rateLimitWordings: readonly RegExp[] = [
	/rate[ _-]?limit/,
	/throttl/,
	/too many requests/,
	/(?:tokens?|requests?)[ _-]per[ _-](?:second|min|hour|day)|\b[tr]p[md]\b/,
	/quota|billing|credit|spend|monthly|daily|usage limit/,
	/(?:wait|try again|retry)\b.{0,40}\b(?:second|minute|moment|later|again|before|after)/,
];

/** Limits on the answer or on single fields; compaction would not help. */
const otherLimitWordings: readonly RegExp[] = [
	/(?<!\+ [`'"]?)max(?:imum)?[ _](?:completion[ _]|output[ _]|new[ _])?tokens['"`]? (?:is |are |was |value )?(?:too (?:large|high|big)|must be (?:less|at most|<=|between))/,
	/at most \d[\d,]* (?:completion|output) tokens/,
	/string too long/,
	/(?<!tokens of )(?:image|file|attachment|pdf)s?\b.{0,60}(?:exceed|too (?:large|big|many))/,
];

/** One line for each server family, as its refusals are worded (see upstream-facts, section 6). */
const overflowWordings: readonly RegExp[] = [
	// OpenAI, Azure, DeepSeek, vLLM, LiteLLM, OpenRouter
	/context_length_exceeded|context[ _-]?window[ _-]?exceed/,
	/maximum context length/,
	/exceeds?(?:ed)? (?:the |this |its |your )?(?:model'?s? |max(?:imum)? )?(?:context|input context)(?: window| length| limit| size)?/,
	// vLLM, SGLang
	/longer than the (?:model'?s |maximum )(?:model|context) (?:length|window|size)/,
	/max_tokens[`'"]? must be at least 1, got -/,
	// Anthropic
	/prompt (?:is )?too long/,
	/request_too_large/,
	// Bedrock
	/(?:input|request|conversation) is too long/,
	// Gemini, Copilot
	/(?:input|prompt) token count.{0,40}exceeds/,
	// xAI
	/maximum prompt length/,
	// Groq
	/reduce the length of (?:the |your )?(?:messages|prompt|input)/,
	// llama.cpp
	/exceed(?:s|_)?(?: the)?[ _](?:available )?context[ _]size/,
	/context (?:size|length|window|limit)(?: has been| was| is)? exceeded/,
	// LM Studio
	/greater than the context length|context (?:the )?overflows|context length of only/,
	// MiniMax, z.ai
	/context window exceeds limit/,
	/model_context_window_exceeded/,
	/(?:prompt|input)(?: length)? exceeds? (?:the )?max(?:imum)?(?: allowed)?(?: input| prompt)? length/,
	// Kimi
	/exceeded (?:the )?model token limit/,
	// Mistral
	/too large for model with \d+ maximum context/,
	// Qwen
	/range of input length should be/,
	// Text Generation Inference
	/inputs?[`'"]? tokens \+ [`'"]?max_new_tokens|inputs[`'"]? must have less than/,
	// Volcengine, Alibaba, SageMaker
	/exceeds? (?:the )?max(?:imum)? message tokens/,
	/(?:input|prompt) length (?:of )?\d[\d,]* exceeds/,
	/number of tokens in (?:your|the) (?:request|prompt|input)\b.{0,40}(?:exceed|(?:more|greater) than)/,
];

/** An answer of the wanted length does not fit beside the prompt, though it would into the window. */
const answerBesidePrompt =
	/is too large: (\d+)\b.{0,20}maximum context length is (\d+) tokens and your request has \d+ input tokens/;

/** Said of windows and of rates alike: a 429 with nothing but these is about a rate. */
const vagueWordings: readonly RegExp[] = [/too many tokens/, /token limit exceeded/];

/** "Limit 8000, Requested 12000": a single request above its limit can never pass by waiting. */
const limitRequested = /limit:?\s*(\d[\d,_]*)\b.{0,80}\brequested:?\s*(?:about\s*)?(\d[\d,_]*)/;

/** Statuses whose refusals are about the request itself, so that two bare numbers may be compared. */
const requestStatuses: ReadonlySet<number | undefined> = new Set([undefined, 400, 403, 413, 422]);

const excess =
	/exceed|too (?:large|long|big|many)|over the|(?:greater|longer|larger|more|higher) than/;

function toNumber(digits: string): number {
	return Number(digits.replace(/[,_]/g, ''));
}

/** A size in tokens that is named beside a smaller limit, in whatever words. */
function namesTokensAboveLimit(text: string): boolean {
	if (!/\btokens?\b|\bcontext\b|\bprompt\b/.test(text) || /\bbytes?\b|\b[kmg]i?b\b/.test(text))
		return false;
	const namesWindow = /context (?:length|window|size)/.test(text);
	if (!namesWindow && !(excess.test(text) && /limit|max|window|allowed|context/.test(text)))
		return false;
	const numbers = (text.match(/\b\d[\d,_]*\b/g) ?? []).map(toNumber).filter((n) => n >= 1000);
	return new Set(numbers).size > 1;
}

/**
 * True where a refusal means that the request is longer than the model's context window.
 * @param status the HTTP status, or undefined for an error inside a stream.
 * @param text the refusal's text: message, code and type.
 */
export function isOverflowText(status: number | undefined, text: string): boolean {
	const lower = text.toLowerCase().replace(/\s+/g, ' ');
	const sizes = limitRequested.exec(lower);
	if (sizes?.[1] && sizes[2]) {
		const perRequest = toNumber(sizes[2]) > toNumber(sizes[1]);
		if (perRequest && /token|context/.test(lower)) return true;
	}
	if (isRateLimitText(lower)) return false;
	const answer = answerBesidePrompt.exec(lower);
	if (answer) return Number(answer[1]) < Number(answer[2]);
	if (otherLimitWordings.some((wording) => wording.test(lower))) return false;
	if (overflowWordings.some((wording) => wording.test(lower))) return true;
	if (status === 429) return false;
	if (vagueWordings.some((wording) => wording.test(lower))) return true;
	return requestStatuses.has(status) && namesTokensAboveLimit(lower);
}

/** True where a refusal speaks of a limit on speed, money or use. */
export function isRateLimitText(text: string): boolean {
	const lower = text.toLowerCase();
	return rateLimitWordings.some((wording) => wording.test(lower));
}
