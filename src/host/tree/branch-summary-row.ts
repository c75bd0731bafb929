/** Rows of branch summaries: "covers 12 entries of «…»". */
import { branchCoverage } from '../../session/coverage.ts';
import type { BranchSummaryEntry } from '../../session/entries.ts';
import { firstLine } from '../../session/entry-text.ts';
import {
	counted,
	entryFlags,
	joined,
	placedIcon,
	placeText,
	type RowLook,
	type RowSubject,
} from './row-look.ts';

export function branchSummaryLook(subject: RowSubject & { entry: BranchSummaryEntry }): RowLook {
	const { facts, entry, tree, label } = subject;
	const { count, firstText } = branchCoverage(tree, entry);
	const covered = `covers ${counted(count, 'entry', 'entries')}`;
	const of = firstText && `of «${firstLine(firstText, 40)}»`;
	const place = placeText(facts.place);
	return {
		label: 'Branch summary',
		description: joined([place, joined([covered, of], ' '), label]),
		...placedIcon(facts.place, 'book'),
		flags: entryFlags(subject, 'branchSummary'),
		spoken: joined(
			['Branch summary', joined([covered, of], ' '), label && `labelled ${label}`, place],
			', ',
		),
		collapsible: false,
	};
}
