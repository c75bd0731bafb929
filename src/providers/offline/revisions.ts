/** Owns finding what the user took back: an old rule that a later request revises holds no more. */
import { REVISION } from './cues.ts';
import type { Outline } from './outline.ts';
import { clip, sameKey, sentencesOf, sharedWords, significantWords } from './text.ts';

/** A revision speaks of an old rule where it shares this much of the rule's words, and two at least. */
const SHARE = 0.4;
const LEAST_WORDS = 2;
const CHANGED = '(changed later) ';
const AMOUNT = /\d[\d.,]*\s?(?:%|\p{L}{2,8})/giu;

/** The sentences of a request that take something back, each with the one before for its context. */
export function revisionsIn(sentences: readonly string[]): string[] {
	return sentences.flatMap((sentence, index) =>
		REVISION.test(sentence) ? [[sentences[index - 1] ?? '', sentence].join(' ').trim()] : [],
	);
}

function amountsIn(text: string): Set<string> {
	return new Set(
		[...text.matchAll(AMOUNT)].map(([amount]) => amount.toLowerCase().replace(/\s/g, '')),
	);
}

/** How surely `revision` speaks of `rule`, 0 for not at all. */
function match(revision: string, rule: string): number {
	const words = significantWords(rule);
	const others = significantWords(revision);
	const share = sharedWords(words, others);
	if (share >= SHARE && share * words.size >= LEAST_WORDS) return share;
	const amounts = amountsIn(revision);
	return [...amountsIn(rule)].some((amount) => amounts.has(amount)) ? SHARE : 0;
}

/** Moves the rule that each revision takes back out of the outline's rules and goals, and marks list items. */
export function applyRevisions(outline: Outline, revisions: readonly string[]): void {
	for (const revision of revisions) {
		const places = placesIn(outline).filter(
			({ text }) => !text.startsWith(CHANGED) && !revision.includes(text),
		);
		const shares = places.map(({ text }) => match(revision, text));
		const best = Math.max(0, ...shares);
		const found = places[shares.indexOf(best)];
		if (best === 0 || !found) continue;
		found.withdraw();
		if (!found.isItem) outline.withdrawn.push(clip(found.text, 140));
		// A goal is told in the user's words, the rules among them included.
		outline.goals = outline.goals.map((goal) => withoutSentence(goal, found.text));
	}
}

interface Place {
	text: string;
	isItem: boolean;
	withdraw: () => void;
}

function placesIn(outline: Outline): Place[] {
	const rules = outline.constraints.map((text, at) => ({
		text,
		isItem: false,
		withdraw: () => void outline.constraints.splice(at, 1),
	}));
	const items = outline.lists.flatMap(({ entries }) =>
		entries.map((text, at) => ({
			text,
			isItem: true,
			withdraw: () => void (entries[at] = CHANGED + text),
		})),
	);
	return [...rules, ...items];
}

function withoutSentence(goal: string, rule: string): string {
	const sentences = sentencesOf(goal);
	const rest = sentences.filter((sentence) => sameKey(sentence) !== sameKey(rule));
	return rest.length > 0 && rest.length < sentences.length ? rest.join(' ') : goal;
}
