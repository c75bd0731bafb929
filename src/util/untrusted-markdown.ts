/**
 * Markdown from models and files, made safe to render: headings, lists, emphasis, code and web links
 * stay; HTML, images, other links and tables become plain text.
 *
 * The text is written anew so that no Markdown parser can disagree about what is code: fences and
 * code spans are closed on their own terms, and outside of them every character that could start
 * something else is escaped.
 */

/** A web or mail link whose text and address hold nothing that needs a second look. */
const SAFE_LINK =
	/^\[([^[\]\\`<>|\n]{1,300})\]\(((?:https?:\/\/|mailto:)[^\s()<>[\]\\`|"']{1,2000})\)/i;

const FENCE = /^([ \t]*)(`{3,}|~{3,})[ \t]*([^`]*)$/;
const CONTROL = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const PUNCTUATION = /[!-/:-@[-`{-~]/;

/** Rewrites untrusted Markdown so that rendering it shows text and nothing more. */
export function untrustedMarkdown(text: string): string {
	const lines = text.replace(/\r\n?/g, '\n').split('\n');
	const written: string[] = [];
	for (let index = 0; index < lines.length; index++) {
		const line = withoutControls(lines[index] ?? '');
		const fence = FENCE.exec(line);
		if (!fence) {
			written.push(safeLine(line));
			continue;
		}
		const [, indent = '', opening = '```', language = ''] = fence;
		const content: string[] = [];
		const closing = closingFence(opening);
		while (++index < lines.length && !closing.test(lines[index] ?? '')) {
			const inside = withoutControls(lines[index] ?? '');
			content.push(inside.startsWith(indent) ? inside.slice(indent.length) : inside);
		}
		written.push(codeBlock(content.join('\n'), language.trim()));
	}
	return written.join('\n');
}

/** Text as it is, in one paragraph of Markdown without any markup. */
export function escapeMarkdown(text: string): string {
	return withoutControls(text.replace(/\s+/g, ' ')).replace(
		/[\\`*_{}[\]()#+\-.!~|<>&$:@]/g,
		(character) => (character === '<' ? '&lt;' : character === '&' ? '&amp;' : `\\${character}`),
	);
}

/** A short text, such as a path, as a code span; as plain text where it holds backticks. */
export function codeSpan(text: string): string {
	const line = withoutControls(text.replace(/\s+/g, ' ')).trim();
	return line === '' || line.includes('`') ? escapeMarkdown(line) : `\`${line}\``;
}

/** A code block whose fence no line of the content can close. */
export function codeBlock(content: string, language = ''): string {
	let longest = 2;
	for (const run of content.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
	const fence = '`'.repeat(longest + 1);
	const word = /^[\w+#-]{1,30}/.exec(language)?.[0] ?? '';
	return `${fence}${word}\n${content}\n${fence}`;
}

function closingFence(opening: string): RegExp {
	return new RegExp(`^[ \\t]*\\${opening[0]}{${opening.length},}[ \\t]*$`);
}

function withoutControls(line: string): string {
	return line.replace(CONTROL, (character) =>
		character === '\t' || character === '\n' ? character : '',
	);
}

function safeLine(line: string): string {
	// A line of punctuation with a colon could be the second line of a table.
	const looksLikeTable = line.includes(':') && !/[\p{L}\p{N}]/u.test(line);
	let safe = '';
	let index = 0;
	while (index < line.length) {
		const character = line[index] as string;
		let taken = 1;
		if (character === '`') {
			const span = codeSpanAt(line, index);
			taken = span?.length ?? 1;
			safe += span?.text ?? '\\`';
		} else if (character === '\\') {
			const next = line[index + 1];
			if (next === '<') safe += '&lt;';
			else if (next !== undefined && PUNCTUATION.test(next)) safe += character + next;
			else safe += '\\\\';
			taken = next !== undefined && PUNCTUATION.test(next) ? 2 : 1;
		} else if (character === '[') {
			const link = SAFE_LINK.exec(line.slice(index, index + 2400));
			taken = link?.[0].length ?? 1;
			safe += link ? `[${link[1]}](${link[2]})` : '\\[';
		} else if (character === '<') safe += '&lt;';
		else if (character === '!' && line[index + 1] === '[') safe += '\\!';
		else if (character === ']' || character === '|') safe += `\\${character}`;
		else if (
			character === ':' &&
			(looksLikeTable || /ftp$/i.test(line.slice(Math.max(0, index - 3), index)))
		)
			safe += '\\:';
		else if (character === '~' && line.startsWith('~~~', index)) safe += '\\~';
		else safe += character;
		index += taken;
	}
	return safe;
}

/** The code span that starts at a backtick; undefined where none ends on this line. */
function codeSpanAt(line: string, start: number): { text: string; length: number } | undefined {
	let ticks = 1;
	while (line[start + ticks] === '`') ticks++;
	const end = closingTicks(line, start + ticks, ticks);
	if (end < 0) return { text: '\\`'.repeat(ticks), length: ticks };
	const content = line.slice(start + ticks, end);
	const length = end + ticks - start;
	if (content.includes('`') || content.trim() === '')
		return { text: escapeMarkdown(content.trim()), length };
	return { text: `\`${content}\``, length };
}

/** Where a run of exactly `count` backticks begins; -1 where there is none. */
function closingTicks(line: string, from: number, count: number): number {
	for (let at = line.indexOf('`', from); at >= 0;) {
		let end = at;
		while (line[end] === '`') end++;
		if (end - at === count) return at;
		at = line.indexOf('`', end);
	}
	return -1;
}
