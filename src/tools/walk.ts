/** Goes through the files below a folder: by name, past what git ignores, within limits. */
import { createYielder } from '../util/async.ts';
import { isIgnored, rulesIn, type IgnoreRules } from './ignored.ts';
import { isInside, joined, parentOf, pathBelow, slashesOf } from './paths.ts';
import type { FolderItem, WorkspaceFiles } from './workspace-files.ts';

/** Things that one search looks at. */
const MOST_ITEMS = 200_000;

export interface Walked {
	/** Absolute. */
	path: string;
	kind: 'file' | 'folder';
}

export interface Walk {
	items: AsyncGenerator<Walked>;
	/** Why not everything was looked at; undefined where it was. Known when the walk has ended. */
	readonly incomplete: string | undefined;
}

/**
 * Walks below a folder without following links.
 * @param folder absolute, without links
 */
export function walk(files: WorkspaceFiles, folder: string, signal: AbortSignal): Walk {
	let incomplete: string | undefined;
	const items = (async function* () {
		const pause = createYielder();
		let seen = 0;
		const open: { folder: string; rules: IgnoreRules }[] = [
			{ folder, rules: await rulesAbove(files, folder) },
		];
		for (let next = open.pop(); next; next = open.pop()) {
			signal.throwIfAborted();
			const { folder: current } = next;
			const rules = await rulesIn(files, current, next.rules);
			let found: FolderItem[];
			try {
				found = await files.readFolder(current);
			} catch {
				// Going on without it says more than nothing at all.
				incomplete ??= `${pathBelow(folder, current)} and perhaps other folders could not be read`;
				continue;
			}
			const below: { folder: string; rules: IgnoreRules }[] = [];
			for (const { name, kind } of found.sort(byName)) {
				await pause();
				if (kind !== 'file' && kind !== 'folder') continue;
				const path = joined(current, name);
				if (isIgnored(rules, path, name, kind === 'folder')) continue;
				if (++seen > MOST_ITEMS) {
					incomplete = `only the first ${MOST_ITEMS} files and folders were looked at`;
					return;
				}
				yield { path, kind };
				if (kind === 'folder') below.push({ folder: path, rules });
			}
			open.push(...below.reverse());
		}
	})();
	return {
		items,
		get incomplete() {
			return incomplete;
		},
	};
}

/** The rules of the workspace's folders above one, outermost first. */
async function rulesAbove(files: WorkspaceFiles, folder: string): Promise<IgnoreRules> {
	const root = slashesOf((await files.realPath(files.root)) ?? files.root);
	const above: string[] = [];
	for (let each = folder; each !== root && isInside(root, each);) {
		each = parentOf(each);
		above.unshift(each);
	}
	let rules: IgnoreRules = [];
	for (const each of above) rules = await rulesIn(files, each, rules);
	return rules;
}

function byName(a: FolderItem, b: FolderItem): number {
	return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
