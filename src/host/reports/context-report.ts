/** The account of a context as a document: each message of the path, and whether the model gets it. */
import type { SessionEntry } from '../../session/entries.ts';
import { entryTokens } from '../../session/entry-text.ts';
import type {
	EntryCoverage,
	ExcludedReason,
	OriginalPlace,
} from '../../session/explain-context.ts';
import type { SystemPrompt, SystemPromptPart } from '../../session/system-prompt.ts';
import { counted, grouped } from '../tree/row-look.ts';
import { entryLine } from './entry-line.ts';

export interface ContextAccount {
	/** Root first; only the newest part of a long path. */
	path: readonly SessionEntry[];
	coverage: readonly EntryCoverage[];
	/** Older entries of the path that the account leaves out. */
	omitted: number;
	/** Estimated tokens of the context now, and the tokens of the model's window. */
	tokens: number;
	contextWindow: number;
	/** Estimated tokens of what every request carries besides its messages. */
	promptTokens: SystemPrompt['tokens'];
	/** How a date is written here, safe to show; timestamps are whatever the file says. */
	date: (timestamp: string) => string;
}

const REASONS: Record<ExcludedReason, string> = {
	command: 'a command that you kept from the model',
	system: "another tool's system message",
	error: 'an answer that failed',
	aborted: 'an answer that was stopped',
	empty: 'it is empty',
	orphan: 'a result whose call is not in the context',
	unknown: 'of a kind that this version does not know',
	edited: 'taken out of the context by an edit',
	reset: 'the context was started anew after it',
	damaged: 'its line in the file is damaged',
};

const PROMPT_PARTS: Record<SystemPromptPart, string> = {
	instructions: "Espalier's instructions",
	tools: 'The names of the tools',
	environment: 'Folder, system and date',
	agentsMd: "The project's AGENTS.md",
	toolDefinitions: 'The definitions of the tools',
};

const ORIGINALS: Record<OriginalPlace, string> = {
	sidecar: 'all of it is kept beside the session',
	session: 'all of it is in the session',
	gone: 'all of it is gone',
};

/** The document of a context. */
export function contextReport(account: ContextAccount): string {
	const { path, coverage, omitted } = account;
	const count = (status: EntryCoverage['status']) =>
		coverage.filter((item) => item.status === status).length;
	const lost = count('missing');
	const counts = [
		`${counted(count('context'), 'message')} in the context`,
		`${grouped(count('summarized'))} summarized`,
		`${grouped(count('excluded'))} left out`,
		...(lost > 0 ? [`${grouped(lost)} that nothing accounts for`] : []),
	];
	return `${[
		'# The context, explained',
		'What becomes of each message on the way to the current entry when the model is asked next.',
		`About **${grouped(account.tokens)}** of ${grouped(account.contextWindow)} tokens · ${counts.join(' · ')}`,
		...(omitted > 0
			? [
					`This session is long: the newest ${counted(path.length, 'entry', 'entries')} of the path are shown and counted here, ${grouped(omitted)} older ones are not.`,
				]
			: []),
		'## In every request',
		promptLines(account.promptTokens),
		...sections(account),
		'---',
		'Tokens are estimates. This page follows the session as it goes on.',
	].join('\n\n')}\n`;
}

function promptLines(tokens: SystemPrompt['tokens']): string {
	const names = Object.keys(PROMPT_PARTS) as SystemPromptPart[];
	const sent = names.filter((name) => tokens[name] > 0);
	return sent.map((name) => `- ${PROMPT_PARTS[name]} · ${grouped(tokens[name])} tokens`).join('\n');
}

/** Messages in their order, under a heading for each summary and one for the context. */
function sections({ path, coverage, date }: ContextAccount): string[] {
	const entries = new Map(path.map((entry) => [entry.id, entry]));
	const parts: { heading: string; lines: string[] }[] = [];
	/** What is in neither stands with what follows it. */
	let waiting: string[] = [];
	for (const item of coverage) {
		const entry = entries.get(item.entryId);
		if (!entry) continue;
		const line = `- ${entryLine(entry)} · ${remarks(entry, item).join(' · ')}`;
		const heading = headingOf(item, entries, date);
		const last = parts.at(-1);
		if (heading === undefined) waiting.push(line);
		else if (last?.heading === heading) last.lines.push(...waiting, line);
		else parts.push({ heading, lines: [...waiting, line] });
		if (heading !== undefined) waiting = [];
	}
	const last = parts.at(-1);
	if (last) last.lines.push(...waiting);
	else if (waiting.length > 0) parts.push({ heading: 'Not in the context', lines: waiting });
	return parts.flatMap(({ heading, lines }) => [`## ${heading}`, lines.join('\n')]);
}

function headingOf(
	{ status, compactionId, assumed }: EntryCoverage,
	entries: ReadonlyMap<string, SessionEntry>,
	date: ContextAccount['date'],
): string | undefined {
	if (status === 'context') return 'In the context';
	if (status !== 'summarized') return undefined;
	const made = date(entries.get(compactionId ?? '')?.timestamp ?? '');
	return `In the summary of a compaction (${made})${assumed ? ', assumed: it does not say what it covers' : ''}`;
}

function remarks(entry: SessionEntry, item: EntryCoverage): string[] {
	const said: string[] = [];
	if (item.status === 'missing') said.push('**missing**: nothing accounts for it');
	else if (item.reason) said.push(`**left out**: ${REASONS[item.reason]}`);
	else if (item.status === 'context') said.push(`${grouped(entryTokens(entry))} tokens`);
	else said.push('summarized');
	if (item.clipped)
		said.push('**clipped**: larger than the window, so only its beginning and end are sent');
	if (item.pruned)
		said.push(`**pruned**: a notice stands for the output; ${ORIGINALS[item.pruned]}`);
	return said;
}
