/**
 * What is known of models' windows and output limits: the person's settings, else what the server tells,
 * else what its refusals name. Kept for each server and model while the window lives.
 */
import type { Model } from '../../agent/model.ts';
import { Emitter } from '../../util/emitter.ts';
import { errorText } from '../../util/errors.ts';
import type { Logger } from '../../util/logger.ts';
import { createOpenAIModel } from './openai-model.ts';
import { askServerLimits, type LimitedServer, type ServerLimits } from './server-limits.ts';

/** Tokens of the window where nobody tells. */
export const FALLBACK_WINDOW = 128_000;
/** A request waits no longer than this for what the server tells, in ms. */
const TIMEOUT_MS = 3_000;
/** A server that could not be reached is left alone for so long, in ms. */
const PAUSE_MS = 30_000;

/** What the settings say, in tokens; 0 leaves it to the server. */
export interface OwnLimits {
	contextWindow: number;
	maxOutputTokens: number;
}

interface Known {
	told?: ServerLimits;
	/** The window that a refusal named, in tokens. */
	named?: number;
	/** True once the server needs not be asked again. */
	settled: boolean;
	asking?: Promise<void> | undefined;
	/** When the server may be asked again, in ms since 1970. */
	notBefore?: number;
}

function least(...values: (number | undefined)[]): number | undefined {
	const given = values.filter((value) => value !== undefined);
	return given.length > 0 ? Math.min(...given) : undefined;
}

export class ModelLimits {
	/** Something new is known: windows that were read before may be others now. */
	readonly onDidChange: Emitter<void>;
	readonly #known = new Map<string, Known>();
	readonly #log: Logger;
	readonly #timeoutMs: number;
	readonly #pauseMs: number;

	constructor(log: Logger, { timeoutMs = TIMEOUT_MS, pauseMs = PAUSE_MS } = {}) {
		this.#log = log;
		this.#timeoutMs = timeoutMs;
		this.#pauseMs = pauseMs;
		this.onDidChange = new Emitter((error) => log.error(errorText(error)));
	}

	/** The window as far as it is known now, in tokens; nothing is asked. */
	contextWindow(server: LimitedServer, own: OwnLimits): number {
		if (own.contextWindow > 0) return own.contextWindow;
		const { told, named } = this.#of(server);
		// A server may list more than it serves: the smaller value is the true one (C06.93).
		const bound = told?.served || named !== undefined ? undefined : FALLBACK_WINDOW;
		return least(named, told?.contextWindow, bound) ?? FALLBACK_WINDOW;
	}

	/** Asks the server, unless it has told already. Never fails: what goes wrong is logged. */
	async find(server: LimitedServer): Promise<void> {
		const known = this.#of(server);
		if (known.settled || Date.now() < (known.notBefore ?? 0)) return;
		known.asking ??= this.#ask(server, known).finally(() => (known.asking = undefined));
		await known.asking;
	}

	/**
	 * The model with its limits, which learns from refusals.
	 * @param mayAsk false where nothing may be sent to the server yet
	 */
	async connect(server: LimitedServer, own: OwnLimits, mayAsk = true): Promise<Model> {
		if (own.contextWindow === 0 && mayAsk) await this.find(server);
		const served = this.#of(server).told?.maxOutputTokens;
		return createOpenAIModel({
			...server,
			contextWindow: this.contextWindow(server, own),
			...(own.maxOutputTokens > 0 ? { maxOutputTokens: own.maxOutputTokens } : {}),
			...(served && own.maxOutputTokens === 0 ? { servedOutputTokens: served } : {}),
			log: this.#log,
			onWindowNamed: (tokens) => this.#learn(server, own, tokens),
		});
	}

	#of({ baseUrl, model }: LimitedServer): Known {
		const key = JSON.stringify([baseUrl, model]);
		const known = this.#known.get(key) ?? { settled: false };
		this.#known.set(key, known);
		return known;
	}

	async #ask(server: LimitedServer, known: Known): Promise<void> {
		const timeout = AbortSignal.timeout(this.#timeoutMs);
		try {
			const told = await askServerLimits(server, timeout);
			known.settled = told?.served ?? true;
			const changed = told?.contextWindow !== known.told?.contextWindow;
			if (told) known.told = told;
			if (!changed) return;
			const size = `${told?.contextWindow} tokens${told?.served ? '' : ' at most'}`;
			this.#log.info(`The server tells a window of ${size} for ${server.model}.`);
			this.onDidChange.emit();
		} catch (error) {
			// A server that keeps silent here would make every request wait.
			known.settled = timeout.aborted;
			known.notBefore = Date.now() + this.#pauseMs;
			this.#log.info(`The window of ${server.model} could not be asked for: ${errorText(error)}`);
		}
	}

	#learn(server: LimitedServer, own: OwnLimits, tokens: number): void {
		const known = this.#of(server);
		if (own.contextWindow > tokens)
			this.#log.warn(
				`The setting espalier.model.contextWindow says ${own.contextWindow} tokens, but the server refused ` +
					`a request with a window of ${tokens} for ${server.model}.`,
			);
		const named = least(known.named, tokens);
		if (named === known.named) return;
		known.named = named;
		this.#log.info(`A refusal names a window of ${tokens} tokens for ${server.model}.`);
		this.onDidChange.emit();
	}
}
