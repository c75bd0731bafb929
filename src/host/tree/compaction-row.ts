/** Rows of compactions: "48k → 21k tokens". */
import type { CompactionEntry } from '../../session/entries.ts';
import {
	counted,
	entryFlags,
	joined,
	placedIcon,
	placeText,
	shortTokens,
	type RowLook,
	type RowSubject,
} from './row-look.ts';

export function compactionLook(subject: RowSubject & { entry: CompactionEntry }): RowLook {
	const { facts, entry, label } = subject;
	const { tokensBefore, tokensAfter } = entry;
	const before = typeof tokensBefore === 'number' && shortTokens(tokensBefore);
	const after = typeof tokensAfter === 'number' && shortTokens(tokensAfter);
	// Other tools do not record what was left; the tooltip has an estimate.
	const tokens = before && (after ? `${before} → ${after} tokens` : `${before} tokens before`);
	const spokenTokens = before && after ? `from ${before} to ${after} tokens` : tokens;
	const place = placeText(facts.place);
	return {
		label: 'Compaction',
		description: joined([place, tokens, label]),
		...placedIcon(facts.place, 'fold'),
		flags: entryFlags(subject, 'compaction'),
		spoken: joined(
			[
				'Compaction',
				spokenTokens,
				label && `labelled ${label}`,
				place,
				facts.branches > 0 && `${counted(facts.branches, 'other branch', 'other branches')} follow`,
			],
			', ',
		),
		collapsible: false,
	};
}
