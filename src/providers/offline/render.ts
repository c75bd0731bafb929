/** Owns writing an outline as Markdown in the fixed section order, within a token budget. */
import type { SummaryKind } from '../../session/compaction/summarizer.ts';
import { estimateTextTokens } from '../../util/tokens.ts';
import { criticalLines, failureLine, listLines } from './critical-context.ts';
import { doneLines } from './done-lines.ts';
import { shrinkingLimits, type Limits } from './limits.ts';
import type { FailureFact, Outline } from './outline.ts';
import { LABELS, NONE, OFFLINE_NOTE, SO_FAR } from './sections.ts';
import { clip } from './text.ts';
import { heaviest, weightOf } from './weight.ts';

/** Writes the summary; at most `maxTokens` by the estimate. `focus` is the user's focus or empty. */
export function renderSummary(
	outline: Outline,
	kind: SummaryKind,
	focus: string,
	maxTokens: number,
): string {
	let text = '';
	for (const limits of shrinkingLimits()) {
		text =
			kind === 'turnPrefix'
				? turnPrefix(outline, focus, limits)
				: history(outline, kind, focus, limits);
		if (estimateTextTokens(text) <= maxTokens) return text;
	}
	return cutToFit(text, maxTokens);
}

/** The last resort for budgets below the smallest rendering: whole lines go from the end, then letters. */
function cutToFit(text: string, maxTokens: number): string {
	const filled = text.split('\n').filter((line) => line !== '' && line !== `- ${NONE}`);
	const lines = filled.filter(
		(line, index) => !/^#/.test(line) || /^[^#]/.test(filled[index + 1] ?? ''),
	);
	while (lines.length > 1 && estimateTextTokens(lines.join('\n')) > maxTokens) lines.pop();
	let rest = lines.join('\n');
	while (rest.length > 1 && estimateTextTokens(rest) > maxTokens)
		rest = clip(rest, Math.floor(rest.length * 0.8));
	return rest;
}

function section(heading: string, lines: readonly string[], marker = '- '): string {
	const body = lines.length > 0 ? lines.map((line) => marker + line) : [`- ${NONE}`];
	return `${heading}\n${body.join('\n')}`;
}

function history(outline: Outline, kind: SummaryKind, focus: string, limits: Limits): string {
	const critical = criticalLines(outline, limits);
	const isBranch = kind === 'branch';
	const parts = [
		OFFLINE_NOTE,
		section('## Goal', goalLines(outline, focus, limits)),
		section('## Constraints & Preferences', [
			...weightiest(outline.constraints, limits.constraints, limits.constraint),
			...listLines(outline, limits),
		]),
		'## Progress',
		section('### Done', [...doneLines(outline.done, limits), ...(isBranch ? critical : [])]),
		section(
			'### In Progress',
			openLines(outline, limits).map((line) => `[ ] ${line}`),
		),
		section('### Blocked', blockedLines(outline.blocked, limits)),
		section('## Key Decisions', [
			...weightiest(outline.decisions, limits.decisions, limits.decision),
			...newest(outline.withdrawn, limits.withdrawn, limits.note).map(
				(text) => `${LABELS.withdrawn} ${text}`,
			),
		]),
		section('## Next Steps', nextLines(outline, limits)),
	];
	if (!isBranch) parts.push(section('## Critical Context', critical));
	return parts.join('\n\n');
}

function turnPrefix(outline: Outline, focus: string, limits: Limits): string {
	const turn = outline.inProgress.at(-1) ?? outline.done.at(-1);
	const request = turn?.request || outline.latestRequest || outline.goals[0] || '';
	const progress = [
		...doneLines(
			outline.done.filter((other) => other !== turn),
			limits,
		),
		...(turn?.outcome ? [clip(turn.outcome, limits.openChars)] : []),
	];
	return [
		OFFLINE_NOTE,
		section('## Original Request', [
			...(request ? [`[ ] ${clip(request, limits.goal + 100)}`] : []),
			...listLines(outline, limits),
			...(focus ? [`${LABELS.focus} ${clip(focus, limits.openChars)}`] : []),
		]),
		section('## Early Progress', progress),
		section('## Context for the Rest', [
			...weightiest(outline.constraints, limits.constraints, limits.constraint).map(
				(text) => `${LABELS.rule} ${text}`,
			),
			...weightiest(outline.decisions, limits.decisions, limits.decision).map(
				(text) => `${LABELS.decision} ${text}`,
			),
			...blockedLines(outline.blocked, limits),
			...newest(outline.nextSteps, limits.open, limits.openChars).map(
				(text) => `${LABELS.next} ${text}`,
			),
			...criticalLines(outline, limits),
		]),
	].join('\n\n');
}

function newest(texts: readonly string[], count: number, chars: number): string[] {
	return count > 0 ? texts.slice(-count).map((text) => clip(text, chars)) : [];
}

function weightiest(texts: readonly string[], count: number, chars: number): string[] {
	return heaviest(texts, count, weightOf).map((text) => clip(text, chars));
}

function goalLines(outline: Outline, focus: string, limits: Limits): string[] {
	const lines = outline.goals.map((goal) => clip(goal, limits.goal));
	if (outline.latestRequest && outline.latestRequest !== outline.goals[0])
		lines.push(`${LABELS.latest} ${clip(outline.latestRequest, limits.goal / 2)}`);
	if (focus) lines.push(`${LABELS.focus} ${clip(focus, limits.openChars)}`);
	return lines;
}

function openLines(outline: Outline, limits: Limits): string[] {
	return outline.inProgress.slice(-limits.open).map((turn) => {
		const request = clip(turn.request, limits.openChars);
		const state = clip(turn.outcome, limits.openChars);
		return request && state ? request + SO_FAR + state : request || state;
	});
}

function blockedLines(blocked: readonly FailureFact[], limits: Limits): string[] {
	return blocked
		.slice(-Math.min(limits.open, 8))
		.map((failure) => failureLine({ ...failure, text: clip(failure.text, limits.openChars) }));
}

function nextLines(outline: Outline, limits: Limits): string[] {
	const open = outline.inProgress.at(-1);
	return [
		...(open ? [`${LABELS.continue} ${clip(open.request || open.outcome, 160)}`] : []),
		...outline.blocked
			.slice(-2)
			.map(
				({ command, text }) => `${LABELS.resolve} ${command ? `\`${command}\`` : clip(text, 100)}`,
			),
		...newest(outline.nextSteps, limits.open, limits.openChars),
	];
}
