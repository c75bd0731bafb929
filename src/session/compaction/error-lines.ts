/** Finds the lines that report errors in the part of a long output that is cut out. */

const ERROR_LINE =
	/(?:^|[\s\])])(?:\w*(?:Error|Exception)|error|fatal|panic|FATAL|ERROR)(?:\s?[[(]\w+[\])])?:|\berror (?:TS|E)\d+|^\s*(?:FAIL|FAILED|✗|✖|not ok|Traceback)\b/;
const MOST_LINES = 6;
const LINE_CHARACTERS = 200;
/** Of a larger cut the end is searched: what stopped a command stands there. */
const SEARCHED_CHARACTERS = 100_000;

/** The newest error lines of `cut`, one below the other, introduced; empty where there are none. */
export function errorLines(cut: string): string {
	const found = cut
		.slice(-SEARCHED_CHARACTERS)
		.split('\n')
		.map((line) => line.slice(0, LINE_CHARACTERS))
		.filter((line) => ERROR_LINE.test(line));
	const told = [...new Set(found)].slice(-MOST_LINES);
	return told.length > 0 ? ['[error lines in the cut part:]', ...told, '[…]'].join('\n') : '';
}
