/** The answers that the scripted server can be told to give. */

/** Holds a stream between chunks until a test lets it go on. */
export class Gate {
	#passes = 0;
	#open = false;
	#waiting: (() => void)[] = [];

	/** Lets `count` chunks through. */
	release(count = 1): void {
		for (let i = 0; i < count; i++) {
			const next = this.#waiting.shift();
			if (next) next();
			else this.#passes++;
		}
	}

	/** Lets everything through from now on. */
	open(): void {
		this.#open = true;
		for (const next of this.#waiting.splice(0)) next();
	}

	/** Resolves when one chunk may go. */
	pass(): Promise<void> {
		if (this.#open) return Promise.resolve();
		if (this.#passes > 0) {
			this.#passes--;
			return Promise.resolve();
		}
		return new Promise((resolve) => this.#waiting.push(resolve));
	}
}

export interface ScriptedUsage {
	prompt_tokens: number;
	completion_tokens: number;
	total_tokens?: number;
	prompt_tokens_details?: { cached_tokens?: number };
}

/** How the stream ends: properly, by the socket's death, by silence, or simply too early. */
export type Ending = 'done' | 'reset' | 'hang' | 'cut';

export interface StreamStep {
	type: 'stream';
	/** The deltas, one chunk each. */
	deltas: Record<string, unknown>[];
	/** Null leaves the finish reason out. */
	finishReason: string | null;
	/** Where absent, none is sent. */
	usage?: ScriptedUsage;
	/** In a chunk of its own without choices (the default), or with the finish reason. */
	usageIn?: 'ownChunk' | 'lastChunk';
	/** Every delta waits for it. */
	gate?: Gate;
	/** Pause before each delta, in ms. */
	delayMs?: number;
	ending?: Ending;
}

/** Any answer, byte for byte. */
export interface RawStep {
	type: 'raw';
	status: number;
	headers: Record<string, string>;
	body: string;
}

/** Takes the request and never answers. */
export interface HangStep {
	type: 'hang';
}

/** Kills the socket before any byte of an answer. */
export interface ResetStep {
	type: 'reset';
}

export type Step = StreamStep | RawStep | HangStep | ResetStep;

type StreamOptions = Partial<Omit<StreamStep, 'type' | 'deltas'>>;

export interface ScriptedToolCall {
	id: string;
	name: string;
	arguments: string;
}

const defaultUsage: ScriptedUsage = { prompt_tokens: 100, completion_tokens: 10 };

function stream(deltas: Record<string, unknown>[], options: StreamOptions = {}): StreamStep {
	return { type: 'stream', deltas, finishReason: 'stop', usage: defaultUsage, ...options };
}

/** Constructors, one for each behaviour that servers show. */
export const steps = {
	/** Text: one string (cut at spaces) or the chunks themselves. */
	text(text: string | string[], options?: StreamOptions): StreamStep {
		const chunks = Array.isArray(text) ? text : (text.match(/\s*\S+\s*/g) ?? [text]);
		return stream(
			chunks.map((content) => ({ content })),
			options,
		);
	},
	/** An answer with nothing in it. */
	emptyText(options?: StreamOptions): StreamStep {
		return stream([{ role: 'assistant', content: '' }], options);
	},
	/** Reasoning without a word of text. */
	thinkingOnly(thinking: string, options?: StreamOptions): StreamStep {
		return stream([{ reasoning_content: thinking }], options);
	},
	/** Text that hits the output limit. */
	lengthStop(text: string, options?: StreamOptions): StreamStep {
		return steps.text(text, { finishReason: 'length', ...options });
	},
	/** Whole calls, one delta each, as the protocol asks. */
	toolCalls(calls: ScriptedToolCall[], options?: StreamOptions): StreamStep {
		const deltas = calls.map(({ id, name, arguments: args }, index) => ({
			tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }],
		}));
		return stream(deltas, { finishReason: 'tool_calls', ...options });
	},
	/** Any deltas. */
	deltas: stream,
	/** A refusal; an object becomes JSON. */
	status(
		status: number,
		body: string | object = '',
		headers: Record<string, string> = {},
	): RawStep {
		const json = typeof body === 'object';
		return {
			type: 'raw',
			status,
			body: json ? JSON.stringify(body) : body,
			headers: { 'content-type': json ? 'application/json' : 'text/plain', ...headers },
		};
	},
	/** 200 with any body and content type. */
	body(body: string, contentType: string): RawStep {
		return { type: 'raw', status: 200, headers: { 'content-type': contentType }, body };
	},
	html(
		body = '<html><head><title>Gateway</title></head><body>Please log in.</body></html>',
	): RawStep {
		return steps.body(body, 'text/html; charset=utf-8');
	},
	emptyBody(): RawStep {
		return steps.body('', 'application/json');
	},
	/** Server-sent events as they are; objects become JSON. */
	events(events: (string | object)[]): RawStep {
		const data = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)));
		return steps.body(data.map((line) => `data: ${line}\n\n`).join(''), 'text/event-stream');
	},
	zeroEvents(): RawStep {
		return steps.events([]);
	},
	/** An error event, after some text. */
	errorEvent(error: unknown, textBefore = ''): RawStep {
		const before = textBefore ? [{ choices: [{ index: 0, delta: { content: textBefore } }] }] : [];
		return steps.events([...before, { error }]);
	},
	hang(): HangStep {
		return { type: 'hang' };
	},
	reset(): ResetStep {
		return { type: 'reset' };
	},
};
