/** The grep tool: lines that match a regular expression, with their files and numbers. */
import { textOutcome, type Tool, type ToolArguments } from '../agent/tool.ts';
import { numberArgument, pathArgument, textArgument } from './arguments.ts';
import { confine, type ConfinedPath } from './confine.ts';
import { globPattern } from './glob.ts';
import type { LineMatcher, LineMatchers } from './line-matcher.ts';
import { pathBelow } from './paths.ts';
import { isBinary, linesOf } from './text-file.ts';
import { walk } from './walk.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

const USUAL_LIMIT = 100;
const MOST = 1_000;
/** Characters of all that is given back, and of one line of it. */
const MOST_CHARACTERS = 50_000;
const LONGEST_LINE = 500;
/** Bytes; larger files are passed over. */
const LARGEST_FILE = 2_000_000;
/** How long a search looks at files, in ms; what was found is given back then. */
const SEARCH_MS = 30_000;

export function grepTool(files: WorkspaceFiles, matchers: LineMatchers): Tool {
	return {
		name: 'grep',
		description:
			'Searches file contents with a JavaScript regular expression, line by line. What .gitignore names, .git, node_modules and binary files are left out.',
		parameters: {
			type: 'object',
			properties: {
				pattern: { type: 'string', minLength: 1, description: 'The regular expression.' },
				path: {
					type: 'string',
					description: 'The file or folder to search; the workspace where absent.',
				},
				glob: {
					type: 'string',
					minLength: 1,
					description: 'Only files that it matches, as in find.',
				},
				ignoreCase: { type: 'boolean', description: 'Upper and lower case are the same.' },
				context: { type: 'integer', minimum: 0, maximum: 20, description: 'Lines around each.' },
				limit: { type: 'integer', minimum: 1, maximum: MOST, description: 'Matches at most.' },
			},
			required: ['pattern'],
			additionalProperties: false,
		},
		access: 'read',
		timeoutMs: 60_000,
		async run(args, { signal }) {
			const place = await confine(files, pathArgument(args), 'read');
			const found = new Findings(args);
			const matcher = matchers.open(
				textArgument(args, 'pattern'),
				args.ignoreCase === true ? 'i' : '',
			);
			try {
				await search({ files, matchers, matcher, place, found, signal }, args);
			} finally {
				matcher.close();
			}
			return textOutcome(found.text());
		},
	};
}

interface Search {
	files: WorkspaceFiles;
	matchers: LineMatchers;
	matcher: LineMatcher;
	place: ConfinedPath;
	found: Findings;
	signal: AbortSignal;
}

async function search(parts: Search, args: ToolArguments): Promise<void> {
	const { files, matchers, place, found, signal } = parts;
	const info = await files.stat(place.real);
	if (!info) throw new Error(`${place.shown} is not there.`);
	if (info.kind === 'file') return searchFile(parts, place);
	const glob = textArgument(args, 'glob');
	const wanted = glob ? matchers.open(globPattern(glob), '') : undefined;
	const end = performance.now() + SEARCH_MS;
	const walking = walk(files, place.real, signal);
	try {
		for await (const { path, kind } of walking.items) {
			if (kind !== 'file') continue;
			const below = pathBelow(place.real, path);
			if (wanted && (await wanted.matching([below])).length === 0) continue;
			const shown = place.shown === '.' ? below : `${place.shown}/${below}`;
			await searchFile(parts, { real: path, shown });
			if (found.full) return;
			if (performance.now() > end) {
				found.note(`Not complete: the search took ${SEARCH_MS / 1_000} s. Narrow it.`);
				return;
			}
		}
		if (walking.incomplete) found.note(`Not complete: ${walking.incomplete}.`);
	} finally {
		wanted?.close();
	}
}

async function searchFile(parts: Search, { real, shown }: ConfinedPath): Promise<void> {
	const { files, matcher, found } = parts;
	let bytes: Uint8Array;
	try {
		const info = await files.stat(real);
		if (!info || info.kind !== 'file') return;
		if (info.size > LARGEST_FILE) return found.passOver('larger than 2 MB', shown);
		bytes = await files.readFile(real);
	} catch {
		// One file that cannot be read ends no search of thousands.
		return found.passOver('unreadable', shown);
	}
	if (isBinary(bytes)) return;
	const lines = linesOf(new TextDecoder().decode(bytes));
	found.add(shown, lines, await matcher.matching(lines));
}

/** What was found, as the model is told it. */
class Findings {
	private readonly limit: number;
	private readonly context: number;
	private readonly lines: string[] = [];
	private readonly notes: string[] = [];
	private readonly passedOver = new Map<string, string[]>();
	private matches = 0;
	private characters = 0;
	full = false;

	constructor(args: ToolArguments) {
		this.limit = numberArgument(args, 'limit') ?? USUAL_LIMIT;
		this.context = numberArgument(args, 'context') ?? 0;
	}

	add(file: string, lines: readonly string[], matching: readonly number[]): void {
		const hits = new Set(matching);
		let told = -1;
		for (const hit of matching) {
			if (this.matches >= this.limit || this.characters > MOST_CHARACTERS) {
				this.full = true;
				return;
			}
			this.matches++;
			const from = Math.max(told + 1, hit - this.context);
			if (this.context > 0 && this.lines.length > 0 && from > told + 1) this.push('--');
			for (let at = from; at <= hit + this.context && at < lines.length; at++) {
				const mark = hits.has(at) ? ':' : '-';
				this.push(`${file}${mark}${at + 1}${mark} ${shortened(lines[at] ?? '')}`);
				told = at;
			}
		}
	}

	passOver(why: string, file: string): void {
		this.passedOver.set(why, [...(this.passedOver.get(why) ?? []), file]);
	}

	note(text: string): void {
		this.notes.push(text);
	}

	text(): string {
		const notes = [...this.notes];
		if (this.full)
			notes.push(`The first ${this.matches} matches; there are more. Narrow the search.`);
		for (const [why, files] of this.passedOver)
			notes.push(
				`Passed over as ${why}: ${files.slice(0, 3).join(', ')}${more(files.length - 3)}.`,
			);
		const found = this.lines.length > 0 ? this.lines.join('\n') : 'Nothing was found.';
		return [found, ...notes.map((note) => `[${note}]`)].join('\n\n');
	}

	private push(line: string): void {
		this.lines.push(line);
		this.characters += line.length + 1;
	}
}

function more(count: number): string {
	return count > 0 ? ` and ${count} more` : '';
}

function shortened(line: string): string {
	if (line.length <= LONGEST_LINE) return line;
	return `${line.slice(0, LONGEST_LINE)}… (${line.length} characters)`;
}
