/** Owns finding what the user took back: an old rule that a later request revises holds no more. */
import { REVISION } from './cues.ts';
import type { ListFact, Outline } from './outline.ts';
import { clip, sameKey, sentencesOf, sharedWords, significantWords } from './text.ts';

/** A revision speaks of an old rule where it shares this much of the rule's words, and two at least. */
const SHARE = 0.4;
const LEAST_WORDS = 2;
/** What a new amount in the unit of the old one adds to that. */
const UNIT_SHARE = 0.15;
/** Before an item of a list that no longer holds as it stands. */
const CHANGED = '(changed later) ';
const AMOUNT = /\d[\d.,]*\s?(?:%|\p{L}{2,8})/giu;
/** Bounds on the work: what is compared with what. */
const MOST_REVISIONS = 40;
const MOST_RULES = 200;
const MOST_ITEMS = 40;

/** The sentences of a request that take something back, each with the one before for its context. */
export function revisionsIn(sentences: readonly string[]): string[] {
	return sentences.flatMap((sentence, index) =>
		REVISION.test(sentence) ? [[sentences[index - 1] ?? '', sentence].join(' ').trim()] : [],
	);
}

interface Saying {
	text: string;
	words: Set<string>;
	/** "20mb". */
	amounts: Set<string>;
	/** "mb". */
	units: Set<string>;
}

/** A rule, or an item of one of the user's lists. */
interface Place extends Saying {
	list?: ListFact;
}

function saying(text: string): Saying {
	const amounts = [...text.matchAll(AMOUNT)].map(([amount]) =>
		amount.toLowerCase().replace(/\s/g, ''),
	);
	const units = new Set(amounts.map((amount) => amount.replace(/^[\d.,]+/, '')));
	return { text, words: significantWords(text), amounts: new Set(amounts), units };
}

/** How surely `revision` speaks of `rule`, 0 for not at all. */
function match(revision: Saying, rule: Saying): number {
	if (revision.text.includes(rule.text)) return 0;
	const shared = sharedWords(rule.words, revision.words);
	if (shared * rule.words.size < LEAST_WORDS && !overlap(rule.amounts, revision.amounts)) return 0;
	const share =
		shared +
		(overlap(rule.units, revision.units) ? UNIT_SHARE : 0) +
		(overlap(rule.amounts, revision.amounts) ? SHARE : 0);
	return share >= SHARE ? share : 0;
}

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
	for (const item of one) if (other.has(item)) return true;
	return false;
}

/** Takes the rule that each revision speaks of out of the outline's rules and goals; marks list items. */
export function applyRevisions(outline: Outline, revisions: readonly string[]): void {
	if (revisions.length === 0) return;
	const places = placesIn(outline);
	for (const revision of revisions.slice(-MOST_REVISIONS).map(saying)) {
		let found: Place | undefined;
		let best = 0;
		for (const place of places) {
			const share = match(revision, place);
			if (share > best) [best, found] = [share, place];
		}
		if (found) {
			places.splice(places.indexOf(found), 1);
			withdraw(outline, found);
		}
	}
}

function placesIn(outline: Outline): Place[] {
	const rules: Place[] = outline.constraints.slice(-MOST_RULES).map(saying);
	const items = outline.lists.slice(-8).flatMap((list) =>
		list.entries
			.slice(0, MOST_ITEMS)
			.filter((entry) => !entry.startsWith(CHANGED))
			.map((entry) => ({ ...saying(entry), list })),
	);
	return [...rules, ...items];
}

function withdraw(outline: Outline, { text, list }: Place): void {
	if (list) {
		list.entries = list.entries.map((entry) => (entry === text ? CHANGED + entry : entry));
		return;
	}
	outline.constraints = outline.constraints.filter((rule) => rule !== text);
	outline.withdrawn.push(clip(text, 140));
	// A goal is told in the user's words, the rules among them included.
	outline.goals = outline.goals.map((goal) => withoutSentence(goal, text));
}

function withoutSentence(goal: string, rule: string): string {
	const sentences = sentencesOf(goal);
	const rest = sentences.filter((sentence) => sameKey(sentence) !== sameKey(rule));
	return rest.length > 0 && rest.length < sentences.length ? rest.join(' ') : goal;
}
