/** The texts of the tree's hovers, as safe Markdown; composed only when a person hovers. */
import { contextTokens } from '../../session/context-tokens.ts';
import { buildPathContext } from '../../session/context.ts';
import { branchCoverage, compactionCoverage, type Coverage } from '../../session/coverage.ts';
import type { BranchSummaryEntry, CompactionEntry, SessionEntry } from '../../session/entries.ts';
import { calledTools, clip, entryText, entryTokens } from '../../session/entry-text.ts';
import type { SessionTree } from '../../session/session-tree.ts';
import { summaryFacts } from '../../session/summary-facts.ts';
import {
	codeBlock,
	codeSpan,
	escapeMarkdown,
	untrustedMarkdown,
} from '../../util/untrusted-markdown.ts';
import { counted, grouped, joined } from './row-look.ts';

/** Longest summary in a hover, in characters. */
const MAX_SUMMARY = 6000;
/** Longest beginning of a message in a hover; hovers cover the rows below them. */
const MAX_MESSAGE = 1200;
const MAX_FILES = 20;
const MAX_FAILURES = 5;
const MAX_FAILURE = 200;
const CLIPPED = '… (open the entry for all of it)';

/** What the host knows and this file does not: how a date is written here. */
export interface TooltipFormat {
	date(timestamp: string): string;
}

/** The hover of an entry's row. */
export function entryTooltip(
	tree: SessionTree,
	entry: SessionEntry,
	format: TooltipFormat,
): string {
	if (entry.type === 'compaction') return compactionTooltip(tree, entry, format);
	if (entry.type === 'branch_summary') return branchSummaryTooltip(tree, entry, format);
	if (entry.type === 'message' || entry.type === 'custom_message')
		return messageTooltip(entry, format);
	return metadataTooltip(entry, format);
}

function compactionTooltip(
	tree: SessionTree,
	entry: CompactionEntry,
	format: TooltipFormat,
): string {
	const coverage = compactionCoverage(tree, entry);
	const covers = `covers ${counted(coverage.count, 'message')}${fromTo(coverage)}`;
	const assumed = coverage.assumed && ' (assumed: everything before the kept entries)';
	return summaryTooltip(
		entry,
		[`**Compaction** · ${compactionTokens(tree, entry)}`, `${covers}${assumed || ''}`],
		format,
	);
}

function compactionTokens(tree: SessionTree, entry: CompactionEntry): string {
	const recorded = typeof entry.tokensAfter === 'number';
	const after = recorded
		? (entry.tokensAfter as number)
		: contextTokens(buildPathContext(tree.contextPathTo(entry.id)).messages);
	const before = typeof entry.tokensBefore === 'number' ? grouped(entry.tokensBefore) : '?';
	return `${before} → ${recorded ? '' : 'about '}${grouped(after)} tokens`;
}

function branchSummaryTooltip(
	tree: SessionTree,
	entry: BranchSummaryEntry,
	format: TooltipFormat,
): string {
	const coverage = branchCoverage(tree, entry);
	return summaryTooltip(
		entry,
		[
			`**Branch summary** · about ${grouped(entryTokens(entry))} tokens`,
			`covers ${counted(coverage.count, 'entry', 'entries')} of a branch that was left${fromTo(coverage)}`,
		],
		format,
	);
}

function summaryTooltip(
	entry: CompactionEntry | BranchSummaryEntry,
	head: string[],
	format: TooltipFormat,
): string {
	const facts = summaryFacts(entry);
	const took =
		facts.durationMs === undefined ? '' : ` in ${(facts.durationMs / 1000).toFixed(1)} s`;
	const author =
		facts.author === undefined
			? 'author not recorded'
			: `by ${escapeMarkdown(facts.author)}${took}`;
	const text =
		facts.text === ''
			? '*(empty summary)*'
			: clipAtLine(facts.text, MAX_SUMMARY, untrustedMarkdown);
	const files = [
		fileLine('Files read', facts.readFiles),
		fileLine('Files modified', facts.modifiedFiles),
		...facts.failures.slice(0, MAX_FAILURES).map(failureLine),
	].filter(Boolean);
	const lines = [...head, `${escapeMarkdown(format.date(entry.timestamp))} · ${author}`, ...files];
	// Lines of one paragraph, so that the summary itself is in sight.
	return [lines.join('  \n'), '---', text].join('\n\n');
}

/** What was tried before this summary was made. */
function failureLine(failure: string): string {
	return `Failed before: ${escapeMarkdown(clip(failure, MAX_FAILURE))}`;
}

function messageTooltip(entry: SessionEntry, format: TooltipFormat): string {
	const text = entryText(entry).trim();
	const calls = calledTools(entry);
	const parts = [
		`**${speaker(entry)}** · ${joined([
			`about ${grouped(entryTokens(entry))} tokens`,
			escapeMarkdown(modelName(entry)),
			escapeMarkdown(format.date(entry.timestamp)),
		])}`,
	];
	// What a tool or a command printed is no Markdown.
	const write = isOutput(entry) ? (output: string) => codeBlock(output) : untrustedMarkdown;
	if (text !== '') parts.push(clipAtLine(text, MAX_MESSAGE, write));
	if (calls.length > 0) {
		const listed = calls
			.slice(0, MAX_FILES)
			.map(({ name, subject }) => codeSpan(`${name} ${subject}`));
		const more = calls.length - listed.length;
		parts.push(`Calls ${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`);
	}
	return parts.join('\n\n');
}

function metadataTooltip(entry: SessionEntry, format: TooltipFormat): string {
	return [
		`**${escapeMarkdown(entry.type)}** · ${escapeMarkdown(format.date(entry.timestamp))}`,
		clipAtLine(JSON.stringify(entry, undefined, 2), MAX_MESSAGE, (json) => codeBlock(json, 'json')),
	].join('\n\n');
}

function speaker(entry: SessionEntry): string {
	if (entry.type === 'custom_message') return escapeMarkdown(String(entry.customType));
	if (entry.type !== 'message') return 'Entry';
	const { message } = entry;
	switch (message?.role) {
		case 'user':
			return 'You';
		case 'assistant':
			return 'Assistant';
		case 'toolResult':
			return escapeMarkdown(
				`Result of ${message.toolName || 'a tool'}${message.isError ? ' (error)' : ''}`,
			);
		case 'bashExecution':
			return codeSpan(clip(message.command ?? '', 200)) || 'Command';
		default:
			return escapeMarkdown(String(message?.role ?? 'Message'));
	}
}

function modelName(entry: SessionEntry): string {
	if (entry.type !== 'message' || entry.message?.role !== 'assistant') return '';
	return joined([entry.message.provider, entry.message.model], '/');
}

function isOutput(entry: SessionEntry): boolean {
	const role = entry.type === 'message' ? entry.message?.role : undefined;
	return role === 'toolResult' || role === 'bashExecution';
}

function fromTo({ firstText, lastText }: Coverage): string {
	if (firstText === '') return '';
	const from = `, from «${escapeMarkdown(firstText)}»`;
	return lastText === '' ? from : `${from} to «${escapeMarkdown(lastText)}»`;
}

function fileLine(title: string, files: readonly string[]): string {
	if (files.length === 0) return '';
	const listed = files.slice(0, MAX_FILES).map((path) => codeSpan(path));
	const more = files.length - listed.length;
	return `${title} (${files.length}): ${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Writes a text as Markdown, cut after a whole line where one ends near the limit. */
function clipAtLine(text: string, max: number, write: (text: string) => string): string {
	if (text.length <= max) return write(text);
	const head = text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
	const lineEnd = head.lastIndexOf('\n');
	// The remark comes after writing, so that it never ends up inside a code block.
	return `${write(lineEnd > max / 2 ? head.slice(0, lineEnd) : head)}\n\n${CLIPPED}`;
}
