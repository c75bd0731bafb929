/**
 * Which optional fields a server takes, and which it wants. Starts from what most servers know and learns
 * from refusals, so that a field this server does not know costs one try and not the request (C17).
 */
import type { ModelError } from '../../agent/model.ts';
import { namedOutputLimit } from '../named-limits.ts';

/** Refusals of a field, as opposed to refusals of its value. */
const unknownField =
	/unsupported|not supported|unknown|unrecogni[sz]ed|unexpected|extra (?:fields|inputs)|extra_forbidden|not (?:permitted|allowed)/i;

/** Refusals of a turn whose thinking was not sent along (DeepSeek, Kimi). */
const wantsReasoning =
	/(?:missing|must|required?|lacks?|without)\b.{0,80}\breasoning_content|reasoning_content\b.{0,80}\b(?:missing|must|required|back)/i;

/** Hosts that refuse the older name of the output limit for their newer models. */
const newLimitName = /(?:^|\.)(?:api\.openai\.com|openai\.azure\.com)(?::\d+)?$/;

export interface OptionalFields {
	stream_options?: { include_usage: true };
	max_tokens?: number;
	max_completion_tokens?: number;
}

/** What one server has taught so far. */
export class RequestQuirks {
	#limitNames: ('max_tokens' | 'max_completion_tokens')[];
	#streamOptions = true;
	#mostOutputTokens = Infinity;
	/** The output limit of the last request; 0 where it had none. */
	#sentLimit = 0;
	#sendsReasoning = false;

	/** @param host "host" or "host:port". */
	constructor(host: string) {
		this.#limitNames = newLimitName.test(host)
			? ['max_completion_tokens', 'max_tokens']
			: ['max_tokens', 'max_completion_tokens'];
	}

	/** True where kept turns must carry their thinking. */
	get sendsReasoning(): boolean {
		return this.#sendsReasoning;
	}

	/** The optional fields of the next request. */
	fields(maxOutputTokens: number | undefined): OptionalFields {
		const fields: OptionalFields = {};
		if (this.#streamOptions) fields.stream_options = { include_usage: true };
		const limitName = this.#limitNames[0];
		this.#sentLimit = Math.min(maxOutputTokens ?? 0, this.#mostOutputTokens);
		if (limitName && this.#sentLimit > 0) fields[limitName] = this.#sentLimit;
		return fields;
	}

	/** True where the refusal taught something, so that the next request will be another one. */
	learn(error: ModelError): boolean {
		if (error.status !== 400 && error.status !== 422) return false;
		const { message } = error;
		if (!this.#sendsReasoning && wantsReasoning.test(message)) return (this.#sendsReasoning = true);
		const most = namedOutputLimit(message);
		if (most !== undefined && most > 0 && most < this.#sentLimit) {
			this.#mostOutputTokens = most;
			return true;
		}
		if (!unknownField.test(message)) return false;
		if (this.#streamOptions && /stream_options|include_usage/.test(message)) {
			this.#streamOptions = false;
			return true;
		}
		const limitName = this.#limitNames[0];
		if (!limitName || !message.includes(limitName)) return false;
		this.#limitNames = this.#limitNames.slice(1);
		return true;
	}
}
