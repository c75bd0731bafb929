/** Owns what a short answer of the user decides, by the question or the proposal before it. */
import { ASSENT } from './cues.ts';
import { closingQuestion } from './next-steps.ts';
import type { UserRequest } from './requests.ts';
import { clip, headAndTail, linesOf, plainLine, sentencesOf } from './text.ts';

/** A longer first sentence speaks for itself. */
const REPLY_CHARS = 60;
const PROPOSAL_CHARS = 260;
const OPTION =
	/^(?:(?:option|variant|opção|opción|variante)\s+)?([a-e1-9])(?:[.),:!]|\s+(?:then|it is|please)|$)/i;
const PROPOSAL =
	/\b(?:I (?:propose|suggest|recommend|would|could|can)|I['’]d|we (?:could|can)|shall (?:I|we)|should (?:I|we)|want me to|proponho|sugiro|posso|podemos|recomendo|propongo|sugiero|puedo|recomiendo|ich (?:würde|schlage|kann)|je (?:propose|peux))\b/i;

/** What the answer settles, as a line for the decisions; empty where it answers nothing. */
export function decisionOf(request: UserRequest, statement: string): string {
	const reply = request.sentences[0] ?? '';
	if (reply === '' || reply.length > REPLY_CHARS || statement === '') return '';
	const lines = linesOf(headAndTail(statement, 4_000, 4_000))
		.map((line) => plainLine(line.slice(0, 2_000)))
		.filter(Boolean);
	const option = OPTION.exec(reply)?.[1];
	const chosen = option && optionText(lines, option);
	if (chosen) return `User chose ${clip(chosen, PROPOSAL_CHARS)}`;
	const question = closingQuestion(statement);
	if (ASSENT.test(reply)) {
		const proposal = proposalIn(lines, question);
		return proposal ? `User agreed: ${clip(proposal, PROPOSAL_CHARS)}` : '';
	}
	return question && !/[?？]$/.test(reply)
		? `User: ${reply} (answer to: ${clip(question, 140)})`
		: '';
}

/** The text of a lettered or numbered option, in a line of its own or between the others. */
function optionText(lines: readonly string[], option: string): string {
	const label = new RegExp(
		`(?:^|[:;.(]\\s*|\\s)\\(?${option}[.),:]\\s+(.{4,400}?)(?:[;.](?:\\s|$)|$)`,
		'i',
	);
	for (const line of lines) {
		const match = label.exec(line);
		if (match) return `${option.toUpperCase()}: ${match[1]}`;
	}
	return '';
}

/** The last sentence that proposes something, with the words before the question that asks for leave. */
function proposalIn(lines: readonly string[], question: string): string {
	const sentences = lines.slice(-4).flatMap(sentencesOf);
	const proposed = sentences.findLastIndex((sentence) => PROPOSAL.test(sentence));
	if (proposed >= 0) return sentences.slice(proposed, proposed + 2).join(' ');
	return question ? sentences.slice(-3).join(' ') : '';
}
