/**
 * Calibration of a token counter for one model: two weights, learnt from what the provider reported.
 * Between two answers the prompt grows by what came between; how many tokens that was is set against
 * what the counter says. Nothing is stored: the path of the session holds all of it.
 */
import type { TokenCounter } from '../util/tokens.ts';
import type { MessageMeasure } from './message-measure.ts';

export interface Calibration {
	/** Tokens for each token that the counter counts. */
	perToken: number;
	/** Tokens of a tool call besides its name and arguments. */
	perCall: number;
}

/** One step of a session: what came between two answers, and how many tokens it was. */
export interface Step {
	/** Tokens that the counter counts in the texts. */
	text: number;
	toolCalls: number;
	/** Tokens by which the prompt grew, without images. */
	grown: number;
}

/** A step of the messages measured; images have a fixed size, which nothing is learnt from. */
export function stepOf(messages: readonly MessageMeasure[], grown: number): Step {
	const step = { text: 0, toolCalls: 0, grown };
	for (const { text, toolCalls, images } of messages) {
		step.text += text;
		step.toolCalls += toolCalls;
		step.grown -= images;
	}
	return step;
}

/** What is believed before anything is reported: the counter is right, calls add nothing. */
export const UNCALIBRATED: Calibration = { perToken: 1, perCall: 0 };

/** How much the belief in the counter weighs: as much as steps of so many tokens together. */
const TOKEN_PRIOR = 1000;
/** The same for calls; one call in a step of 400 tokens weighs 0.002. */
const CALL_PRIOR = 0.01;
/** Errors grow with a step's size: a step weighs the less the larger it is; in tokens. */
const NOISE_FLOOR = 100;
/** A step that is further off than this many times the prediction is taken for so much. */
const OUTLIER = 2;
const ROUNDS = 3;
/** Tokenizers are not further apart than this. */
const PER_TOKEN = { least: 0.25, most: 4 };
const MOST_PER_CALL = 500;

/**
 * Fits the two weights by ridge regression towards the belief; outliers are clipped to what the fit
 * of the round before allows. Steps that did not grow say nothing.
 */
export function calibrate(steps: readonly Step[]): Calibration {
	const usable = steps.filter(({ grown, text }) => grown > 0 && text > 0);
	let fitted = UNCALIBRATED;
	for (let round = 0; round < ROUNDS; round++)
		fitted = fit(usable, round === 0 ? undefined : fitted);
	return fitted;
}

function fit(steps: readonly Step[], previous: Calibration | undefined): Calibration {
	let textText = TOKEN_PRIOR;
	let callCall = CALL_PRIOR;
	let textCall = 0;
	let textRest = 0;
	let callRest = 0;
	for (const step of steps) {
		const { text, toolCalls } = step;
		const weight = 1 / (text + NOISE_FLOOR);
		const rest = (previous ? clipped(step, previous) : possible(step)) - text;
		textText += weight * text * text;
		textCall += weight * text * toolCalls;
		callCall += weight * toolCalls * toolCalls;
		textRest += weight * text * rest;
		callRest += weight * toolCalls * rest;
	}
	// Positive: both priors are, and the sums obey Cauchy and Schwarz.
	const determinant = textText * callCall - textCall * textCall;
	const perToken = 1 + (textRest * callCall - callRest * textCall) / determinant;
	const perCall = (textText * callRest - textCall * textRest) / determinant;
	return {
		perToken: between(PER_TOKEN.least, perToken, PER_TOKEN.most),
		perCall: between(0, perCall, MOST_PER_CALL),
	};
}

/** Files are not validated, so that a step may have grown by any number: no more than the weights allow. */
function possible({ text, toolCalls, grown }: Step): number {
	return Math.min(grown, text * PER_TOKEN.most + toolCalls * MOST_PER_CALL);
}

function clipped(step: Step, calibration: Calibration): number {
	const expected = calibrated({ ...step, images: 0 }, calibration);
	return between(expected / OUTLIER, step.grown, expected * OUTLIER);
}

function between(least: number, value: number, most: number): number {
	return Math.min(most, Math.max(least, value));
}

/** The calibrated tokens of what was measured. */
export function calibrated(measure: MessageMeasure, { perToken, perCall }: Calibration): number {
	return measure.text * perToken + measure.toolCalls * perCall + measure.images;
}

/**
 * A counter that corrects `base`.
 * @param measured what is known of a message, in the tokens that `base` counts
 */
export function calibratedCounter(
	base: TokenCounter,
	calibration: Calibration,
	measured: (message: object) => MessageMeasure | undefined = () => undefined,
): TokenCounter {
	const count = (text: string) => Math.ceil(base(text) * calibration.perToken);
	return Object.assign(count, {
		perCall: calibration.perCall,
		known: (message: object) => {
			const measure = measured(message);
			return measure && Math.ceil(calibrated(measure, calibration));
		},
	});
}
