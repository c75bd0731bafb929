/** The look of any row: picks the file of its kind. */
import type { SessionEntry } from '../../session/entries.ts';
import type { Outline, Row } from '../../session/outline.ts';
import type { SessionTree } from '../../session/session-tree.ts';
import { branchLook } from './branch-row.ts';
import { branchSummaryLook } from './branch-summary-row.ts';
import { compactionLook } from './compaction-row.ts';
import { moreLook } from './more-row.ts';
import type { RowLook } from './row-look.ts';
import { stepLook } from './step-row.ts';
import { turnLook } from './turn-row.ts';

/** How a row of `outline` looks now. */
export function rowLook(
	outline: Outline,
	tree: SessionTree,
	row: Row,
	labels: ReadonlyMap<string, string>,
): RowLook {
	const facts = outline.facts(row);
	if (row.kind === 'more') return moreLook(row, facts);
	const entry = tree.get(row.entryId) as SessionEntry;
	const subject = { row, facts, entry, tree, label: labels.get(row.entryId) };
	if (row.kind === 'branch') return branchLook(subject);
	if (entry.type === 'compaction') return compactionLook({ ...subject, entry });
	if (entry.type === 'branch_summary') return branchSummaryLook({ ...subject, entry });
	return row.kind === 'turn' ? turnLook(subject) : stepLook(subject);
}
