/** A summarizer for tests of what surrounds it: records requests, answers with a fixed short text. */
import type {
	Summarizer,
	SummaryAnswer,
	SummaryRequest,
} from '../../src/session/compaction/summarizer.ts';

export class EchoSummarizer implements Summarizer {
	readonly name = 'echo';
	readonly contextWindow = undefined;
	readonly requests: SummaryRequest[] = [];

	summarize(request: SummaryRequest): Promise<SummaryAnswer> {
		this.requests.push(request);
		return Promise.resolve({ text: `${request.kind} summary ${this.requests.length}` });
	}
}
