/** What in a file comes close to a text that was not found in it, for whoever asked for it. */
import { createYielder } from '../util/async.ts';
import { clipMiddle } from '../util/clip-text.ts';
import { linesOf, someLines } from './text-file.ts';

/** Lines that are looked at, and characters of each. */
const LOOKED_AT_LINES = 50_000;
const LOOKED_AT_CHARACTERS = 200;
const MOST_CANDIDATES = 3;
/** Share of pairs of letters that two lines must have in common. */
const LEAST_LIKENESS = 0.6;
const SHOWN_CHARACTERS = 1_000;

interface Candidate {
	/** From 0. */
	line: number;
	likeness: number;
}

/** A text that names the closest places, beginning with a blank; empty where nothing comes close. */
export async function nearMisses(text: string, wanted: string): Promise<string> {
	const { lines } = await someLines(text, 1, LOOKED_AT_LINES);
	const asked = linesOf(wanted);
	const skipped = asked.findIndex((line) => line.trim() !== '');
	const first = asked[skipped];
	if (first === undefined) return '';
	const best: Candidate[] = [];
	const pairs = pairsOf(first);
	const pause = createYielder();
	for (const [line, candidate] of lines.entries()) {
		await pause();
		const likeness = likenessOf(pairs, pairsOf(candidate));
		if (likeness < LEAST_LIKENESS) continue;
		best.push({ line: Math.max(0, line - skipped), likeness });
		best.sort((a, b) => b.likeness - a.likeness);
		best.length = Math.min(best.length, MOST_CANDIDATES);
	}
	if (best.length === 0) return ' Nothing in it comes close: read the file.';
	const shown = best.map(({ line }) => {
		const stands = lines.slice(line, line + asked.length);
		const blanks = stands.every((each, index) => squeezed(each) === squeezed(asked[index] ?? ''));
		const why = blanks ? ', which differ in blanks alone' : '';
		const range = `Lines ${line + 1} to ${line + stands.length}${why}`;
		return `${range}:\n${clipMiddle(stands.join('\n'), SHOWN_CHARACTERS)}`;
	});
	return ` What comes closest:\n\n${shown.join('\n\n')}`;
}

function squeezed(line: string): string {
	return line.replace(/\s+/g, '');
}

function pairsOf(line: string): Set<string> {
	const letters = squeezed(line.slice(0, LOOKED_AT_CHARACTERS));
	const pairs = new Set<string>();
	for (let at = 0; at + 1 < letters.length; at++) pairs.add(letters.slice(at, at + 2));
	if (letters.length === 1) pairs.add(letters);
	return pairs;
}

/** From 0 to 1. */
function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
	if (a.size === 0 || b.size === 0) return 0;
	let common = 0;
	for (const pair of a) if (b.has(pair)) common++;
	return (2 * common) / (a.size + b.size);
}
