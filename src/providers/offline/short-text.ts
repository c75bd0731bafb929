/** Owns the one or two sentences that stand for a summary in lists. */
import type { Outline } from './outline.ts';
import { clip } from './text.ts';

/** Says what was asked and what was done last, in at most about 240 characters. */
export function shortTextOf(outline: Outline): string {
	const asked =
		outline.latestRequest ||
		outline.goals[0] ||
		outline.done.findLast((turn) => turn.request)?.request ||
		'';
	const first = outline.goals[0] ?? '';
	const open = outline.inProgress.at(-1);
	const last = outline.done.findLast((turn) => turn.outcome);
	const sentences: string[] = [];
	if (first && asked && first !== asked)
		sentences.push(`Asked: ${clip(first, 80)}; lately: ${clip(asked, 60)}`);
	else if (asked) sentences.push(`Asked: ${clip(asked, 120)}`);
	if (open) sentences.push(`In progress: ${clip(open.outcome || open.request, 90)}`);
	else if (last) sentences.push(`Done: ${clip(last.outcome, 100)}`);
	if (sentences.length === 0)
		sentences.push(clip(outline.notes[0] ?? outline.constraints[0] ?? 'Earlier work', 120));
	return sentences
		.map((sentence) => (/[.!?…]$/.test(sentence) ? sentence : `${sentence}.`))
		.join(' ');
}
