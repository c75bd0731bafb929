/** Rows that stand for the rows of a long list that are not shown. */
import { PAGE_SIZE } from '../../session/outline-pages.ts';
import type { Row, RowFacts } from '../../session/outline.ts';
import { grouped, type RowLook } from './row-look.ts';

export function moreLook(row: Row, { hidden }: RowFacts): RowLook {
	const next = Math.min(hidden, PAGE_SIZE);
	const earlier = row.end === 'earlier';
	const label = `Show ${next} ${earlier ? 'earlier' : 'more'}…`;
	const description = `${grouped(hidden)} not shown`;
	return {
		label,
		description,
		icon: earlier ? 'fold-up' : 'fold-down',
		flags: ['more'],
		spoken: `${label}, ${description}`,
		collapsible: false,
	};
}
