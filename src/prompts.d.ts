/** Prompt files are bundled as text (see the loader table in esbuild.js). */
declare module '*.md' {
	const text: string;
	export default text;
}
