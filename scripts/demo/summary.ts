/** Summaries by the demo: a real extract of the transcript in the request, under the headings that were asked for. */
import { estimateTextTokens } from '../../src/util/tokens.ts';
import { textOf } from './request.ts';
import type { RecordedRequest } from '../../test/support/scripted-server.ts';

type Kind = 'User' | 'Assistant' | 'Assistant tool calls' | 'Tool result';

interface Block {
	kind: Kind;
	text: string;
}

const LONGEST_LINE = 180;
/** Lines under one heading at most; fewer where the limit of the request asks for it. */
const MOST_LINES = 12;
const USUAL_LIMIT = 1_000;
const NONE = '(none)';
/** Where the beginning of a split turn goes when a later summary takes it in. */
const LATER_NAMES: Record<string, string> = {
	'Original Request': 'Goal',
	'Early Progress': 'Done',
	'Context for the Rest': 'Critical Context',
};

/** The summary that a request asks for. */
export function summarize(body: RecordedRequest['body']): string {
	const prompt = textOf(body.messages.at(-1));
	const transcript = between(prompt, 'conversation');
	if (transcript === undefined) return shortSummary(between(prompt, 'summary') ?? '');
	const instruction = prompt.slice(prompt.lastIndexOf('</conversation>'));
	const lines = linesOf(blocksOf(transcript));
	const previous = sectionsOf(between(prompt, 'previous-summary') ?? '');
	const asked = [...instruction.matchAll(/^#{2,3} .+$/gm)].map(([heading]) => heading);
	const headings = asked.length > 0 ? asked : ['## Goal', '### Done', '## Critical Context'];
	const limit = Number(body['max_tokens'] ?? body['max_completion_tokens'] ?? USUAL_LIMIT);
	for (let most = MOST_LINES; ; most--) {
		const text = headings.map((heading) => section(heading, previous, lines, most)).join('\n\n');
		if (most === 1 || estimateTextTokens(text) <= limit) return text;
	}
}

/** A heading with what is under it: what was there before, then what is new. */
function section(
	heading: string,
	previous: ReadonlyMap<string, string[]>,
	lines: Record<string, string[]>,
	most: number,
): string {
	const name = nameOf(heading);
	// A group of other headings.
	if (name === 'Progress') return heading;
	const all = [...new Set([...(previous.get(name) ?? []), ...(lines[name] ?? [])])];
	const left = all.length - most;
	const shown = left > 0 ? [`- (${left} older lines were left out.)`, ...all.slice(left)] : all;
	return `${heading}\n${shown.join('\n') || NONE}`;
}

/** Every line that the transcript gives, by the heading that it belongs to. */
function linesOf(blocks: readonly Block[]): Record<string, string[]> {
	const requests = blocks.filter(({ kind }) => kind === 'User').map(({ text }) => text);
	const wishes = requests
		.flatMap((text) => text.match(/[^.!?\n]+[.!?]?/g) ?? [])
		.filter((sentence) => /\b(must|never|always|only|do not|don't|please)\b/i.test(sentence));
	const results = blocks.filter(({ kind }) => kind === 'Tool result').map(({ text }) => text);
	const failures = results.filter((text) => text.startsWith('(error) '));
	const done = [...acts(blocks)].map((act) => `- [x] ${act}`);
	const last = blocks.at(-1);
	const isOpen = last !== undefined && last.kind !== 'Assistant' && requests.length > 0;
	const open = isOpen ? [line(requests.at(-1) ?? '')] : [];
	const answers = blocks.filter(({ kind }) => kind === 'Assistant').map(({ text }) => text);
	const findings = answers.slice(-3).map((text) => `- ${line(text)}`);
	return {
		Goal: requests.map((text) => `- ${line(text)}`),
		'Constraints & Preferences': wishes.map((text) => `- ${line(text)}`),
		Done: done,
		'In Progress': open.map((text) => `- [ ] ${text}`),
		Blocked: failures.map((text) => `- ${line(text.replace('(error) ', ''))}`),
		'Next Steps': open.map((text) => `1. Go on with: ${text}`),
		'Critical Context': findings,
		'Original Request': requests.slice(0, 1).map((text) => `- ${line(text)}`),
		'Early Progress': done,
		'Context for the Rest': results.slice(-3).map((text) => `- ${line(text)}`),
	};
}

/** What the calls did, those that failed left out. */
function* acts(blocks: readonly Block[]): Generator<string> {
	for (const [index, { kind, text }] of blocks.entries()) {
		if (kind !== 'Assistant tool calls') continue;
		// Calls are written down in one line, their results behind it in the same order.
		for (const [place, call] of text.split(/; (?=\w+\()/).entries()) {
			const result = blocks[index + 1 + place];
			if (result?.kind === 'Tool result' && !result.text.startsWith('(error) '))
				yield `\`${line(call)}\``;
		}
	}
}

function blocksOf(transcript: string): Block[] {
	return transcript
		.split(/\n\n(?=\[(?:User|Assistant|Assistant tool calls|Tool result)\]: )/)
		.flatMap((block) => {
			const found = /^\[([A-Za-z ]+)\]: ([\s\S]*)$/.exec(block);
			return found ? [{ kind: found[1] as Kind, text: found[2] ?? '' }] : [];
		});
}

/** The lines of an earlier summary under the name of each heading. */
function sectionsOf(summary: string): Map<string, string[]> {
	const sections = new Map<string, string[]>();
	let current: string[] = [];
	for (const text of summary.split('\n')) {
		if (/^#{2,3} /.test(text)) {
			const name = nameOf(text);
			const kept = LATER_NAMES[name] ?? name;
			current = sections.get(kept) ?? [];
			sections.set(kept, current);
		} else if (/^(?:- |\d+\. )/.test(text)) current.push(text);
	}
	return sections;
}

function nameOf(heading: string): string {
	return heading.replace(/^#+ /, '').trim();
}

function shortSummary(summary: string): string {
	const sections = sectionsOf(summary);
	const goal = sections.get('Goal')?.at(-1)?.replace(/^- /, '') ?? 'A conversation';
	const done = sections.get('Done')?.length ?? 0;
	return `${goal.split(/\s+/).slice(0, 24).join(' ')} (${done} acts done).`;
}

function between(prompt: string, tag: string): string | undefined {
	return new RegExp(`<${tag}>\\n([\\s\\S]*?)\\n</${tag}>`).exec(prompt)?.[1];
}

function line(text: string): string {
	const flat = text.replace(/\s+/g, ' ').trim();
	return flat.length > LONGEST_LINE ? `${flat.slice(0, LONGEST_LINE - 1)}…` : flat;
}
