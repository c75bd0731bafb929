/**
 * The token counter of a session, calibrated for its model: what every count of its messages uses. It
 * measures each message once; what is new since the last time is all that costs anything.
 */
import { createYielder } from '../util/async.ts';
import { estimateTextTokens, type TokenCounter } from '../util/tokens.ts';
import { calibrate, calibratedCounter } from './calibration.ts';
import { buildPathContext } from './context.ts';
import { measureMessage, messageParts, type MessageMeasure } from './message-measure.ts';
import type { AgentMessage } from './messages.ts';
import { readObservations, type ModelName, type Observation } from './observations.ts';
import type { SessionTree } from './session-tree.ts';

/** Counts texts in the o200k encoding (see node/worker-tokenizer.ts). */
export interface Tokenizer {
	count(texts: readonly string[]): Promise<number[]>;
}

/**
 * From so many reported steps on the calibrated estimate is within what a tokenizer gives (10 % a step
 * against 8 %, `npm run bench:tokens`), so that the tokenizer need not be loaded.
 */
const ENOUGH_OBSERVATIONS = 10;
/** So much of the newest text is tokenized, in characters; older text is estimated in proportion. */
const TOKENIZED_CHARACTERS = 4_000_000;

export class TokenCounts {
	private readonly tokenizer: Tokenizer | undefined;
	private readonly estimated = new WeakMap<object, MessageMeasure>();
	private readonly tokenized = new WeakMap<object, MessageMeasure>();

	constructor({ tokenizer }: { tokenizer?: Tokenizer } = {}) {
		this.tokenizer = tokenizer;
	}

	/**
	 * The counter for the context of `leafId`. Messages that come later are counted by it as well.
	 * @param model the model that will be asked; the one that the path names where absent
	 * @throws UserError('unreadable') where the file cannot be read now
	 */
	async counterFor(
		tree: SessionTree,
		leafId: string | null,
		model: ModelName | undefined = modelOnPath(tree, leafId),
	): Promise<TokenCounter> {
		const observations = model ? await readObservations(tree, leafId, model) : [];
		const usesTokenizer =
			this.tokenizer && (isOpenAI(model) || observations.length < ENOUGH_OBSERVATIONS);
		const base =
			usesTokenizer && this.tokenizer
				? await this.tokenizerBase(tree, leafId, observations, this.tokenizer)
				: { count: estimateTextTokens, measure: (message: object) => this.estimate(message) };
		const steps = observations.map(({ messages, grown }) => {
			const step = { text: 0, toolCalls: 0, grown };
			for (const message of messages) {
				const { text, toolCalls, images } = base.measure(message);
				step.text += text;
				step.toolCalls += toolCalls;
				step.grown -= images;
			}
			return step;
		});
		return calibratedCounter(base.count, calibrate(steps), base.measure);
	}

	/** Counts in the tokenizer's tokens: what it has counted, and estimates in the same proportion. */
	private async tokenizerBase(
		tree: SessionTree,
		leafId: string | null,
		observations: readonly Observation[],
		tokenizer: Tokenizer,
	): Promise<{ count: TokenCounter; measure: (message: object) => MessageMeasure }> {
		const context = buildPathContext(await tree.readContextPathTo(leafId)).messages;
		const observed = observations.flatMap(({ messages }) => messages);
		const newest = await this.tokenize([...context.reverse(), ...observed], tokenizer);
		let tokens = 0;
		let estimate = 0;
		for (const message of newest) {
			tokens += this.tokenized.get(message)?.text ?? 0;
			estimate += this.estimate(message).text;
		}
		const ratio = tokens > 0 && estimate > 0 ? tokens / estimate : 1;
		return {
			count: (text) => Math.ceil(estimateTextTokens(text) * ratio),
			measure: (message) => {
				const known = this.tokenized.get(message);
				if (known) return known;
				const measure = this.estimate(message);
				return { ...measure, text: measure.text * ratio };
			},
		};
	}

	/** Has those tokenized that are not yet, as far as the limit goes. @returns those that are */
	private async tokenize(
		messages: readonly AgentMessage[],
		tokenizer: Tokenizer,
	): Promise<Set<AgentMessage>> {
		const done = new Set<AgentMessage>();
		const missing: { message: AgentMessage; measure: MessageMeasure; texts: string[] }[] = [];
		let characters = 0;
		const pause = createYielder();
		for (const message of messages) {
			if (done.has(message)) continue;
			const { texts, ...rest } = messageParts(message);
			characters += texts.reduce((sum, text) => sum + text.length, 0);
			if (characters > TOKENIZED_CHARACTERS) break;
			done.add(message);
			if (!this.tokenized.has(message))
				missing.push({ message, texts, measure: { ...rest, text: 0 } });
			await pause();
		}
		if (missing.length === 0) return done;
		const counts = await tokenizer.count(missing.flatMap(({ texts }) => texts));
		let next = 0;
		for (const { message, texts, measure } of missing) {
			for (let index = 0; index < texts.length; index++) measure.text += counts[next++] ?? 0;
			this.tokenized.set(message, measure);
		}
		return done;
	}

	private estimate(message: object): MessageMeasure {
		let measure = this.estimated.get(message);
		if (!measure) {
			measure = measureMessage(message as AgentMessage, estimateTextTokens);
			this.estimated.set(message, measure);
		}
		return measure;
	}
}

/** True for models whose encoding is o200k or close to it, whoever serves them. */
export function isOpenAI(model: ModelName | undefined): boolean {
	return model !== undefined && /(^|\/)(gpt-|chatgpt|o[134](-|$))/i.test(model.modelId);
}

/** The model of the newest answer on the path. */
function modelOnPath(tree: SessionTree, leafId: string | null): ModelName | undefined {
	for (const entry of tree.upFrom(leafId, (_type, role) => role === 'assistant')) {
		if (entry.type !== 'message' || entry.message.role !== 'assistant') continue;
		const { provider, model } = entry.message;
		return { provider, modelId: model };
	}
	return undefined;
}
