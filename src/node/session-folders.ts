/** The folders that may hold sessions of a workspace: ours, and those of pi and oh-my-pi. */
import { readdir, realpath } from 'node:fs/promises';
import { join, posix, win32 } from 'node:path';
import type { SessionSummary } from '../session/session-summary.ts';

/**
 * What a list tells apart: sessions of this workspace; ours that were begun without a folder; those of
 * pi; those of oh-my-pi.
 */
export type SessionGroup = 'workspace' | 'no-folder' | 'pi' | 'omp';

/** Where archived sessions lie, below the folder that they were in. */
export const ARCHIVE_FOLDER = 'archived';

export interface SessionFolder {
	path: string;
	group: SessionGroup;
	archived: boolean;
	/** True where the session belongs into the list: folders are shared, and their names are lossy. */
	accepts(summary: SessionSummary): boolean;
}

/** Where to look; the host knows. Nothing here reads the environment. */
export interface SessionPlaces {
	/** The folder of this window's own session files. */
	own: string;
	/** The folder of sessions that were begun without a workspace; may be `own`. */
	global: string;
	/** VS Code's folder of all workspaces' storages; undefined where it is not known. */
	workspaceStorage?: string | undefined;
	/** The folders of this workspace; the home folder where there is none. */
	cwds: readonly string[];
	home: string;
	temporary: string;
	env: Readonly<Record<string, string | undefined>>;
	platform: NodeJS.Platform;
}

/** Every folder that may hold sessions of this workspace, whether it exists or not, each once. */
export async function sessionFolders(places: SessionPlaces): Promise<SessionFolder[]> {
	const cwds = await withRealPaths(places.cwds);
	const isHere = ({ cwd }: SessionSummary) =>
		cwds.some((each) => sameFolder(each, cwd, places.platform));
	const all = () => true;
	const global = withArchive(places.global, 'no-folder', all);
	const own = places.own === places.global ? [] : withArchive(places.own, 'workspace', all);
	const siblings = (await siblingFolders(places)).flatMap((path) =>
		withArchive(path, 'workspace', isHere),
	);
	const seen = new Set<string>();
	return [...own, ...global, ...siblings, ...foreignFolders(places, cwds, isHere)].filter(
		({ path }) => !seen.has(path) && seen.add(path),
	);
}

function withArchive(
	path: string,
	group: SessionGroup,
	accepts: SessionFolder['accepts'],
): SessionFolder[] {
	return [
		{ path, group, archived: false, accepts },
		{ path: join(path, ARCHIVE_FOLDER), group, archived: true, accepts },
	];
}

/**
 * Our folders in other workspaces' storages. VS Code gives a folder a new storage when a root is added
 * or it moves into a workspace file; the sessions stay in the old one.
 */
async function siblingFolders({ workspaceStorage }: SessionPlaces): Promise<string[]> {
	if (workspaceStorage === undefined) return [];
	const names = async (path: string) => readdir(path).catch(() => []);
	const found: string[] = [];
	for (const workspace of await names(workspaceStorage))
		for (const extension of await names(join(workspaceStorage, workspace)))
			// The publisher before the dot may change.
			if (/^espalier|\.espalier$/i.test(extension))
				found.push(join(workspaceStorage, workspace, extension, 'sessions'));
	return found;
}

/** oh-my-pi's folders for all that it keeps, the one that its environment names first. */
export function ompAgentFolders(home: string, env: SessionPlaces['env']): string[] {
	return [...namedAgent(home, env), join(home, env.PI_CONFIG_DIR || '.omp', 'agent')];
}

/** The agent folder that the environment names, for pi and oh-my-pi alike. */
function namedAgent(home: string, { PI_CODING_AGENT_DIR: named }: SessionPlaces['env']): string[] {
	return named ? [expandHome(named, home)] : [];
}

function expandHome(path: string, home: string): string {
	return path.replace(/^~(?=$|[/\\])/, () => home);
}

function foreignFolders(
	{ home, temporary, env, platform }: SessionPlaces,
	cwds: readonly string[],
	isHere: SessionFolder['accepts'],
): SessionFolder[] {
	const piAgents = [...namedAgent(home, env), join(home, '.pi', 'agent')];
	const ompAgents = ompAgentFolders(home, env);
	const below = (agents: string[], names: string[]) =>
		agents.flatMap((each) => names.map((name) => join(each, 'sessions', name)));
	const piNames = cwds.map(piFolderName);
	const ompNames = cwds.flatMap((cwd) => ompFolderNames(cwd, { home, temporary, platform }));
	const folder = (path: string, group: SessionGroup): SessionFolder => ({
		path,
		group,
		archived: false,
		// A file without a header says nothing against the folder that it lies in.
		accepts: (summary) => summary.kind !== 'session' || isHere(summary),
	});
	const shared = env.PI_CODING_AGENT_SESSION_DIR;
	return [
		...below(piAgents, piNames).map((path) => folder(path, 'pi')),
		...below(ompAgents, ompNames).map((path) => folder(path, 'omp')),
		// pi writes the sessions of all folders into this one.
		...(shared ? [{ ...folder(expandHome(shared, home), 'pi'), accepts: isHere }] : []),
	];
}

/** pi's name for the folder that holds the sessions of `cwd`. */
export function piFolderName(cwd: string): string {
	return `--${encoded(cwd.replace(/^[/\\]/, ''))}--`;
}

/**
 * oh-my-pi's names for the folder that holds the sessions of `cwd`, the present one first: it shortens
 * what lies below the home folder or the one for temporary files, and once did as pi does.
 */
export function ompFolderNames(
	cwd: string,
	{ home, temporary, platform }: Pick<SessionPlaces, 'home' | 'temporary' | 'platform'>,
): string[] {
	const names: string[] = [];
	const relative = (to: string) => relativeBelow(to, cwd, platform);
	const [belowHome, belowTemporary] = [relative(home), relative(temporary)];
	if (belowHome !== undefined) names.push(`-${encoded(belowHome)}`);
	if (belowTemporary !== undefined)
		names.push(belowTemporary ? `-tmp-${encoded(belowTemporary)}` : '-tmp');
	return [...names, piFolderName(cwd)];
}

/** True where two paths mean one folder: written differently perhaps, but not through links. */
export function sameFolder(one: string, other: string, platform: NodeJS.Platform): boolean {
	if (one === '' || other === '') return false;
	return relativeBelow(one, other, platform) === '';
}

/** The way from `folder` down to `path`; undefined where it leads elsewhere. */
function relativeBelow(
	folder: string,
	path: string,
	platform: NodeJS.Platform,
): string | undefined {
	// win32.relative takes capitals and small letters for the same, as Windows does.
	const paths = platform === 'win32' ? win32 : posix;
	if (!paths.isAbsolute(folder) || !paths.isAbsolute(path)) return undefined;
	const way = paths.relative(folder, path);
	const isAbove = way === '..' || way.startsWith(`..${paths.sep}`);
	return isAbove || paths.isAbsolute(way) ? undefined : way;
}

function encoded(path: string): string {
	return path.replace(/[/\\:]/g, '-');
}

/** The folders, and where links lead: tools write down one or the other. */
async function withRealPaths(cwds: readonly string[]): Promise<string[]> {
	// A folder that does not exist (a virtual workspace) has no other path.
	const real = await Promise.all(cwds.map((cwd) => realpath(cwd).catch(() => cwd)));
	return [...new Set([...cwds, ...real])];
}
