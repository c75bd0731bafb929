/** `context`: the messages that a model would be sent at a leaf. */
import { contextTokens } from '../../session/context-tokens.ts';
import { contentText } from '../../session/navigation.ts';
import { ompBlobs } from '../../node/omp-blobs.ts';
import { withBlobs } from '../../session/blobs.ts';
import { buildRequest } from '../../session/request-builder.ts';
import { UserError } from '../../util/errors.ts';
import type { CommandLine } from '../arguments.ts';
import { openSession, type CommandOutput } from '../open.ts';
import { tell } from '../terminal.ts';

export async function contextCommand({ file, leaf }: CommandLine): Promise<CommandOutput> {
	const manager = await openSession(file);
	if (leaf !== undefined && !manager.tree.get(leaf))
		throw new UserError('no-such-entry', `There is no entry ${leaf} in ${file}.`);
	const built = manager.context(leaf ?? manager.leafId).messages;
	const { messages, repairs } = buildRequest(await withBlobs(built, ompBlobs()));
	for (const repair of repairs) tell(`repaired: ${repair}`);
	const tokens = contextTokens(built);
	const blocks = () => messages.map(({ role, content }) => `[${role}]\n${contentText(content)}`);
	return {
		json: { messages, tokens },
		text: () => [...blocks(), `(about ${tokens} tokens, estimate)`].join('\n\n'),
	};
}
