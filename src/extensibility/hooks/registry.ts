/** The registry of hooks: registration, order, time limits, and errors that stay where they happen. */
import { untilAborted } from '../../util/async.ts';
import { errorText, isAbort } from '../../util/errors.ts';
import { copyOfEvent, plainAnswer } from './plain-copies.ts';
import type {
	HookAnswer,
	HookEvent,
	HookEvents,
	HookHandler,
	HookResults,
	HookRound,
	HookRunner,
} from './types.ts';

export interface HookOptions {
	/** For reports: who registered it. */
	name: string;
	/** How long it may take, in ms. */
	timeoutMs?: number;
}

/** A hook may ask a model, so that it is given some minutes. */
const DEFAULT_TIMEOUT_MS = 5 * 60_000;

interface Registered {
	event: HookEvent;
	name: string;
	timeoutMs: number;
	handler: (event: never) => unknown;
}

export class HookRegistry implements HookRunner {
	private hooks: readonly Registered[] = [];
	private readonly onFailure: (failure: string) => void;

	/** @param onFailure is told of each hook that failed, in a sentence for the log */
	constructor(onFailure: (failure: string) => void = () => {}) {
		this.onFailure = onFailure;
	}

	/** Registers a hook; the returned function takes it back. */
	on<E extends HookEvent>(
		event: E,
		handler: HookHandler<E>,
		{ name, timeoutMs = DEFAULT_TIMEOUT_MS }: HookOptions,
	): () => void {
		const registered: Registered = { event, name, timeoutMs, handler };
		this.hooks = [...this.hooks, registered];
		return () => {
			this.hooks = this.hooks.filter((hook) => hook !== registered);
		};
	}

	async run<E extends HookEvent>(
		event: E,
		payload: HookEvents[E],
		signal: AbortSignal,
		decides: (result: NonNullable<HookResults[E]>) => boolean = () => false,
	): Promise<HookRound<E>> {
		const answers: HookAnswer<E>[] = [];
		const failures: string[] = [];
		// Those registered or taken back meanwhile count from the next event on.
		for (const hook of this.hooks) {
			if (hook.event !== event) continue;
			signal.throwIfAborted();
			try {
				const told = await copyOfEvent(payload);
				const result = plainAnswer(await call<E>(hook, told, signal));
				if (!isResult<E>(result)) continue;
				answers.push({ name: hook.name, result });
				if (decides(result)) break;
			} catch (error) {
				if (signal.aborted) throw error;
				const failure = `${hook.name}: ${errorText(error)}`;
				failures.push(failure);
				this.onFailure(`A hook for ${event} failed and was passed over. ${failure}`);
			}
		}
		return { answers, failures };
	}
}

/** @throws what the hook threw; an Error where it took too long */
async function call<E extends HookEvent>(
	{ handler, timeoutMs }: Registered,
	payload: HookEvents[E],
	signal: AbortSignal,
): Promise<unknown> {
	const limit = AbortSignal.timeout(timeoutMs);
	// What a hook throws at once is its failure, too.
	const running = (async () => handler(payload as never))();
	try {
		return await untilAborted(running, AbortSignal.any([signal, limit]));
	} catch (error) {
		if (limit.aborted && !signal.aborted && isAbort(error))
			throw new Error(`no answer after ${timeoutMs / 1000} seconds`, { cause: error });
		throw error;
	}
}

function isResult<E extends HookEvent>(value: unknown): value is NonNullable<HookResults[E]> {
	return typeof value === 'object' && value !== null;
}
