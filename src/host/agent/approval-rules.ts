/** What an approval covers, and what is asked each time whatever was allowed before. */
import type { ApprovalRequest } from '../../agent/tool.ts';
import { visibleText } from '../../util/visible-text.ts';

/** For how long a person allows something. */
export type ApprovalScope = 'once' | 'session' | 'workspace';

/** Something that is allowed without a question. */
export type Grant =
	/** A tool that changes files, in one workspace folder. */
	| { kind: 'files'; toolName: string; folder: string }
	/** One command, to the letter, in one folder. */
	| { kind: 'command'; command: string; folder: string };

/** Folders whose files run by themselves, or say what does. */
const SENSITIVE_FOLDERS = new Set([
	...['.git', '.hg', '.svn', '.husky', '.githooks', '.devcontainer', '.yarn', '.cargo', '.bundle'],
	...['.vscode', '.vs', '.idea', '.zed', '.cursor', '.claude', '.pi', '.omp'],
	...['.circleci', '.buildkite', '.ssh', '.aws', '.gnupg', '.kube', '.docker'],
]);
/** What GitHub runs. */
const CI_FOLDERS = new Set(['workflows', 'actions']);
/** Files that say what runs, what agents are told, or where packages come from, or that hold secrets. */
const SENSITIVE_FILES =
	/^(?:.*\.env|\.env.*|\.?agents\.md|claude\.md|\.?mise(?:\..*)?\.toml|\.mcp\.json|\.devcontainer\.json|\.travis\.ya?ml|(?:azure|bitbucket)-pipelines\.ya?ml|jenkinsfile|\.pgpass|\.htpasswd|_netrc|\.npmrc|\.yarnrc.*|\.pnpmfile\.c?js|\.pypirc|\.netrc|\.git-credentials|\.gitconfig|\.gitattributes|\.gitmodules|\.gitlab-ci\.ya?ml|\.pre-commit-config\.ya?ml|\.?lefthook.*\.(?:ya?ml|json|toml)|\.bash.*|\.zsh.*|\.profile|id_(?:rsa|dsa|ecdsa|ed25519).*|.*\.(?:pem|key|p12|pfx|ppk|jks|keystore|code-workspace))$/;

/** True for a path, relative to its folder, whose change is asked about each time. */
export function isSensitivePath(path: string): boolean {
	const names = path.split(/[/\\]/).map(plainName);
	const file = names.at(-1) ?? '';
	return (
		names.some((name) => SENSITIVE_FOLDERS.has(name)) ||
		SENSITIVE_FILES.test(file) ||
		names.some((name, index) => name === '.github' && CI_FOLDERS.has(names[index + 1] ?? ''))
	);
}

/** As file systems compare names that do not compare them to the letter. */
function plainName(name: string): string {
	return name
		.normalize('NFKC')
		.replace(/\p{Default_Ignorable_Code_Point}/gu, '')
		.toLowerCase();
}

/**
 * What allowing a call for longer than once would cover; undefined where it can only be allowed once.
 * @param folder the workspace folder that the tool works in, an absolute path
 */
export function grantFor({ toolName, act }: ApprovalRequest, folder: string): Grant | undefined {
	if (act.kind === 'run') return { kind: 'command', command: act.command, folder: act.folder };
	if (act.kind === 'other' || isSensitivePath(act.path)) return undefined;
	return { kind: 'files', toolName, folder };
}

/** True where both cover the same. */
export function isSameGrant(a: Grant, b: Grant): boolean {
	if (a.folder !== b.folder) return false;
	if (a.kind === 'command') return b.kind === 'command' && a.command === b.command;
	return b.kind === 'files' && a.toolName === b.toolName;
}

/** The grants in a stored value; whatever else it holds allows nothing. */
export function parseGrants(value: unknown): Grant[] {
	return Array.isArray(value) ? value.flatMap((item) => parseGrant(item) ?? []) : [];
}

function parseGrant(value: unknown): Grant | undefined {
	if (typeof value !== 'object' || value === null) return undefined;
	const { kind, folder, toolName, command } = value as Record<string, unknown>;
	if (typeof folder !== 'string') return undefined;
	if (kind === 'files' && typeof toolName === 'string') return { kind, toolName, folder };
	if (kind === 'command' && typeof command === 'string') return { kind, command, folder };
	return undefined;
}

/** A grant for people: what it allows, on one line. */
export function grantText(grant: Grant): string {
	return grant.kind === 'files'
		? `${visibleText(grant.toolName)}: any file`
		: oneLine(grant.command);
}

/** Characters of an act that a notification shows whole. */
const NOTICE_LENGTH = 200;
/** What notifications would show as a link. */
const LINK = /\]\(/;

/**
 * The words of a notification.
 * `isWhole` is false where they do not say all that would be done, so that more must be seen first: what a
 * change writes is only in its diff.
 */
export function noticeOf({ toolName, act }: Pick<ApprovalRequest, 'toolName' | 'act'>): {
	text: string;
	isWhole: boolean;
} {
	const [verb, what] =
		act.kind === 'run'
			? ['run', act.command]
			: act.kind === 'other'
				? ['use', toolName]
				: [act.kind, act.path];
	const shown = oneLine(what);
	if (shown.length > NOTICE_LENGTH || LINK.test(shown))
		return { text: `Espalier wants to ${verb} something that you should see.`, isWhole: false };
	return {
		text: `Espalier wants to ${verb} “${shown}”`,
		isWhole: act.kind === 'run' && shown === what,
	};
}

function oneLine(text: string): string {
	return visibleText(text.replaceAll('\n', ' ⏎ ').replaceAll('\t', ' '));
}
