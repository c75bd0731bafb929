/** `compact`: a compaction of the current branch, or only its plan. */
import type { CommandLine } from '../arguments.ts';
import { agentSession, changeSession, openSession, type CommandOutput } from '../open.ts';

export async function compactCommand(line: CommandLine): Promise<CommandOutput> {
	return line.dryRun ? plan(line) : run(line);
}

async function run(line: CommandLine): Promise<CommandOutput> {
	const { entry, ...numbers } = await changeSession(line, (session) =>
		session.compact({ signal: line.signal, ...optionsOf(line) }),
	);
	const { id, firstKeptEntryId } = entry;
	const { tokensBefore, tokensAfter, summarizedMessages, keptMessages, summarizer } = numbers;
	return {
		json: { entryId: id, firstKeptEntryId, ...numbers },
		text: () =>
			[
				`Compaction ${id} written.`,
				`${tokensBefore} → ${tokensAfter} tokens (estimate), by ${summarizer}`,
				`${summarizedMessages} messages summarized, ${keptMessages} kept from ${firstKeptEntryId} on`,
			].join('\n'),
	};
}

async function plan(line: CommandLine): Promise<CommandOutput> {
	const session = agentSession(await openSession(line.file), line);
	const { preparation, ...rest } = await session.compact({ dryRun: true, ...optionsOf(line) });
	const { messagesToSummarize, turnPrefixMessages, keptMessages, ...plan } = preparation;
	const json = {
		entryId: null,
		firstKeptEntryId: plan.firstKeptEntryId,
		...rest,
		summarizedMessages: messagesToSummarize.length + turnPrefixMessages.length,
		keptMessages: keptMessages.length,
		isSplitTurn: plan.isSplitTurn,
		covered: plan.covered,
		summarizer: rest.candidates[0],
	};
	return {
		json,
		text: () =>
			[
				'Plan (nothing was written):',
				`${json.tokensBefore} → about ${json.tokensAfter} tokens (estimate), by ${json.candidates.join(', else ')}`,
				`${json.summarizedMessages} messages summarized (${plan.covered.firstEntryId} to ${plan.covered.lastEntryId}), ${json.keptMessages} kept from ${json.firstKeptEntryId} on`,
				...(json.isSplitTurn
					? [
							`The cut is inside a turn: ${turnPrefixMessages.length} messages of it are summarized.`,
						]
					: []),
			].join('\n'),
	};
}

function optionsOf({ instructions, boundary }: CommandLine) {
	return {
		...(instructions === undefined ? {} : { instructions }),
		...(boundary === undefined ? {} : { boundaryId: boundary }),
	};
}
