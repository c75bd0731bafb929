/** Owns the lines of Critical Context: writing them within limits, and reading them back. */
import { listLine } from './lists.ts';
import type { Limits } from './limits.ts';
import type { FailureFact, Outline } from './outline.ts';
import { applyRevisions, revisionsIn } from './revisions.ts';
import { LABELS } from './sections.ts';
import { clip } from './text.ts';
import { heaviest, weightOf } from './weight.ts';

const CODE = /`([^`]+)`(?: ×(\d+))?/g;

/** The newest `count` items, with a word on how many there are more. */
function newest(items: readonly string[], count: number): string {
	const more = items.length - count;
	return items.slice(-count).join(', ') + (more > 0 ? `, and ${more} more` : '');
}

/** The lists, which stay longest. */
export function listLines(outline: Outline, limits: Limits): string[] {
	return outline.lists.slice(-limits.lists).map((list) => listLine(list, limits.listEntry));
}

/** The lines after the lists, most important first. */
export function criticalLines(outline: Outline, limits: Limits): string[] {
	const lines: string[] = [];
	const add = (label: string, texts: readonly string[], count: number, chars: number): void => {
		if (count > 0)
			for (const text of texts.slice(-count)) lines.push(`${label} ${clip(text, chars)}`);
	};
	add(LABELS.focusNote, outline.focusNotes, limits.focusNotes, limits.note);
	const changed = [...outline.changedFiles].map(
		([path, edits]) => `\`${path}\`${edits > 1 ? ` ×${edits}` : ''}`,
	);
	if (changed.length > 0 && limits.changedFiles > 0)
		lines.push(`${LABELS.changed} ${newest(changed, limits.changedFiles)}`);
	const read = [...outline.readFiles].filter((path) => !outline.changedFiles.has(path));
	if (read.length > 0 && limits.readFiles > 0)
		lines.push(
			`${LABELS.read} ${newest(
				read.map((path) => `\`${path}\``),
				limits.readFiles,
			)}`,
		);
	// A push or a tag is an act, not a state to watch.
	const checks = [...outline.checks]
		.filter(([command]) => !command.startsWith('git '))
		.slice(-limits.checks)
		.map(([command, state]) => `\`${clip(command.replace(/`/g, "'"), 80)}\` ${state}`);
	if (checks.length > 0 && limits.checks > 0) lines.push(`${LABELS.checks} ${checks.join('; ')}`);
	if (limits.notes > 0)
		for (const note of outline.notes.slice(-limits.notes)) lines.push(clip(note, limits.note));
	add(LABELS.stale, outline.stale.map(failureLine), limits.stale, limits.openChars);
	add(
		LABELS.finding,
		heaviest(outline.findings, limits.findings, weightOf),
		limits.findings,
		limits.decision,
	);
	add(LABELS.fixed, outline.fixed, limits.fixed, limits.note);
	return lines;
}

/** A failure as one line; {@link parseFailure} reads it. */
export function failureLine({ command, text }: FailureFact): string {
	return command ? `\`${command}\` failed: ${text}` : text;
}

export function parseFailure(line: string): FailureFact {
	const match = /^`([^`]+)` failed: (.*)$/.exec(line);
	return { command: match?.[1] ?? '', text: match?.[2] ?? line };
}

/** The part on a split turn is newer than the history before it, and may take back what that says. */
function addNewer(outline: Outline, kind: 'constraints' | 'decisions', text: string): void {
	applyRevisions(outline, revisionsIn([text]));
	outline[kind].push(text);
}

/** Reads one line of Critical Context, or of a section we do not know, whose `heading: ` is the prefix. */
export function readCriticalLine(outline: Outline, text: string, prefix: string): void {
	const rest = (label: string): string => text.slice(label.length).trim();
	if (text.startsWith(LABELS.changed)) {
		for (const [, path, edits] of text.matchAll(CODE))
			outline.changedFiles.set(path!, Number(edits ?? 1));
	} else if (text.startsWith(LABELS.read)) {
		for (const [, path] of text.matchAll(CODE)) outline.readFiles.add(path!);
	} else if (text.startsWith(LABELS.checks)) {
		for (const [, command, state] of text.matchAll(/`([^`]+)` ((?:passed|failed) last)/g))
			outline.checks.set(command!, state!);
	} else if (text.startsWith(LABELS.stale))
		outline.stale.push({ ...parseFailure(rest(LABELS.stale)), stale: true });
	else if (text.startsWith(LABELS.finding)) outline.findings.push(rest(LABELS.finding));
	else if (text.startsWith(LABELS.rule)) addNewer(outline, 'constraints', rest(LABELS.rule));
	else if (text.startsWith(LABELS.decision)) addNewer(outline, 'decisions', rest(LABELS.decision));
	else if (text.startsWith(LABELS.next)) outline.nextSteps.push(rest(LABELS.next));
	else if (/^`[^`]+` failed: /.test(text)) outline.blocked.push(parseFailure(text));
	else if (text.startsWith(LABELS.fixed)) outline.fixed.push(rest(LABELS.fixed));
	else
		outline.notes.push(
			text.startsWith(LABELS.focusNote) ? rest(LABELS.focusNote) : `${prefix}${text}`,
		);
}
