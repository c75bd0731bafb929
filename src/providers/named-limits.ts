/** Reads the limit that a refusal names: the window of an overflow, the bound on an answer. */

/** A number of tokens, as refusals write them: "128000", "128,000", "128_000". */
const N = String.raw`(\d[\d,_]*\d)`;

/**
 * How refusals name the window, one line for each family (see overflow.ts). What they say of the request
 * itself, of rates ("Limit 6000, Requested 9042") or of the excess ("by 412 tokens") must not match.
 */
const windowWordings: readonly RegExp[] = [
	// OpenAI, Azure, DeepSeek, vLLM, SGLang, OpenRouter, xAI, LM Studio
	`(?:maximum|max|model'?s?) (?:context|model|prompt|input) (?:length|window|size)(?: is| of)?:? ?\\(?${N}`,
	`context (?:length|window|size|limit) (?:is |of )?(?:only )?\\(?${N}`,
	// Anthropic
	`> ${N} maximum`,
	`exceed context limit: \\d+ \\+ \\d+ > ${N}`,
	// Gemini
	`maximum number of tokens allowed \\(?${N}`,
	// Copilot and gateways
	`(?:exceeds|exceeded|over) the (?:token )?limit (?:of|is) ${N}`,
	// Kimi
	`model token limit: ${N}`,
	// Mistral
	`model with ${N} maximum context`,
	// Qwen
	`input length should be \\[\\d+, ?${N}\\]`,
	// Text Generation Inference
	`max_new_tokens[\`'"]? must be <= ${N}`,
].map((wording) => new RegExp(wording));

/** How refusals of an output limit name the largest that is taken. */
const outputWordings: readonly RegExp[] = [
	// OpenAI
	`at most ${N} (?:completion|output) tokens`,
	`is too large: \\d+\\. this model'?s maximum is ${N}`,
	// Anthropic
	`max_tokens: \\d+ > ${N}, which is the maximum`,
	// Groq, Mistral and others
	`max(?:imum)?_(?:completion_|output_)?tokens[\`'"]? must be (?:less than or equal to|<=|at most) [\`'"]?${N}`,
	// DeepSeek, Qwen
	`range of max_(?:completion_)?tokens (?:is|should be) \\[\\d+, ?${N}\\]`,
].map((wording) => new RegExp(wording));

/** Less than this is no model's window, but some other number. */
const LEAST_WINDOW = 256;

function firstNumber(text: string, wordings: readonly RegExp[]): number | undefined {
	const plain = text.toLowerCase().replace(/\s+/g, ' ');
	for (const wording of wordings) {
		const digits = wording.exec(plain)?.[1];
		if (digits) return Number(digits.replace(/[,_]/g, ''));
	}
	return undefined;
}

/**
 * The window in tokens that an overflow refusal names; undefined where it names none.
 * @param text the server's own words, of a refusal that isOverflowText recognised
 */
export function namedWindow(text: string): number | undefined {
	const tokens = firstNumber(text, windowWordings);
	return tokens !== undefined && tokens >= LEAST_WINDOW ? tokens : undefined;
}

/** The largest answer in tokens that a refusal of an output limit names; undefined where it names none. */
export function namedOutputLimit(text: string): number | undefined {
	return firstNumber(text, outputWordings);
}
