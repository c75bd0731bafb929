/** `context`: the messages that a model would be sent at a leaf, or what became of each on the way there. */
import { contextTokens } from '../../session/context-tokens.ts';
import { contentText } from '../../session/navigation.ts';
import { ompBlobs } from '../../node/omp-blobs.ts';
import { withBlobs } from '../../session/blobs.ts';
import { explainContext, type EntryCoverage } from '../../session/explain-context.ts';
import { originalPlace } from '../../session/original-place.ts';
import { buildRequest } from '../../session/request-builder.ts';
import type { SessionManager } from '../../session/session-manager.ts';
import { UserError } from '../../util/errors.ts';
import type { CommandLine } from '../arguments.ts';
import { openSession, type CommandOutput } from '../open.ts';
import { tell } from '../terminal.ts';

export async function contextCommand(line: CommandLine): Promise<CommandOutput> {
	const { file, leaf, explain } = line;
	const manager = await openSession(file);
	if (leaf !== undefined && !manager.tree.get(leaf))
		throw new UserError('no-such-entry', `There is no entry ${leaf} in ${file}.`);
	const leafId = leaf ?? manager.leafId;
	return explain ? explained(manager, leafId) : messages(manager, leafId);
}

async function messages(manager: SessionManager, leafId: string | null): Promise<CommandOutput> {
	const built = manager.context(leafId).messages;
	const { messages, repairs } = buildRequest(await withBlobs(built, ompBlobs()));
	for (const repair of repairs) tell(`repaired: ${repair}`);
	const tokens = contextTokens(built);
	const blocks = () => messages.map(({ role, content }) => `[${role}]\n${contentText(content)}`);
	return {
		json: { messages, tokens },
		text: () => [...blocks(), `(about ${tokens} tokens, estimate)`].join('\n\n'),
	};
}

function explained(manager: SessionManager, leafId: string | null): CommandOutput {
	const entries = explainContext(manager.getBranch(leafId), {
		originalOf: (id) => originalPlace(manager, id),
	});
	return {
		json: { leafId, entries },
		text: () => entries.map(coverageText).join('\n'),
	};
}

function coverageText({ entryId, role, ...coverage }: EntryCoverage): string {
	const notes = [
		...(coverage.compactionId ? [`by ${coverage.compactionId}`] : []),
		...(coverage.assumed ? ['assumed'] : []),
		...(coverage.reason ? [coverage.reason] : []),
		...(coverage.clipped ? ['clipped'] : []),
		...(coverage.pruned ? [`pruned, original: ${coverage.pruned}`] : []),
	];
	const note = notes.length > 0 ? ` (${notes.join('; ')})` : '';
	return `${entryId} ${role}: ${coverage.status}${note}`;
}
