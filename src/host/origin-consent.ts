/**
 * Before a conversation or a key goes to another server than those confirmed on this machine, the person
 * is asked, once. The first server of each purpose was set up by hand and needs no question.
 */
import { ModelError, type Model } from '../agent/model.ts';

/** Answers with models, or summaries by an endpoint of their own. */
export type Purpose = 'model' | 'summaries';

export interface ConsentPorts {
	/** What was saved last on this machine; anything, since other versions may have written it. */
	load(): unknown;
	save(confirmed: Record<Purpose, string[]>): PromiseLike<void>;
	/** True where the person agrees that `origin` gets what they send. */
	ask(origin: string, purpose: Purpose): PromiseLike<boolean>;
}

export class OriginConsent {
	readonly #ports: ConsentPorts;
	/** One question at a time for each origin, however many requests wait for it. */
	readonly #asking = new Map<string, Promise<boolean>>();

	constructor(ports: ConsentPorts) {
		this.#ports = ports;
	}

	/** True where something may be sent without a question. */
	isConfirmed(purpose: Purpose, origin: string): boolean {
		const origins = this.#confirmed()[purpose];
		return origins.length === 0 || origins.includes(origin);
	}

	/** Remembers an origin that the person gave themselves. */
	async confirm(purpose: Purpose, origin: string): Promise<void> {
		const confirmed = this.#confirmed();
		if (confirmed[purpose].includes(origin)) return;
		confirmed[purpose].push(origin);
		await this.#ports.save(confirmed);
	}

	/** The model, which asks before its first request where that is needed; a no sends nothing. */
	guard(model: Model, purpose: Purpose, origin: string): Model {
		const permitted = () => this.#permitted(purpose, origin);
		return {
			...model,
			async *stream(request, signal) {
				if (!(await permitted()))
					throw new ModelError('badRequest', `You did not agree to send anything to ${origin}.`, {
						hint: "Try again to be asked again, or choose a server with 'Espalier: Connect a model'.",
					});
				yield* model.stream(request, signal);
			},
		};
	}

	async #permitted(purpose: Purpose, origin: string): Promise<boolean> {
		if (!this.isConfirmed(purpose, origin)) {
			const key = `${purpose} ${origin}`;
			const asking = this.#asking.get(key) ?? Promise.resolve(this.#ports.ask(origin, purpose));
			this.#asking.set(key, asking);
			try {
				if (!(await asking)) return false;
			} finally {
				this.#asking.delete(key);
			}
		}
		await this.confirm(purpose, origin);
		return true;
	}

	#confirmed(): Record<Purpose, string[]> {
		const saved = this.#ports.load();
		const of = (purpose: Purpose): string[] => {
			const origins: unknown =
				typeof saved === 'object' && saved !== null ? Reflect.get(saved, purpose) : undefined;
			return Array.isArray(origins) ? origins.filter((origin) => typeof origin === 'string') : [];
		};
		return { model: of('model'), summaries: of('summaries') };
	}
}
