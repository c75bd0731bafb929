/** Owns telling what a user wrote from what a user pasted: traces, terminal output, code, diffs. */
import { cleanLine, clip, linesOf, stripAnsi } from './text.ts';

const ERROR_LINE =
	/^\s*(?:Uncaught |Unhandled |Fatal |fatal: )?(?:[A-Z]\w*(?:Error|Exception)\b|error(?: ?\[?[A-Z]*\d+\]?)?:|Error:|panic:|Traceback|FAIL\b|npm ERR!)/;
const TRACE_LINE = /^\s*(?:at \S+.*[:)]\d*|File ".*", line \d+|\^+|\.\.\. \d+ more)/;
const PROMPT_LINE = /^\s*(?:➜|❯|\$ |\w+@\w[\w.-]*[:~].*[$#%] )/;
const DIFF_LINE = /^\s*[+-]\s*\d+\s|^@@ /;
const DRAWN_LINE = /[\u2800-\u28ff]|[─━│┃┌┐└┘├┤═║╭╮╰╯▌█]{2}/;
const IMAGE_PATH = /^\s*['"]?\/\S.*\.(?:png|jpe?g|gif|webp)['"]?\s*$/i;

interface OwnWords {
	/** The lines that the user wrote, uncleaned; blank ones kept as paragraph breaks. */
	lines: string[];
	/** Error lines among what was pasted, clean and clipped. */
	errors: string[];
}

/** After a paste only plain words are a user's own again: unindented, several, without code signs. */
function isProse(line: string): boolean {
	return (
		/^\p{L}/u.test(line) &&
		!/[{}();=<>\\│]|:\d+|\bv\d+\.\d/.test(line) &&
		!/^Debugger |^Waiting for /.test(line) &&
		(line.trim().split(/\s+/).length >= 3 || /[?!？！。]$/.test(line.trim()))
	);
}

/** Separates a user's own lines from pasted output, of which only the errors are kept. */
export function ownWords(text: string): OwnWords {
	const lines: string[] = [];
	const errors: string[] = [];
	let fence = false;
	let paste = false;
	for (const raw of linesOf(stripAnsi(text))) {
		const line = raw.length > 4000 ? raw.slice(0, 4000) : raw;
		if (/^\s*(?:```|~~~)/.test(line)) {
			fence = !fence;
			continue;
		}
		if (line.trim() === '') {
			if (!fence && !paste) lines.push('');
			continue;
		}
		const error = ERROR_LINE.test(line);
		if (error) errors.push(clip(cleanLine(line), 140));
		if (fence) continue;
		if (IMAGE_PATH.test(line)) continue;
		const pasted = [TRACE_LINE, PROMPT_LINE, DIFF_LINE, DRAWN_LINE].some((form) => form.test(line));
		if (error || pasted) paste = true;
		else if (!paste || isProse(line)) {
			paste = false;
			lines.push(line);
		}
	}
	return { lines, errors: [...new Set(errors)].slice(0, 3) };
}
