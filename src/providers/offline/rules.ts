/** Owns finding a user's rules and corrections among the sentences of a request. */
import { REVISION, SPECIFIC, STANDING, VALUE } from './cues.ts';
import { clip } from './text.ts';

const RULE_CHARS = 320;
const STRONG_RULE =
	/\b(?:always|never|try (?:not )?to|must(?:n't)?|shall|do not|don['’]?t|do NOT|please keep|make sure|ensure|avoid|no need (?:for|to)|not allowed|forbidden|prefer(?:ably)?|stick to|should(?:n['’]t| not| (?:be|stay|return|remain|keep|use|only))|needs? to be|has to be|have to be|at (?:most|least)|no more than|(?<!\b(?:there['’]?s|there is|is|are|was|just|we|it|i|have|has) )only|without|required?|mandatory|out of scope|limit(?:ed)? to|invariant|stays? (?:out|as|in|where|private)|no \w+(?: \w+){0,3} (?:more|less|longer|larger|later) than)\b|[:,;] (?:please )?keep\b/i;
const NO_SOMETHING =
	/^(?:and |but |also )?no \w+(?: \w+){0,3}[!.]*(?:$|\s)|[,;] (?:and )?no \w+(?: \w+){0,3}[!.]*$/i;
const STANDING_ORDER =
	/^(?:please |and |also |then )?(?:use|keep|leave|put|name|call|prefer|target|support|store|write (?:all|the)|return)\b/i;
const FOREIGN_RULE = new RegExp(
	'必ず|絶対|禁止|ないで|ないように|せずに|だけ|のみ|べき|てはいけない|ではなく|不要|必须|只能|不能|不得|不可|别|请用|务必|これから|今後|お願い|まま|構いません|てもよい|' +
		'(?<!\\p{L})(?:não|nunca|sempre|apenas|somente|só|nada d[eo]|sem|tem que|têm que|deve[mn]?|precisam? ser|' +
		'jamás|siempre|solo|sólo|debe[ns]?|tiene[ns]? que|sin|no (?:l[oa]s?|se|pueden?|debe[ns]?)|' +
		'immer|niemals|nie|muss|müssen|darf|dürfen|nur|kein[e]?|bitte nicht|toujours|jamais|doi(?:t|vent)|seulement|sans|interdit)(?!\\p{L})',
	'iu',
);
const NOT_A_RULE =
	/\b(?:I|we|you) (?:really |still )?(?:don['’]?t|do not) (?:t?h?ink|understand|know|see|get|remember|have|mind)\b|\b(?:it|that|this|which) (?:still )?(?:doesn|don)['’]t\b|\bnot only\b|\bif only\b|\bshould be (?:good|fine|ok|able|done|ready|enough)\b|^let['’]?s\b.*\bwithout\b/i;
const CORRECTION =
	/^(?:no|nope|nah|actually|instead|rather)\b[,.: ]|^(?:いや|いいえ|違う|不|nein\b)/i;
/** A yes on a condition. */
const YES_BUT =
	/^(?:yes|yeah|ok(?:ay)?|sure|fine|good|sim|sí|vale|ja|oui)[,.]? (?:but|just|only|mas|pero|aber|mais)(?![\p{L}])/iu;
/** A yes that says more than yes. */
const ASSENT = /^(?:yes|yeah|yep|ok(?:ay)?|sure)\b[,.: ]/i;
/** A short sentence that begins so speaks of what the one before it named. */
const NEEDS_CONTEXT =
	/^(?:and |but )?(?:should|must|needs?|has|have|it|that|this|they|those|not|only|never|always)\b/i;
const CHOICE =
	/\b(?:instead of|rather than|let['’]?s (?:use|go with|keep|do|not|stay|take|drop|skip)|(?:we|I)(?:['’]ll| will|['’]d| would) (?:go with|use|prefer|rather)|go(?:ing)? with|use \S+(?: \S+){0,3}(?:,| and) not|not \S+ but|(?:is|are) (?:better|actually)|agreed|decided|undo (?:that|it)|revert)\b/i;

interface UserRules {
	/** What holds from now on. */
	constraints: string[];
	/** Where the user corrected or chose. */
	decisions: string[];
}

/** Sorts a request's sentences; what is neither rule nor choice is left to the request itself. */
export function rulesIn(sentences: readonly string[]): UserRules {
	const constraints: string[] = [];
	const decisions: string[] = [];
	sentences.forEach((sentence, index) => {
		if (sentence.length < 4 || sentence.endsWith(':')) return;
		const words = sentence.split(' ').length;
		const before =
			sentence.length < 40 && (words <= 3 || (words <= 6 && NEEDS_CONTEXT.test(sentence)))
				? sentences[index - 1]
				: undefined;
		const text = before ? `${clip(before, 120)} ${sentence}` : clip(sentence, RULE_CHARS);
		const question = /[?？]$/.test(sentence);
		const rule =
			!question &&
			!NOT_A_RULE.test(sentence) &&
			(STRONG_RULE.test(sentence) || NO_SOMETHING.test(sentence) || FOREIGN_RULE.test(sentence));
		if (rule) constraints.push(text);
		else if (
			!question &&
			(CHOICE.test(sentence) ||
				(REVISION.test(sentence) && words > 3) ||
				(CORRECTION.test(sentence) && words > 4) ||
				YES_BUT.test(sentence) ||
				(ASSENT.test(sentence) && SPECIFIC.test(sentence)))
		)
			decisions.push(`User: ${text}`);
		// "No, wait." is about what comes next.
		else if (!question && CORRECTION.test(sentence) && sentences[index + 1])
			decisions.push(`User: ${clip(`${sentence} ${sentences[index + 1]}`, RULE_CHARS)}`);
		else if (!question && STANDING_ORDER.test(sentence) && (index > 0 || SPECIFIC.test(sentence)))
			constraints.push(text);
		// Bounds and exact values beside the request itself are conditions on it.
		else if (!question && words > 4 && STANDING.test(sentence)) constraints.push(text);
		else if (!question && SPECIFIC.test(sentence) && (index > 0 || isBareValue(sentence)))
			constraints.push(text);
	});
	return { constraints: constraints.slice(0, 60), decisions: decisions.slice(0, 20) };
}

/** A colour or an amount with few words around it is all that the user wanted to say. */
function isBareValue(sentence: string): boolean {
	return VALUE.test(sentence) && sentence.length < 60;
}
