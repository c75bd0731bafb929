/** What we use of picomatch, which ships no types. */
declare module 'picomatch' {
	/** False where the glob cannot be understood. */
	export function makeRe(
		glob: string,
		options: { dot?: boolean; strictBrackets?: boolean },
	): RegExp | false;
}
