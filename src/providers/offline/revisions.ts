/** Owns finding what the user took back: an old rule that a later request revises holds no more. */
import { REVISION } from './cues.ts';
import type { ListFact, Outline } from './outline.ts';
import { clip, sharedWords, significantWords } from './text.ts';

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

/** Moves the rule that each revision takes back out of the outline's rules, and marks list items. */
export function applyRevisions(outline: Outline, revisions: readonly string[]): void {
	for (const revision of revisions) {
		const places = [
			...outline.constraints.map((text, at) => ({ text, at, list: undefined })),
			...outline.lists.flatMap((list) => list.entries.map((text, at) => ({ text, at, list }))),
		].filter(({ text }) => !text.startsWith(CHANGED) && !revision.includes(text));
		const best = places
			.map((place) => ({ ...place, share: match(revision, place.text) }))
			.reduce<Place | undefined>(
				(most, place) => (place.share > (most?.share ?? 0) ? place : most),
				undefined,
			);
		if (!best) continue;
		if (best.list) best.list.entries[best.at] = CHANGED + best.text;
		else {
			outline.constraints.splice(best.at, 1);
			outline.withdrawn.push(clip(best.text, 140));
		}
	}
}

interface Place {
	text: string;
	at: number;
	share: number;
	list: ListFact | undefined;
}
