/** Owns finding what the assistant decided and what it found out. */
import { clip, headAndTail, linesOf, plainLine, sentencesOf } from './text.ts';

const DECISION =
	/\b(?:I(?:['’]ve| have)? decided|decided (?:to|on|that|against)|I(?:['’]ll| will) (?:go with|use|keep|stick)|we(?:['’]ll| will) (?:go with|use|keep)|let['’]s (?:use|go with|keep)|go(?:ing)? with|I chose|(?:I|we) (?:went with|took|picked)|(?:went|gone) with|chose to|choosing|opted|settled on|(?:best|cleanest|simplest|right) (?:solution|approach|option|choice|way|fix)|is (?:the )?cleanest|switch(?:ed|ing) (?:to|from)|trade-?off|by design|on purpose|deliberate(?:ly)?|(?:no|not an) option|ruled out|rejected|discarded|decision:|agreed:)/i;
const FOREIGN_DECISION =
	/(?<!\p{L})(?:decid[ií]|optei|optamos|escolhi|escolhemos|eleg[ií]|elegimos|opté|ich habe mich .{3,40} entschieden|entschieden|gewählt|j['’]ai (?:choisi|décidé)|choisi)(?!\p{L})|ことにし|採用|决定|选择了|改为/iu;
const FOREIGN_FINDING =
	/(?<!\p{L})(?:a causa|o motivo|o problema|la causa|el motivo|el problema|die Ursache|das Problem|la raison|le problème|porque|weil|parce que)(?!\p{L})|原因|ため|因为/iu;
/** A guess is neither decision nor finding. */
const HEDGE =
	/\b(?:I bet|might|may be|maybe|probably|could be|perhaps|I think|let me|seems? to)\b/i;
/** Wording that tells of a choice less surely; one of these a text at most. */
const CHOICE = /\b(?:instead of|rather than|no longer)\b/i;
const FINDING =
	/\b(?:root cause|(?:the|another|one) (?:real |actual |other )?(?:issue|problem|bug|cause|culprit|reason|suspect)s?\b.{0,40}\b(?:is|was|here|turned|are|were)|because|since|suspects?|explains?|would explain|turns? out|the fix (?:is|was)|that['’]s why|caused by|found (?:it|the (?:bug|issue|problem|cause)))\b/i;
const PLAN_ONLY = /^(?:let me|now let|i['’]ll (?:check|look|read|try)|wait|hmm)\b/i;

const FINDING_CHARS = 300;

interface Insights {
	decisions: string[];
	findings: string[];
}

/** Reads one assistant text. */
export function insightsIn(text: string): Insights {
	const decisions: string[] = [];
	const findings: { text: string; at: number }[] = [];
	let choice = '';
	for (const [at, sentence] of proseOf(text).entries()) {
		if (
			sentence.length < 24 ||
			/[:?]$/.test(sentence) ||
			PLAN_ONLY.test(sentence) ||
			HEDGE.test(sentence)
		)
			continue;
		const last = findings.at(-1);
		if (DECISION.test(sentence) || FOREIGN_DECISION.test(sentence))
			decisions.push(clip(sentence, 260));
		else if (CHOICE.test(sentence)) choice = clip(sentence, 260);
		else if (!FINDING.test(sentence) && !FOREIGN_FINDING.test(sentence)) continue;
		// What was found in one breath stays together.
		else if (last?.at === at - 1 && last.text.length + sentence.length < FINDING_CHARS)
			Object.assign(last, { text: `${last.text} ${sentence}`, at });
		else findings.push({ text: clip(sentence, FINDING_CHARS), at });
	}
	if (choice && decisions.length === 0) decisions.push(choice);
	return {
		decisions: decisions.slice(0, 4),
		findings: findings.slice(0, 3).map((finding) => finding.text),
	};
}

/** The sentences of a text, fenced code and short lines left out. */
function proseOf(text: string): string[] {
	const sentences: string[] = [];
	let fence = false;
	for (const raw of linesOf(headAndTail(text, 12_000, 4_000))) {
		if (/^\s*(?:```|~~~)/.test(raw)) fence = !fence;
		else if (!fence && raw.length > 20)
			sentences.push(...sentencesOf(plainLine(raw.slice(0, 2000)).replace(/^\d+\.\s+/, '')));
	}
	return sentences;
}
