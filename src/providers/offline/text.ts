/** Owns turning untrusted conversation text into safe single lines: cleaning, clipping, splitting. */

/** Names of the tags that wrap parts of a model's input; text must not be able to open or close one. */
const OWN_TAGS =
	'conversation|previous-summary|additional-context|summary|branch-summary|read-files|modified-files|files';
const OWN_TAG_START = new RegExp(`<(?=\\s?/?\\s?(?:${OWN_TAGS})\\b)`, 'gi');
const ANSI =
	/\u001b(?:\[[0-?]{0,40}[ -/]{0,4}[@-~]|\][^\u0007\u001b]{0,400}(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
// C0 and C1 controls, soft hyphen, bidi overrides and zero-width marks (the joiners stay: scripts need them).
const CONTROLS =
	/[\u0000-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const LEADING_MARKUP = /^(?:[#>|]+\s*|[-*+•]\s+|\[[ xX]\]\s*)+/;

/**
 * The part of a long text that is worth reading: its beginning and its end, in characters. Bounds the
 * work for one message, however large it is.
 */
export function headAndTail(text: string, head = 24_000, tail = 8_000): string {
	if (text.length <= head + tail) return text;
	return `${text.slice(0, head)}\n${text.slice(-tail)}`;
}

/** Splits into lines; the caller bounds the text first. */
export function linesOf(text: string): string[] {
	return text.split(/\r\n|[\n\r\u2028\u2029]/);
}

/** Removes escape sequences; line breaks stay. */
export function stripAnsi(text: string): string {
	return text.includes('\u001b') ? text.replace(ANSI, '') : text;
}

/** One safe line: no control characters, single spaces, our own tags made harmless. */
export function cleanLine(text: string): string {
	return stripAnsi(text)
		.replace(CONTROLS, ' ')
		.replace(LONE_SURROGATE, '\ufffd')
		.replace(/\s+/g, ' ')
		.replace(OWN_TAG_START, '‹')
		.trim();
}

/** A clean line without the Markdown that would change the meaning of a bullet: headings, bold, quotes. */
export function plainLine(text: string): string {
	return (
		cleanLine(text)
			.replace(LEADING_MARKUP, '')
			// Bold marks, not the stars of a glob such as src/**/*.ts.
			.replace(/(?<![/\w*])\*\*(?=[^\s/*])|(?<=[^\s/*])\*\*(?![/\w*])/g, '')
			.replace(/`{2,}\w*/g, '')
			.trim()
	);
}

/** Ends an inline code span that a cut left open. */
function closeCode(text: string): string {
	let ticks = 0;
	for (const char of text) if (char === '`') ticks++;
	return ticks % 2 === 0 ? text : `${text}\``;
}

/** At most `max` characters, cut at a word boundary where there is one near, with an ellipsis. */
export function clip(text: string, max: number): string {
	if (text.length <= max) return text;
	if (max < 4) return text.slice(0, Math.max(0, max - 1)) + (max > 0 ? '…' : '');
	let cut = text.slice(0, max - 2);
	const last = cut.charCodeAt(cut.length - 1);
	if (last >= 0xd800 && last <= 0xdbff) cut = cut.slice(0, -1);
	const space = cut.lastIndexOf(' ');
	if (space > max * 0.6) cut = cut.slice(0, space);
	return closeCode(`${cut.replace(/[\s,;:.\u3001\u3002]+$/, '')}…`);
}

/** Sentences of one line; abbreviations and dots inside names and numbers end none. */
export function sentencesOf(line: string): string[] {
	const parts = line.split(/(?<=[.!?]["'”)]?)\s+|(?<=[。！？])\s*/);
	const sentences: string[] = [];
	for (const part of parts) {
		const previous = sentences.at(-1);
		if (previous !== undefined && /\b(?:e\.g|i\.e|etc|vs|cf|approx|no)\.$/i.test(previous))
			sentences[sentences.length - 1] = `${previous} ${part}`;
		else if (part.trim()) sentences.push(part.trim());
	}
	return sentences;
}

/** What two texts have in common where they say the same: letters and digits only, lower case. */
export function sameKey(text: string): string {
	return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

const STOP_WORDS = new Set(
	(
		'about after again also been before being could does doing done dont each everything from have ' +
		'here into its just like make made more most much need only other over please really should some ' +
		'such than that them then there these they thing things this those through very want were what ' +
		'when where which while will with would your focus summary todo decide whether still open remaining next'
	).split(' '),
);
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/**
 * The words of a text that carry its meaning: four letters or more, no common words, plural and verb
 * endings cut; scripts without spaces give pairs of characters instead.
 */
export function significantWords(text: string): Set<string> {
	const words = new Set<string>();
	for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu)) {
		if (CJK.test(word)) {
			const chars = [...word];
			for (let at = 0; at + 1 < chars.length; at++) words.add(chars[at]! + chars[at + 1]!);
		} else if ((word.length >= 4 || /\d/.test(word)) && !STOP_WORDS.has(word)) {
			// "modules", "module": both lose their last e.
			words.add(word.length > 5 ? word.replace(/(?:ing|ed|s)$/, '').replace(/e$/, '') : word);
		}
	}
	return words;
}

/** The share of `words` that `others` has too, 0 to 1; 0 where there are none. */
export function sharedWords(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
	if (words.size === 0) return 0;
	let shared = 0;
	for (const word of words) if (others.has(word)) shared++;
	return shared / words.size;
}
