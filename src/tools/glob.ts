/** Globs of models, as patterns for a LineMatcher. */
import { makeRe } from 'picomatch';

/** Characters. */
const LONGEST_GLOB = 1_000;

/**
 * The regular expression that a glob stands for, to be matched against paths below the folder that is
 * searched. One without a slash matches names at any depth.
 * @throws Error where it is no glob
 */
export function globPattern(glob: string): string {
	if (glob.length > LONGEST_GLOB) throw new Error('The glob is too long.');
	const relative = glob.replace(/^(?:\.?\/)+/, '');
	const anywhere = relative.includes('/') ? relative : `**/${relative}`;
	const expression = makeRe(anywhere, { dot: true, strictBrackets: false });
	if (!expression) throw new Error(`"${glob}" is no glob.`);
	return expression.source;
}
