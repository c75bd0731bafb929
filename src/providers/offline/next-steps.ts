/** Owns finding unfinished work in an assistant's statement: lists of what remains, questions, plans. */
import { clip, headAndTail, linesOf, plainLine, sentencesOf } from './text.ts';

const STEP_CHARS = 220;
const PLAN_HEADING =
	/^(?:the )?(?:next steps?|next up|remaining(?: \w+){0,3}|still (?:to do|open|missing|left|needed)|what(?:['’]s| is) left|to-?dos?|left to do|not (?:yet )?done|open (?:points|questions|items)|follow-?ups?|残り|次)\b[^.]{0,40}:?$/i;
const PLAN_SENTENCE =
	/^(?:TODO\b|FIXME\b|next[,:]? (?:i|we|step|up)|(?:still |also |what (?:is|['’]s) )?(?:remaining|left|open|missing|pending|outstanding)(?: for later)?(?: (?:is|are)\b|:)|still (?:to do|needs?|missing|open|unclear)|left to do|what (?:i|we)(?: would|['’]d) still)|\b(?:i|we) (?:still (?:need|have|must|want)|have (?:yet to|not)|haven['’]t|need to|couldn['’]t|could not|(?:wi|['’])ll wait|would (?:still|look|start|go on)|['’]d (?:still|look|start|have to))|\b(?:not|nothing|nobody|none)\b.{0,60}\b(?:yet|so far)\b|\bonly\b.{0,60}\bso far\b|\bso far\b.{0,60}\b(?:only|all)\b|\b(?:somebody|someone) (?:should|must|has to|needs to)\b|\b(?:is|are|has|have) (?:still )?(?:not (?:yet )?(?:been )?(?:done|implemented|finished|covered|tested)|unfinished|pending|to be (?:done|written|tested|checked|read))\b|\bstill (?:fails?|breaks?|crash(?:es)?|lacks?|needs?)\b|\b(?:one|two|three|\d+) more (?:places?|files?|cases?|callers?|tests?|things?)\b|\bremains to be\b|\bneeds? (?:a|an|to be|somebody|someone)\b|\bhas to .{2,40} first\b/i;
const FOREIGN_PLAN =
	/(?<!\p{L})(?:falta[mn]?|pend[ei]entes?|ainda (?:não|falta|precisa)|é preciso|preciso d[eo]|todavía|aún no|hay que|queda[n]? por|noch (?:nicht|offen|zu)|fehl(?:t|en)|reste(?:nt)? à|pas encore|il faut)(?!\p{L})|まだ|残り|未対応|还没|尚未|待办/iu;
const QUESTION =
	/^(?:should i|do you want|would you like|want me to|shall i|which|or do you|could you|can you|is (?:it|that)|what|how)\b.*\?$/i;

/** Steps that a statement leaves open, clean and clipped. */
export function stepsIn(text: string): string[] {
	const steps: string[] = [];
	let inPlan = false;
	let fence = false;
	for (const raw of linesOf(headAndTail(text, 12_000, 6_000))) {
		if (/^\s*(?:```|~~~)/.test(raw)) fence = !fence;
		if (fence || raw.trim() === '') continue;
		const item = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/.test(raw);
		const unchecked = /^\s*(?:[-*+•]\s+)?\[ \]\s/.test(raw);
		const line = plainLine(raw.slice(0, 2000)).replace(/^\d{1,3}[.)]\s+/, '');
		if (unchecked || (inPlan && item && !/^\[x\]/i.test(line))) steps.push(clip(line, STEP_CHARS));
		else if (PLAN_HEADING.test(line)) inPlan = true;
		else {
			if (!item) inPlan = /:$/.test(line) && PLAN_SENTENCE.test(line);
			for (const sentence of sentencesOf(line))
				if (
					(PLAN_SENTENCE.test(sentence) || FOREIGN_PLAN.test(sentence)) &&
					!/[:?？]$/.test(sentence)
				)
					steps.push(clip(sentence, STEP_CHARS));
		}
	}
	return steps.filter((step) => step.length > 3).slice(0, 24);
}

/** The question that a statement ends with, where it waits for the user; else empty. */
export function closingQuestion(text: string): string {
	const lines = linesOf(headAndTail(text, 2_000, 2_000)).filter((line) => line.trim() !== '');
	const sentences = sentencesOf(plainLine((lines.at(-1) ?? '').slice(0, 2000)));
	const question = sentences.findLast(
		(sentence) => QUESTION.test(sentence) || /[?？]$/.test(sentence),
	);
	return question && sentences.indexOf(question) >= sentences.length - 2
		? clip(question, STEP_CHARS)
		: '';
}

/** True where a closing statement itself says that the work goes on, or was cut in mid-sentence. */
export function soundsUnfinished(text: string): boolean {
	const last = plainLine(
		(linesOf(headAndTail(text, 2_000, 2_000)).findLast((line) => line.trim()) ?? '').slice(-600),
	);
	const sentence = sentencesOf(last).at(-1) ?? '';
	return (
		/^(?:now )?(?:let me|let['’]s|i['’]ll|next,? i)\b/i.test(sentence) ||
		(/[\p{Ll},]$/u.test(last) &&
			last.length > 80 &&
			!/[:`]$/.test(last) &&
			sentence.split(' ').length < 5)
	);
}
