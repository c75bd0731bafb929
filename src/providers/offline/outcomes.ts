/** Owns condensing an assistant's closing statement into one line that says what was done. */
import { clip, headAndTail, linesOf, plainLine, sentencesOf } from './text.ts';

const OUTCOME_CHARS = 420;
const OPENER =
	/^(?:(?:perfect|great|done|yes|no|hello|oh|good|excellent|awesome|nice|fixed|sure|ok(?:ay)?|absolutely|you['’]re (?:absolutely )?right)(?:[!.]+|,? [-–—])\s*)+/i;
const FILLER =
	/^(?:summary|changes(?: made)?|key changes|what (?:i )?(?:changed|did)|here['’]?s (?:what|a|the)\b.*|let me (?:create|write|give|summarize)\b.*|now let['’]?s\b.*|now (?:we have|you can|it)|issues? found|fixes applied|solution(?: summary)?|features|how it works|overview|details|result|everything should be working.*|the theme should now look.*|this (?:makes (?:much )?more sense|gives users)\b.*)[:.!]*$/i;
/** From here on an answer explains how to use what was done. */
const USAGE_ADVICE =
	/^(?:now you can|you can now|try (?:it|changing)|to (?:use|test|try) (?:it|this)|usage)\b/i;
/** What comes next is not what was done; next-steps reads it. */
const PLANS =
	/^(?:next steps?|remaining|still (?:to do|open|missing)|to-?do|left to do|not (?:yet )?done|open (?:points|questions|items))\b/i;

interface TellingLine {
	text: string;
	/** True for an item of a list. */
	item: boolean;
}

function tellingItems(text: string): TellingLine[] {
	const lines: TellingLine[] = [];
	let fence = false;
	for (const raw of linesOf(headAndTail(text, 12_000, 4_000))) {
		if (/^\s*(?:```|~~~)/.test(raw)) fence = !fence;
		else if (!fence && !/^\s*(?:\||[-=*_]{3,}\s*$)/.test(raw)) {
			const line = plainLine(raw.slice(0, 2000)).replace(/^\d{1,2}[.)]\s+/, '');
			if (line.length > 1)
				lines.push({ text: line, item: /^\s*(?:[-*+•]|\d{1,2}[.)])\s/.test(raw) });
		}
	}
	return lines;
}

/** The lines of a text that say something, clean; fenced code and tables left out. */
export function tellingLines(text: string): string[] {
	return tellingItems(text).map((line) => line.text);
}

const INTENT = /\blet me\b|^(?:checking|looking (?:at|into)|reading|now\b)|\bis next\.?$/i;

/** True for words on what is about to be done, which are worth nothing once the work went on. */
export function isIntent(outcome: string): boolean {
	return outcome.length < 120 && INTENT.test(outcome);
}

/** One line on what was done, in the assistant's words; empty where the text says nothing. */
export function outcomeOf(text: string, maxChars = OUTCOME_CHARS): string {
	const parts: string[] = [];
	let length = 0;
	const lines = tellingItems(text);
	for (const [index, { text: line }] of lines.entries()) {
		if (USAGE_ADVICE.test(line) || PLANS.test(line)) break;
		const bare = line.replace(OPENER, '');
		if (bare.length < 2 || /^\w+!?$/.test(bare) || FILLER.test(bare)) continue;
		// What an announcement announced was code, and is not here.
		if (bare.endsWith(':') && !lines[index + 1]?.item) continue;
		for (const sentence of sentencesOf(bare)) {
			if (
				/^(?:should I|do you want|would you like|want me to|shall I|let me know)\b/i.test(sentence)
			)
				continue;
			parts.push(sentence.replace(/[.;]$/, ''));
			length += sentence.length + 2;
		}
		if (length > maxChars) break;
	}
	const joined = parts.reduce(
		(line, part) => (line === '' ? part : /:$/.test(line) ? `${line} ${part}` : `${line}; ${part}`),
		'',
	);
	return clip(joined.replace(/:$/, ''), maxChars);
}

const MILESTONE =
	/\b(?:added|fixed|created|updated|removed|replaced|implemented|renamed|moved|refactored|ported|wrote|now (?:passes?|works?|builds?|compiles?|uses?|returns?|has|have|handles?|supports?)|all (?:\d+ )?tests? pass|passes|works|(?:is|are) (?:done|complete|in place)|finished|verified|confirmed|reproduced|found|findings?|turns out|cause (?:is|was))\b/i;

/** A sentence, from the middle of a turn, that reports something achieved; empty where there is none. */
export function milestoneIn(text: string): string {
	for (const line of tellingLines(text).slice(0, 6)) {
		for (const sentence of sentencesOf(line.replace(OPENER, '')))
			if (
				sentence.length > 20 &&
				!/[:?]$/.test(sentence) &&
				!/^(?:let me|now let|now i|i['’]ll|i need|let['’]s|but\b)/i.test(sentence) &&
				MILESTONE.test(sentence)
			)
				return clip(sentence.replace(/[.;]$/, ''), 200);
	}
	return '';
}
