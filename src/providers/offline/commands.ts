/** Owns reading shell commands and their output: what was run, whether it failed, what it said. */
import { cleanLine, clip, linesOf, stripAnsi } from './text.ts';

const COMMAND_CHARS = 100;
/** Commands whose non-zero exit is an answer rather than a failure. */
const QUERY =
	/^(?:grep|egrep|rg|ag|find|ls|test|\[|which|type|command|diff|cat|head|tail|cmp|git (?:diff|status|log|show|grep)|pgrep|stat|file|wc)\b/;
const CHECK =
	/^(?:(?:npm|pnpm|yarn|bun)(?: run)?(?: -\S+(?: [@\w/.-]+)?)* \S*(?:test|check|build|lint|typecheck|tsc|publish|verify|ci|e2e|bench|format|compile)\S*|npx (?:tsc|tsgo|mocha|jest|vitest|eslint|biome|prettier|playwright)|(?:tsc|jest|mocha|vitest|eslint|pytest|tox|ruff|mypy|make|cmake|ctest|ninja|gradle|\.\/gradlew|mvn|bazel|rake|rspec|phpunit|swift test|swift build|dotnet (?:test|build)|cargo (?:test|build|check|clippy|run|bench)|go (?:test|build|vet)|node --test|python3? -m (?:pytest|unittest)|deno (?:test|check)|git (?:commit|push|merge|rebase|tag)))(?![\w-]*\/)/;
const FAILED_OUTPUT =
	/\berror TS\d+|npm ERR!|^\s*(?:FAIL|FAILED)\b|\b[1-9]\d* (?:failing|failed|errors?\b)|\bAssertionError\b|^Traceback|panicked at|^(?:\w+Error|error|fatal)(?:\[\w+\])?: |ERR_[A-Z_]+|\bexit(?:ed)?(?: with)? (?:code|status):? [1-9]|^# fail [1-9]/im;
const TELLING =
	/^\s*\d+:\d+\s+error\b|error TS\d+|^\s*(?:\w+(?:Error|Exception)|error|fatal|panic|Error)(?:\s?\[\w+\])?:|AssertionError|expected .{1,80}(?:but|got|to)|\b[1-9]\d* (?:failing|failed)\b|^\s*(?:FAIL|✗|✖|×|not ok)\b|No such file|not found|cannot |denied|ERR!|conflict|Could not/i;
const ONLY_COUNT = /^\W*\d+ (?:failing|failed|errors?|problems?)\b[^:]*$/i;
const DULL =
	/^(?:Debugger attached|Waiting for the debugger|Command (?:exited|aborted)|npm (?:ERR!|error) (?:code|path|A complete|Lifecycle)|> |\(no output\))/i;

/** A command as recognised again later: no folder change, redirection or filter, single spaces. */
export function segmentsOf(command: string): string[] {
	return command
		.slice(0, 2000)
		.split(/&&|\|\||;|\n/)
		.map((part) =>
			cleanLine(
				part
					.split('|')[0]!
					.replace(/\s\d?>+\s*(?:&\d|\S+)/g, '')
					.replace(/^\s*(?:[A-Z_]+=\S+\s+)+/, ''),
			),
		)
		.filter(
			(part) => part !== '' && !/^(?:cd|export|set|echo|pwd|sleep|true|git add)\b/.test(part),
		);
}

/** The command for people: one clean, clipped line, without the folder change before it. */
export function shownCommand(command: string): string {
	const line = cleanLine(command.slice(0, 2000)).replace(/`/g, "'");
	return clip(
		line.replace(/^cd \S+ && /, '').replace(/\s2>&1.*$|\s\|\s(?:head|tail|grep|cat|wc)\b.*$/, ''),
		COMMAND_CHARS,
	);
}

/** True for commands that build, test, check or publish: those whose state a reader must know. */
export function isCheck(segment: string): boolean {
	return CHECK.test(segment);
}

/** A check without its options, which change how it reports rather than what it checks. */
export function checkName(segment: string): string {
	return segment.startsWith('git ')
		? segment
		: segment.replace(/ --?(?:[\w-]+(?:=\S+)?)?(?= |$)/g, '');
}

/** True where `later` repeats `earlier`, or runs more than it did ("npm test" after "npm test -- a.ts"). */
export function covers(later: string, earlier: string): boolean {
	if (later === earlier) return true;
	if (isCheck(later) && checkName(later) === checkName(earlier)) return true;
	if (/^git commit\b/.test(later)) return /^git commit\b/.test(earlier);
	return isCheck(later) && checkName(earlier).startsWith(`${checkName(later)} `);
}

/** Whether a command's result is a failure, in itself or behind a filter that hid the exit code. */
export function hasFailed(segments: readonly string[], output: string, isError: boolean): boolean {
	if (segments.length > 0 && segments.every((segment) => QUERY.test(segment))) return false;
	if (isError) return !/^\s*Command aborted\s*$/.test(output);
	return segments.some(isCheck) && FAILED_OUTPUT.test(withoutZeroCounts(output));
}

function withoutZeroCounts(output: string): string {
	const text =
		output.length > 24_000 ? output.slice(0, 8_000) + '\n' + output.slice(-16_000) : output;
	return stripAnsi(text).replace(/\b0 (?:failing|failed|errors?)\b/gi, '');
}

/** The lines of an output that say what went wrong, at most three, as one clipped line. */
export function failureText(output: string, maxChars = 360): string {
	const text =
		output.length > 24_000 ? output.slice(0, 12_000) + '\n' + output.slice(-12_000) : output;
	const lines = linesOf(stripAnsi(text))
		.map((line) => line.slice(0, 600))
		.filter((line) => line.trim() !== '' && !DULL.test(line.trim()));
	const telling = lines.flatMap((line, index) => {
		if (!TELLING.test(line)) return [];
		// Some tools name the file once, in a line of its own above what they found in it.
		const above = lines[index - 1]?.trim() ?? '';
		return [/^\S+\.\w+$/.test(above) ? `${above} ${line}` : line];
	});
	// A count of failures says less than what failed.
	const named = telling.filter((line) => !ONLY_COUNT.test(line));
	const chosen = named.length > 0 ? named : telling.length > 0 ? telling : lines.slice(-1);
	const code = /exited with code (\d+)/.exec(output)?.[1];
	return (
		clip(
			unlike(chosen.map(cleanLine))
				.slice(0, 3)
				.map((line) => clip(line, 180))
				.join(' | ')
				.replace(/`/g, "'"),
			maxChars,
		) || (code ? `exit code ${code}` : 'failed')
	);
}

/** Of lines that differ in places and names only, the first. */
function unlike(lines: readonly string[]): string[] {
	const byShape = new Map<string, string>();
	for (const line of lines) {
		const shape = line.replace(/[\d().:,]+/g, '').replace(/(['"]).*?\1/g, '');
		if (!byShape.has(shape)) byShape.set(shape, line);
	}
	return [...byShape.values()];
}
