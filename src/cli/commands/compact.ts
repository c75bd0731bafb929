/** `compact`: one compaction of the current branch, or its plan. */
import { expectedTokensAfter, prepareCompaction } from '../../session/compaction/compaction.ts';
import { UserError } from '../../util/errors.ts';
import type { CommandLine } from '../arguments.ts';
import { changeSession, openSession, summaryModels, type CommandOutput } from '../open.ts';

export async function compactCommand(line: CommandLine): Promise<CommandOutput> {
	const json = line.dryRun ? await plan(line) : await run(line);
	const text = () =>
		[
			line.dryRun ? 'Plan (nothing was written):' : `Compaction ${json.entryId} written.`,
			`${json.tokensBefore} → ${json.tokensAfter} tokens (estimate), by ${json.summarizer}`,
			`${json.summarizedMessages} messages summarized, ${json.keptMessages} kept from ${json.firstKeptEntryId} on`,
		].join('\n');
	return { json, text };
}

async function run(line: CommandLine) {
	const outcome = await changeSession(line, (session) =>
		session.compact({
			signal: line.signal,
			...(line.instructions === undefined ? {} : { instructions: line.instructions }),
		}),
	);
	const { entry, ...numbers } = outcome;
	return { entryId: entry.id, firstKeptEntryId: entry.firstKeptEntryId, ...numbers };
}

async function plan(line: CommandLine) {
	const manager = await openSession(line.file);
	const preparation = prepareCompaction(manager.contextPath(), {
		reserveTokens: line.reserve,
		keepRecentTokens: line.keepRecent,
		contextWindow: line.contextWindow,
	});
	if (!preparation) throw new UserError('nothing-to-compact', 'There is nothing to compact.');
	return {
		entryId: null,
		firstKeptEntryId: preparation.firstKeptEntryId,
		tokensBefore: preparation.tokensBefore,
		// A summary is never longer than what it stands for.
		tokensAfter: Math.min(expectedTokensAfter(preparation), preparation.tokensBefore),
		summarizedMessages:
			preparation.messagesToSummarize.length + preparation.turnPrefixMessages.length,
		keptMessages: preparation.keptMessages.length,
		summarizer: await firstSummarizer(line),
	};
}

async function firstSummarizer(line: CommandLine): Promise<string> {
	const [first] = await summaryModels(line);
	if (first) return first.label ?? `${first.provider}/${first.id}`;
	return line.summarizer === 'offline' ? 'offline' : `${line.summarizer}/${line.model ?? ''}`;
}
