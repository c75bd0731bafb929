// Planning a compaction and writing a conversation down for a summarizer, beside pi's.
import { row, sideBySide } from './measure.mjs';
import { sessionOf } from './sessions.mjs';

const settings = { reserveTokens: 16_384, keepRecentTokens: 20_000 };
const piSettings = { enabled: true, ...settings };

/** Rows of the report: `plan` is pi's module of compaction, which its index does not export whole. */
export async function compactionRows({ core, pi, piCompaction, sizes, rounds }) {
	const rows = [];
	for (const size of sizes) {
		const entries = await branchOf(core, size);
		const fresh = entries.filter(({ type }) => type !== 'compaction');
		const count = fresh.length.toLocaleString('en');
		// Ours makes what grows with the session when it is read, pi's makes all of it at once.
		const plans = (path, use) => ({
			espalier: () => use(core.prepareCompaction(path, settings)),
			pi: () => use(piCompaction.prepareCompaction(path, piSettings)),
		});
		for (const [path, before] of [
			[fresh, 'none before'],
			[entries, 'with earlier ones'],
		])
			for (const [use, how] of [
				[() => undefined, 'the plan alone'],
				[readToSummarize, 'what a summarizer is given read'],
				[readAll, 'everything read'],
			])
				rows.push(
					row(
						`plan a compaction, ${count} entries, ${before}: ${how}`,
						await sideBySide(plans(path, use), rounds),
					),
				);
		rows.push(
			row(
				`find the cut, ${count} entries`,
				await sideBySide(
					{
						espalier: () => void core.findCutPoint(fresh, 0, fresh.length, 20_000),
						pi: () => void pi.findCutPoint(fresh, 0, fresh.length, 20_000),
					},
					rounds,
				),
			),
		);
	}
	const entries = await branchOf(core, 20_000);
	const messages = entries.flatMap(({ type, message }) => (type === 'message' ? [message] : []));
	const serialized = messages.slice(0, 10_000);
	const ours = core.serializeConversation(serialized).length;
	const theirs = pi.serializeConversation(serialized).length;
	rows.push(
		row(
			`write 10,000 messages down (${ours.toLocaleString('en')} characters; pi ${theirs.toLocaleString('en')})`,
			await sideBySide(
				{
					espalier: () => void core.serializeConversation(serialized),
					pi: () => void pi.serializeConversation(serialized),
				},
				rounds,
			),
		),
	);
	return rows;
}

/** What goes into a summary: pi counts the context by its last reported usage, ours by its messages. */
function readToSummarize({ messagesToSummarize, turnPrefixMessages, fileOps }) {
	if (!messagesToSummarize || !turnPrefixMessages || !fileOps) throw new Error('no plan');
}

function readAll(plan) {
	for (const name of Object.keys(plan)) void plan[name];
}

async function branchOf(core, size) {
	const file = await sessionOf(size);
	const manager = await core.SessionManager.open(new core.FileSessionStorage(file));
	return manager.getBranch();
}
