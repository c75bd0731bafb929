/** `inspect`: what is in a session, in numbers, and what is wrong with its file. */
import { contextTokens } from '../../session/context-tokens.ts';
import type { CommandLine } from '../arguments.ts';
import { openSession, type CommandOutput } from '../open.ts';

export async function inspectCommand({ file }: CommandLine): Promise<CommandOutput> {
	const manager = await openSession(file);
	const counts = manager.tree.typeCounts();
	const ofType = (type: string) => counts.get(type) ?? 0;
	// Reading every entry finds what is damaged behind a good beginning.
	let entries = 0;
	for (const entry of manager.tree.entries()) if (entry.id) entries++;
	const json = {
		id: manager.id,
		version: manager.fileVersion,
		cwd: manager.header.cwd,
		...(manager.name === undefined ? {} : { name: manager.name }),
		entries,
		messages: ofType('message'),
		leafId: manager.leafId,
		leaves: manager.tree.leaves(),
		compactions: ofType('compaction'),
		branchSummaries: ofType('branch_summary'),
		contextTokens: contextTokens(manager.context().messages),
		warnings: manager.warnings,
	};
	const text = () =>
		[
			`Session ${json.id}${json.name === undefined ? '' : ` "${json.name}"`} (version ${json.version})`,
			`Folder: ${json.cwd}`,
			`${json.entries} entries, ${json.messages} of them messages`,
			`${json.compactions} compactions, ${json.branchSummaries} branch summaries`,
			`${json.leaves.length} branch ends; the leaf is ${json.leafId ?? '(none)'}`,
			`About ${json.contextTokens} tokens in the context (estimate)`,
			`${json.warnings.length} warnings`,
		].join('\n');
	return { json, text };
}
