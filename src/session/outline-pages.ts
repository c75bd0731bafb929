/** Pages of long lists: which part of a list is shown, and how it grows. */

/** Rows that a list shows at first, and that each "more" adds. */
export const PAGE_SIZE = 200;

/** The part of a list that is shown, from `start` to before `end`; an infinite end follows the list. */
export interface Page {
	start: number;
	end: number;
	/** Set once a person asked for more: what they opened stays. */
	asked?: boolean;
}

/** The part shown at first. */
export function pageOf(length: number, first: 'newest' | 'oldest'): Page {
	return first === 'newest'
		? { start: Math.max(0, length - PAGE_SIZE), end: Infinity }
		: { start: 0, end: PAGE_SIZE };
}

/** The part shown after one more page at this end. */
export function showMore(page: Page, end: 'earlier' | 'later', length: number): Page {
	if (end === 'earlier')
		return { start: Math.max(0, page.start - PAGE_SIZE), end: page.end, asked: true };
	const next = page.end + PAGE_SIZE;
	// At the end of the newest-first list the page follows new rows again.
	return {
		start: page.start,
		end: page.start > 0 && next >= length ? Infinity : next,
		asked: true,
	};
}

/**
 * The part that has the row at `index` in it: the same where it has, a wider one where the row is
 * near, else a page around it, since nobody wants thousands of rows to see one.
 */
export function revealIn(page: Page, index: number, length: number): Page {
	if (index >= page.start && index < page.end) return page;
	const start = Math.max(0, index - PAGE_SIZE / 2);
	if (index < page.start && page.start - index <= PAGE_SIZE) return { ...page, start };
	if (index >= page.end && index - page.end < PAGE_SIZE)
		return { ...page, end: page.end + PAGE_SIZE };
	const end = start + PAGE_SIZE;
	return { start, end: end >= length && start > 0 ? Infinity : end };
}

/** The part shown of a newest-first list that has grown: it follows, and lets go of rows in pages. */
export function follow(page: Page, length: number): Page {
	if (page.asked || length - page.start <= 2 * PAGE_SIZE) return page;
	return page.end === Infinity ? { ...page, start: length - PAGE_SIZE } : page;
}

/** The part shown when a newest-first list gives way to another: as many of its newest rows, or a page. */
export function carryOver(page: Page, lengthBefore: number, length: number): Page {
	if (page.end !== Infinity) return pageOf(length, 'newest');
	const count = Math.max(PAGE_SIZE, lengthBefore - page.start);
	return { ...page, start: Math.max(0, length - count) };
}
