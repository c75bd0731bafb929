/** What git ignores, as far as .gitignore files say so. */
import ignore, { type Ignore } from 'ignore';
import { joined, slashesOf } from './paths.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

/** Never looked into, whatever git says. */
const NEVER = new Set(['.git', 'node_modules']);
/** Stars in one name of a rule: more make its pattern slow on names that are made for it. */
const MOST_STARS = 4;
/** Bytes. */
const LARGEST_RULES = 200_000;

/** The rules of one folder. */
interface Rules {
	folder: string;
	matcher: Ignore;
}

/** The rules that hold in a folder: its own and those of the folders above it, outermost first. */
export type IgnoreRules = readonly Rules[];

/** Adds the rules of a folder to those that hold above it. */
export async function rulesIn(
	files: WorkspaceFiles,
	folder: string,
	above: IgnoreRules,
): Promise<IgnoreRules> {
	const path = joined(folder, '.gitignore');
	// One that is a link is passed over, as git does.
	const real = await files.realPath(path).catch(() => undefined);
	if (real === undefined || slashesOf(real) !== path) return above;
	const info = await files.stat(path);
	if (info?.kind !== 'file' || info.size > LARGEST_RULES) return above;
	const text = new TextDecoder().decode(await files.readFile(path));
	const lines = text.split(/\r?\n/).filter(isQuick);
	return [...above, { folder, matcher: ignore().add(lines) }];
}

/** Whether something in a folder is passed over. The rules of the innermost folder decide. */
export function isIgnored(
	rules: IgnoreRules,
	path: string,
	name: string,
	isFolder: boolean,
): boolean {
	if (NEVER.has(name)) return true;
	for (const { folder, matcher } of rules.toReversed()) {
		const below = path.slice(joined(folder, '').length);
		const { ignored, unignored } = matcher.test(isFolder ? `${below}/` : below);
		if (ignored) return true;
		if (unignored) return false;
	}
	return false;
}

function isQuick(line: string): boolean {
	return line.split('/').every((name) => name.split('*').length - 1 <= MOST_STARS);
}
