/**
 * Which optional fields a server takes. Starts from what most servers know and learns from a refusal,
 * so that a field this server does not know costs one try and not the request (C17).
 */
import type { ModelError } from '../../agent/model.ts';

/** Refusals of a field, as opposed to refusals of its value. */
const unknownField =
	/unsupported|not supported|unknown|unrecogni[sz]ed|unexpected|extra (?:fields|inputs)|extra_forbidden|not (?:permitted|allowed)/i;

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

	/** @param host "host" or "host:port". */
	constructor(host: string) {
		this.#limitNames = newLimitName.test(host)
			? ['max_completion_tokens', 'max_tokens']
			: ['max_tokens', 'max_completion_tokens'];
	}

	/** The optional fields of the next request. */
	fields(maxOutputTokens: number | undefined): OptionalFields {
		const fields: OptionalFields = {};
		if (this.#streamOptions) fields.stream_options = { include_usage: true };
		const limitName = this.#limitNames[0];
		if (limitName && maxOutputTokens) fields[limitName] = maxOutputTokens;
		return fields;
	}

	/** True where the refusal was about a field, and the next request will do without it. */
	learn(error: ModelError): boolean {
		if (error.status !== 400 && error.status !== 422) return false;
		if (!unknownField.test(error.message)) return false;
		if (this.#streamOptions && /stream_options|include_usage/.test(error.message)) {
			this.#streamOptions = false;
			return true;
		}
		const limitName = this.#limitNames[0];
		if (!limitName || !error.message.includes(limitName)) return false;
		this.#limitNames = this.#limitNames.slice(1);
		return true;
	}
}
