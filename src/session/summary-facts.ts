/** What a summary entry records about itself: the files, the author, the text without our additions. */
import preamble from '../../prompts/compaction/branch-summary-preamble.md';
import { stripFileTags } from './compaction/utils.ts';
import { isFromExtension, type BranchSummaryEntry, type CompactionEntry } from './entries.ts';

export interface SummaryFacts {
	/** The summary as its author wrote it, without file tags and preamble. */
	text: string;
	readFiles: string[];
	modifiedFiles: string[];
	/** For people: "offline summarizer", "openai/gpt-4o", "an extension"; undefined where unknown. */
	author: string | undefined;
	/** How long it took, in ms; undefined where unknown. */
	durationMs: number | undefined;
	/** What was tried before and failed: summarizers, hooks; a sentence each. */
	failures: string[];
}

/** Reads a summary entry; another tool's details are taken as far as they have our shape. */
export function summaryFacts(entry: CompactionEntry | BranchSummaryEntry): SummaryFacts {
	const summary = typeof entry.summary === 'string' ? entry.summary : '';
	const details = (entry.details ?? {}) as Record<string, unknown>;
	const made = (details.summarizer ?? {}) as Record<string, unknown>;
	const { name, durationMs } = made;
	return {
		text: withoutPreamble(stripFileTags(summary)).trim(),
		readFiles: strings(details.readFiles) ?? taggedFiles(summary, 'read-files'),
		modifiedFiles: strings(details.modifiedFiles) ?? taggedFiles(summary, 'modified-files'),
		author: authorOf(typeof name === 'string' ? name : undefined, isFromExtension(entry)),
		durationMs: typeof durationMs === 'number' ? durationMs : undefined,
		failures: [...summarizerFailures(made.failures), ...(strings(details.hookFailures) ?? [])],
	};
}

function summarizerFailures(value: unknown): string[] {
	if (!Array.isArray(value)) return [];
	return value.flatMap((failure: unknown) => {
		const { name, message } = (failure ?? {}) as Record<string, unknown>;
		return typeof name === 'string' && typeof message === 'string' ? [`${name}: ${message}`] : [];
	});
}

function authorOf(name: string | undefined, fromExtension: boolean): string | undefined {
	if (name === 'offline') return 'offline summarizer';
	if (name !== undefined) return name;
	return fromExtension ? 'an extension' : undefined;
}

function withoutPreamble(text: string): string {
	const start = preamble.trim();
	return text.startsWith(start) ? text.slice(start.length) : text;
}

function strings(value: unknown): string[] | undefined {
	return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}

function taggedFiles(summary: string, tag: string): string[] {
	const inside = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(summary)?.[1] ?? '';
	return inside
		.split('\n')
		.map((line) => line.trim())
		.filter(Boolean);
}
