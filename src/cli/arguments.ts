/** The words of the command line, parsed and checked. */
import { parseArgs } from 'node:util';

export const USAGE = `Usage: espalier COMMAND FILE [options]

  inspect FILE             what is in a session, and what is wrong with the file
  tree FILE                its entries, forks indented
  context FILE             what a model would be sent
      --leaf ID            at this entry instead of the last one
      --explain            of each message on the path, whether it is sent, summarized or left out
  compact FILE             summarize older history of the current branch
      --keep-recent N      tokens of recent messages to keep (default 20000)
      --boundary ID        keep from this entry on instead
      --instructions TEXT  what the summary should focus on
      --dry-run            only plan it
  navigate FILE TARGET     where choosing an entry leads
      --summarize          with a summary of the branch that is left
      --instructions TEXT  what the summary should focus on

Where to write (compact, navigate --summarize): --out FILE, --in-place or --dry-run
Summaries: --summarizer offline|openai (default offline). For openai: --model NAME, --base-url URL,
  and the key in the environment variable OPENAI_API_KEY; --compaction-model NAME asks another model
  of that server first. --remote-endpoint URL asks a summary endpoint before all others
Window: --context-window N (tokens, default 128000), --reserve N (tokens, default 16384)
--json prints one JSON document. Exit codes: 0 done, 1 failed, 2 bad usage.`;

/** The command line cannot be understood; the message says why. */
export class UsageError extends Error {}

export interface CommandLine {
	/** Fires when the command is to end early. */
	signal: AbortSignal;
	command: string;
	file: string;
	/** The entry to navigate to. */
	target: string | undefined;
	json: boolean;
	leaf: string | undefined;
	explain: boolean;
	/** The first entry that a compaction is to keep. */
	boundary: string | undefined;
	out: string | undefined;
	inPlace: boolean;
	dryRun: boolean;
	summarize: boolean;
	instructions: string | undefined;
	summarizer: 'offline' | 'openai';
	model: string | undefined;
	baseUrl: string | undefined;
	remoteEndpoint: string | undefined;
	compactionModel: string | undefined;
	/** Tokens. */
	keepRecent: number;
	reserve: number;
	contextWindow: number;
}

const OPTIONS = {
	json: { type: 'boolean' },
	leaf: { type: 'string' },
	explain: { type: 'boolean' },
	boundary: { type: 'string' },
	out: { type: 'string' },
	'in-place': { type: 'boolean' },
	'dry-run': { type: 'boolean' },
	summarize: { type: 'boolean' },
	instructions: { type: 'string' },
	summarizer: { type: 'string' },
	model: { type: 'string' },
	'base-url': { type: 'string' },
	'remote-endpoint': { type: 'string' },
	'compaction-model': { type: 'string' },
	'keep-recent': { type: 'string' },
	reserve: { type: 'string' },
	'context-window': { type: 'string' },
} as const;

/** The options that each command takes, besides --json. */
const COMMAND_OPTIONS = new Map<string, readonly (keyof typeof OPTIONS)[]>(
	Object.entries({
		inspect: [],
		tree: [],
		context: ['leaf', 'explain'],
		compact: [
			'out',
			'in-place',
			'dry-run',
			'boundary',
			'instructions',
			'summarizer',
			'model',
			'base-url',
			'remote-endpoint',
			'compaction-model',
			'keep-recent',
			'reserve',
			'context-window',
		],
		navigate: [
			'out',
			'in-place',
			'dry-run',
			'summarize',
			'instructions',
			'summarizer',
			'model',
			'base-url',
			'remote-endpoint',
			'compaction-model',
			'reserve',
			'context-window',
		],
	} as const),
);

/** @throws UsageError */
export function parseCommandLine(words: string[], signal: AbortSignal): CommandLine {
	const { values, positionals } = parse(words);
	const [command, file, target, ...rest] = positionals;
	const allowed = COMMAND_OPTIONS.get(command ?? '');
	if (command === undefined || !allowed)
		throw new UsageError(`There is no command "${command ?? ''}".`);
	for (const name of Object.keys(values) as (keyof typeof OPTIONS)[])
		if (name !== 'json' && !allowed.includes(name))
			throw new UsageError(`"${command}" takes no option --${name}.`);
	if (!file) throw new UsageError(`"${command}" needs a FILE.`);
	if (command === 'navigate' && !target) throw new UsageError('"navigate" needs a TARGET.');
	if (rest.length > 0 || (target !== undefined && command !== 'navigate'))
		throw new UsageError(`"${command}" takes no further words.`);
	const line: CommandLine = {
		signal,
		command,
		file,
		target,
		json: values.json ?? false,
		leaf: values.leaf,
		explain: values.explain ?? false,
		boundary: values.boundary,
		out: values.out,
		inPlace: values['in-place'] ?? false,
		dryRun: values['dry-run'] ?? false,
		summarize: values.summarize ?? false,
		instructions: values.instructions,
		summarizer: summarizerOf(values.summarizer ?? 'offline'),
		model: values.model,
		baseUrl: values['base-url'],
		remoteEndpoint: values['remote-endpoint'],
		compactionModel: values['compaction-model'],
		keepRecent: tokens('keep-recent', values['keep-recent'] ?? '20000'),
		reserve: tokens('reserve', values.reserve ?? '16384'),
		contextWindow: tokens('context-window', values['context-window'] ?? '128000'),
	};
	checkDestination(line);
	checkSummarizers(line, values.summarizer);
	return line;
}

function parse(words: string[]) {
	try {
		return parseArgs({ args: words, options: OPTIONS, allowPositionals: true });
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
}

function summarizerOf(name: string): 'offline' | 'openai' {
	if (name === 'offline' || name === 'openai') return name;
	throw new UsageError('--summarizer is "offline" or "openai".');
}

function tokens(option: string, value: string): number {
	const number = Number(value);
	if (Number.isInteger(number) && number > 0) return number;
	throw new UsageError(`--${option} takes a whole number of tokens above 0.`);
}

/** Each summarizer that is named must have what it needs, and offline is named alone. */
function checkSummarizers(line: CommandLine, named: string | undefined): void {
	const { summarizer, model, remoteEndpoint, compactionModel } = line;
	if (summarizer === 'openai' && !model)
		throw new UsageError('--summarizer openai needs --model NAME.');
	if (compactionModel !== undefined && summarizer !== 'openai')
		throw new UsageError('--compaction-model needs --summarizer openai and its --model.');
	if (remoteEndpoint === undefined) return;
	if (named === 'offline')
		throw new UsageError('--remote-endpoint and --summarizer offline exclude each other.');
	if (!URL.canParse(remoteEndpoint)) throw new UsageError('--remote-endpoint takes an address.');
}

/** A command that writes must be told where, exactly once. */
function checkDestination({ command, summarize, out, inPlace, dryRun }: CommandLine): void {
	if (out === '') throw new UsageError('--out needs the name of a file.');
	const named = [out !== undefined, inPlace, dryRun].filter(Boolean).length;
	if (named > 1) throw new UsageError('--out, --in-place and --dry-run exclude each other.');
	const writes = command === 'compact' || (command === 'navigate' && summarize);
	if (writes && named === 0)
		throw new UsageError('Say where to write: --out FILE, --in-place or --dry-run.');
}
