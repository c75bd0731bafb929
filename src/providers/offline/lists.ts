/** Owns a user's enumerations: finding them and keeping every label. */
import type { ListFact } from './outline.ts';
import { clip, cleanLine, plainLine, sentencesOf } from './text.ts';

/** A shorter run of items stays part of the sentence around it. */
const LEAST_ITEMS = 3;
/** Characters of one item; its label is at the front. */
const ITEM_CHARS = 90;
const MOST_ITEMS = 200;
const ITEM = /^\s*(?:\(?\d{1,3}[.):]|\(?[a-z]\)|[-*+•]|\[[ xX]\])\s+\S/;
const NUMBER = /^\(?(\d{1,3}|[a-z])[.):]\s+/;
const INLINE_NUMBER = /(?:^|[\s:;,])\(?(\d{1,3})[.)]\s+/g;

function entryOf(line: string): string {
	const clean = cleanLine(line).replace(/;/g, ',');
	const number = NUMBER.exec(clean);
	const rest = plainLine(number ? clean.slice(number[0].length) : clean);
	return clip(number ? `${number[1]}. ${rest}` : rest, ITEM_CHARS);
}

/** Splits "do: 1) this, 2) that, 3) those" into its items; undefined where the numbers do not count up. */
function inlineEntries(line: string): { intro: string; entries: string[] } | undefined {
	const marks = [...line.matchAll(INLINE_NUMBER)].filter(
		(mark, index) => Number(mark[1]) === index + 1,
	);
	if (marks.length < LEAST_ITEMS) return undefined;
	const entries = marks.map((mark, index) =>
		entryOf(line.slice(mark.index, marks[index + 1]?.index).replace(/^[\s:;,]+|[\s,;]+$/g, '')),
	);
	return { intro: line.slice(0, marks[0]!.index), entries };
}

/** A run of short lines without verbs or stops, such as one colour or port on each. */
function isValueLine(line: string): boolean {
	return (
		!ITEM.test(line) &&
		!/:\s*$/.test(line) &&
		line.trim().length > 2 &&
		line.length < 60 &&
		!/[.!?]\s*$/.test(line) &&
		/[\d#=:]/.test(line)
	);
}

/**
 * Takes the enumerations out of a user's lines. Where one stood, the returned prose says so, so that
 * the request and its list stay connected.
 */
export function takeLists(lines: readonly string[]): { prose: string[]; lists: ListFact[] } {
	const prose: string[] = [];
	const lists: ListFact[] = [];
	const add = (intro: string, entries: string[]): void => {
		lists.push({
			intro: clip((sentencesOf(plainLine(intro)).at(-1) ?? '').replace(/:$/, ''), 120),
			entries: entries.slice(0, MOST_ITEMS),
		});
		prose.push(`(list of ${entries.length} items: ${clip(entries[0] ?? '', 40)} …)`);
	};
	const introduction = (): string => prose.findLast((line) => line.trim() !== '') ?? '';

	for (let at = 0; at < lines.length;) {
		const line = lines[at]!;
		const test = ITEM.test(line) ? (other: string) => ITEM.test(other) : isValueLine;
		const items: string[] = [];
		let end = at;
		for (; end < lines.length; end++) {
			const next = lines[end]!;
			if (test(next)) items.push(entryOf(next));
			// A wrapped item goes on indented; a blank line may stand between two items.
			else if (!(
				items.length > 0 &&
				(/^\s{2,}\S/.test(next) || (next === '' && test(lines[end + 1] ?? '')))
			))
				break;
		}
		if (items.length >= LEAST_ITEMS) {
			add(introduction(), items);
			at = end;
			continue;
		}
		const inline = inlineEntries(line);
		if (inline) {
			if (inline.intro.trim()) prose.push(inline.intro);
			add(inline.intro, inline.entries);
		} else prose.push(line);
		at++;
	}
	return { prose, lists };
}

/** A list as one line: "List of 3 (intro): 1. a; 2. b; 3. c", items at most `chars` long. */
export function listLine(list: ListFact, chars: number): string {
	const intro = list.intro ? ` (${clip(list.intro, Math.max(30, chars))})` : '';
	return `List of ${list.entries.length}${intro}: ${list.entries.map((entry) => clip(entry, chars)).join('; ')}`;
}

/** Reads a line made by {@link listLine}; undefined for any other. */
export function parseListLine(line: string): ListFact | undefined {
	const match = /^List of \d+(?: \((.*?)\))?: (.*)$/.exec(line);
	return match ? { intro: match[1] ?? '', entries: match[2]!.split('; ') } : undefined;
}
