/**
 * The token counter of a session, calibrated for its model: what every count of its messages uses. It
 * measures each message once; what is new since the last time is all that costs anything.
 */
import { createYielder } from '../util/async.ts';
import { estimateTextTokens, type TokenCounter } from '../util/tokens.ts';
import { calibrate, calibratedCounter, stepOf } from './calibration.ts';
import { buildPathContext } from './context.ts';
import {
	measureMessage,
	messageParts,
	type MessageMeasure,
	type MessageParts,
} from './message-measure.ts';
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
/** So much of the newest text is tokenized, in estimated tokens; older text is estimated in proportion. */
const TOKENIZED_TOKENS = 1_000_000;

export interface CounterOptions {
	/** The model that will be asked; the one that the path names where absent. */
	model?: ModelName | undefined;
	/** True for a counter from what is known already: a prompt must not wait for a tokenizer. */
	now?: boolean;
}

export class TokenCounts {
	private readonly tokenizer: Tokenizer | undefined;
	private readonly estimated = new WeakMap<object, MessageMeasure>();
	private readonly tokenized = new WeakMap<object, MessageMeasure>();

	constructor({ tokenizer }: { tokenizer?: Tokenizer } = {}) {
		this.tokenizer = tokenizer;
	}

	/**
	 * The counter for the context of `leafId`. Messages that come later are counted by it as well.
	 * @throws UserError('unreadable') where the file cannot be read now
	 */
	async counterFor(
		tree: SessionTree,
		leafId: string | null,
		{ model = modelOnPath(tree, leafId), now = false }: CounterOptions = {},
	): Promise<TokenCounter> {
		const observations = model ? await readObservations(tree, leafId, model) : [];
		const usesTokenizer =
			this.tokenizer && (isOpenAI(model) || observations.length < ENOUGH_OBSERVATIONS);
		const base =
			usesTokenizer && this.tokenizer
				? await this.tokenizerBase(tree, leafId, observations, now ? undefined : this.tokenizer)
				: { count: estimateTextTokens, measure: (message: object) => this.estimate(message) };
		const steps = observations.map(({ messages, grown }) =>
			stepOf(messages.map(base.measure), grown),
		);
		return calibratedCounter(base.count, calibrate(steps), base.measure);
	}

	/** Counts in the tokenizer's tokens: what it has counted, and estimates in the same proportion. */
	private async tokenizerBase(
		tree: SessionTree,
		leafId: string | null,
		observations: readonly Observation[],
		tokenizer: Tokenizer | undefined,
	): Promise<{ count: TokenCounter; measure: (message: object) => MessageMeasure }> {
		const context = buildPathContext(await tree.readContextPathTo(leafId)).messages;
		const observed = observations.flatMap(({ messages }) => messages);
		const newest = await this.tokenize(
			[...new Set([...context.reverse(), ...observed])],
			tokenizer,
		);
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
		tokenizer: Tokenizer | undefined,
	): Promise<Set<AgentMessage>> {
		const done = new Set<AgentMessage>();
		const missing: { message: AgentMessage; parts: MessageParts }[] = [];
		let tokens = 0;
		const pause = createYielder();
		for (const message of messages) {
			tokens += this.estimate(message).text;
			if (tokens > TOKENIZED_TOKENS) break;
			if (this.tokenized.has(message)) done.add(message);
			else if (tokenizer) missing.push({ message, parts: messageParts(message) });
			await pause();
		}
		const counts = await countTexts(
			missing.flatMap(({ parts }) => parts.texts),
			tokenizer,
		);
		let next = 0;
		for (const { message, parts } of counts ? missing : []) {
			const measure: MessageMeasure = { ...parts, text: 0 };
			for (let index = 0; index < parts.texts.length; index++)
				measure.text += counts?.[next++] ?? 0;
			this.tokenized.set(message, measure);
			done.add(message);
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

/** The counts; undefined where the tokenizer fails: then the estimate stands. */
async function countTexts(
	texts: readonly string[],
	tokenizer: Tokenizer | undefined,
): Promise<number[] | undefined> {
	if (texts.length === 0 || !tokenizer) return [];
	try {
		return await tokenizer.count(texts);
	} catch {
		// The tokenizer says itself what is wrong; here a count is needed all the same.
		return undefined;
	}
}

/** True for models whose encoding is o200k or close to it, whoever serves them. */
export function isOpenAI(model: ModelName | undefined): boolean {
	return model !== undefined && /(^|[/:])(gpt-|chatgpt|codex|o[134]([-:]|$))/i.test(model.modelId);
}

/** The model of the newest answer on the path. */
function modelOnPath(tree: SessionTree, leafId: string | null): ModelName | undefined {
	for (const entry of tree.upFrom(leafId, (_type, role) => role === 'assistant')) {
		if (entry.type !== 'message' || entry.message.role !== 'assistant') continue;
		const { provider, model } = entry.message;
		// Files are not validated: anything may stand here.
		if (typeof provider !== 'string' || typeof model !== 'string') continue;
		return { provider, modelId: model };
	}
	return undefined;
}
