/**
 * Reads server-sent events, all at once that one read of the socket brings: the SDK's own reader hands
 * them on one by one, which takes longer than all that we do with them.
 */

export interface ServerEvent {
	/** Empty where the server named none. */
	name: string;
	data: string;
}

/** Puts events together from pieces of text that are cut anywhere. */
export class ServerEventDecoder {
	/** The line that has not ended yet, in pieces: a line may be very long. */
	#pieces: string[] = [];
	#name = '';
	#data: string[] = [];

	/** The events that are complete with this piece. */
	add(text: string): ServerEvent[] {
		this.#pieces.push(text);
		const mayEndLines = /[\r\n]/.test(text) || this.#pieces.at(-2)?.endsWith('\r');
		if (!mayEndLines) return [];
		const whole = this.#pieces.join('');
		// At the end it may be half of a line end.
		const half = whole.endsWith('\r') ? '\r' : '';
		const lines = whole.includes('\r')
			? whole.slice(0, whole.length - half.length).split(/\r\n|\n|\r/)
			: whole.split('\n');
		this.#pieces = [(lines.pop() ?? '') + half];
		return lines.flatMap((line) => this.#addLine(line) ?? []);
	}

	/** What the end of the stream completes: some servers leave out the last blank line. */
	end(): ServerEvent[] {
		const events = this.add('\n');
		return [...events, ...(this.#addLine('') ?? [])];
	}

	/** An event, in a list, where the line ends one. */
	#addLine(line: string): [ServerEvent] | undefined {
		if (line === '') return this.#complete();
		const colon = line.indexOf(':');
		const field = colon < 0 ? line : line.slice(0, colon);
		const from = line.charAt(colon + 1) === ' ' ? colon + 2 : colon + 1;
		const value = colon < 0 ? '' : line.slice(from);
		if (field === 'data') this.#data.push(value);
		else if (field === 'event') this.#name = value;
		// A line without a field's name is a comment: servers send them to keep the connection.
		return undefined;
	}

	#complete(): [ServerEvent] | undefined {
		const event = { name: this.#name, data: this.#data.join('\n') };
		const isEmpty = this.#data.length === 0;
		this.#name = '';
		this.#data = [];
		return isEmpty ? undefined : [event];
	}
}

/**
 * The events of a response, a list for each read. The response is given up when the consumer leaves.
 * @throws what reading failed with
 */
export async function* readServerEvents({ body }: Response): AsyncGenerator<ServerEvent[]> {
	if (!body) return;
	const reader = (body as ReadableStream<Uint8Array>).getReader();
	const text = new TextDecoder();
	const decoder = new ServerEventDecoder();
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) break;
			const events = decoder.add(text.decode(value, { stream: true }));
			if (events.length > 0) yield events;
		}
		decoder.add(text.decode());
		yield decoder.end();
	} finally {
		// Of a response that has ended or failed there is nothing left to give up.
		reader.cancel().catch(() => undefined);
	}
}
