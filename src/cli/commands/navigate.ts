/** `navigate`: where choosing an entry leads, and the summary of the branch that is left. */
import { collectEntriesForBranchSummary } from '../../session/compaction/branch-summarization.ts';
import { navigationTarget } from '../../session/navigation.ts';
import { UsageError, type CommandLine } from '../arguments.ts';
import { changeSession, openSession, type CommandOutput } from '../open.ts';
import { tell } from '../terminal.ts';

export async function navigateCommand(line: CommandLine): Promise<CommandOutput> {
	const { target, instructions } = line;
	if (target === undefined) throw new UsageError('"navigate" needs a TARGET.');
	if (!line.summarize || line.dryRun) return plan(line, target);
	const json = await changeSession(line, async (session) => {
		const { cancelled, editorText, summaryEntry } = await session.navigateTree(target, {
			summarize: true,
			signal: line.signal,
			...(instructions === undefined
				? {}
				: { customInstructions: instructions, replaceInstructions: false }),
		});
		return {
			cancelled,
			leafId: session.manager.leafId,
			...(editorText === undefined ? {} : { editorText }),
			...(summaryEntry ? { summaryEntryId: summaryEntry.id } : {}),
		};
	});
	const summary = json.summaryEntryId
		? `Branch summary ${json.summaryEntryId} written.`
		: 'Nothing was left behind, so no summary was written.';
	return {
		json,
		text: () => `${summary}\nThe leaf is ${json.leafId ?? '(an empty conversation)'}.`,
	};
}

/** A plain move is written nowhere: a session file has no place for it, and pi opens at the last entry. */
async function plan(line: CommandLine, target: string): Promise<CommandOutput> {
	const manager = await openSession(line.file);
	const move = target === manager.leafId ? { leafId: target } : navigationTarget(manager, target);
	const { entries } = collectEntriesForBranchSummary(manager.tree, manager.leafId, move.leafId);
	tell(`${entries.length} entries would be left behind; nothing was written.`);
	return {
		json: { cancelled: false, ...move },
		text: () => `The leaf would be ${move.leafId ?? '(an empty conversation)'}.`,
	};
}
