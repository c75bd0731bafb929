/**
 * The displayed shape of a session: linear runs flat, indentation only at real forks, turns foldable
 * to their steps. Only what is asked for is computed, and long lists are given in pages. Any question
 * is answered at once; `prepare` does the work that grows with the session before, in slices.
 */
import { contextStartPlace } from './context-start.ts';
import type { SessionEntry } from './entries.ts';
import { isUserMessage } from './entry-text.ts';
import { carryOver, follow, pageOf, revealIn, showMore, type Page } from './outline-pages.ts';
import { OutlineRuns, type Run, type RunGroup, type RunItem } from './outline-runs.ts';
import { TurnSteps } from './outline-steps.ts';
import type { SessionTree } from './session-tree.ts';
import { createYielder } from '../util/async.ts';

export type RowKind = 'turn' | 'step' | 'compaction' | 'branchSummary' | 'branch' | 'more';

/** A row of the tree. The same row is the same object for as long as the outline lives. */
export interface Row {
	/** Derived from kind and entry, so stable across reloads. */
	readonly id: string;
	readonly kind: RowKind;
	/** The entry shown; of a branch its first entry; empty for a "more" row. */
	readonly entryId: string;
	/** For "more" rows: which end of the list it stands at. */
	readonly end?: 'earlier' | 'later';
}

/**
 * Where a row is, seen from the current leaf: the leaf itself, a row that folds it away, on the way to
 * it, further along the same run, or on another branch.
 */
export type RowPlace = 'current' | 'holdsCurrent' | 'onPath' | 'ahead' | 'otherBranch';

export interface RowFacts {
	place: RowPlace;
	/** Entries folded away below it; of a branch those of its own branches too. */
	children: number;
	/** Branches that leave the run right after this row. */
	branches: number;
	/** A turn without its user message: it goes on after a fork or a summary. */
	continued: boolean;
	/** In the context of the leaf with messages before it: a compaction may keep it and what follows. */
	keepable: boolean;
	/** For a "more" row: rows not shown. */
	hidden: number;
}

/** A list of rows, computed one by one. */
interface RowList {
	length: number;
	at(index: number): Row;
}

export class Outline {
	private readonly tree: SessionTree;
	private runs: OutlineRuns;
	private leafId: string | null;
	private readonly rows = new Map<string, Row>();
	private readonly steps = new Map<string, TurnSteps>();
	/** Which part of a list is shown, by the id of the row above it ('' for the top level). */
	private readonly pages = new Map<string, Page>();
	/** Set from a move on until the page at the top level is fitted to the new list: the old list's length. */
	private lengthBeforeMove: number | undefined;
	/** Looked up once for each leaf, and only where rows are drawn. */
	private contextStart: { leafId: string | null; place: number } | undefined;

	constructor(tree: SessionTree, leafId: string | null) {
		this.tree = tree;
		this.leafId = leafId;
		this.runs = new OutlineRuns(tree, leafId);
	}

	/** The leaf that the outline shows as current. */
	get leaf(): string | null {
		return this.leafId;
	}

	/**
	 * Does what questions about a row, its parent and the rows below it wait for (undefined: those about
	 * the top level), giving the thread away. Calls that overlap share the work. What is added meanwhile
	 * comes in; where the leaf moves meanwhile, the runs towards the new one are prepared as well.
	 */
	async prepare(row?: Row): Promise<void> {
		const pause = createYielder();
		let runs: OutlineRuns;
		do {
			runs = this.runs;
			const work = this.work(row);
			while (runs === this.runs && !work.next().done) await pause();
		} while (runs !== this.runs);
	}

	/** The rows below a row, or at the top level: one page, with rows that stand for the rest. */
	children(rowId?: string): Row[] {
		const list = this.list(rowId);
		const { start, end } = this.page(rowId, list);
		const shown: Row[] = [];
		if (start > 0) shown.push(this.moreRow(rowId, 'earlier'));
		const last = Math.min(end, list.length);
		for (let index = start; index < last; index++) shown.push(list.at(index));
		if (end < list.length) shown.push(this.moreRow(rowId, 'later'));
		return shown;
	}

	/** The row with this id, if there is one. */
	row(rowId: string): Row | undefined {
		return this.rows.get(rowId);
	}

	/** The row that shows an entry; undefined for an unknown id. */
	rowOf(entryId: string): Row | undefined {
		if (!this.tree.has(entryId)) return undefined;
		const run = this.runs.runOf(entryId);
		const group = groupAt(run, this.runs.placeInRun(entryId));
		return run.ids[group.start] === entryId
			? this.intern(group.kind, entryId)
			: this.intern('step', entryId);
	}

	/** The displayed parent; undefined at the top level. */
	parentOf(row: Row): Row | undefined {
		if (row.kind === 'more') return this.rows.get(row.id.slice(row.id.indexOf('|') + 1));
		if (row.kind === 'branch') {
			const forkId = this.tree.parentOf(row.entryId);
			return forkId === null ? undefined : this.container(this.runs.runOf(forkId));
		}
		const run = this.runs.runOf(row.entryId);
		const group = groupAt(run, this.runs.placeInRun(row.entryId));
		const headId = run.ids[group.start] as string;
		if (headId === row.entryId) return this.container(run);
		const steps = this.stepsOf(run, group);
		const place = steps.places.get(row.entryId);
		const step = place && place.result >= 0 ? steps.steps[place.step] : undefined;
		return step ? this.intern('step', step.id) : this.intern('turn', headId);
	}

	/** What the look of a row depends on besides its entry. */
	facts(row: Row): RowFacts {
		const facts: RowFacts = {
			place: 'otherBranch',
			children: 0,
			branches: 0,
			continued: false,
			keepable: false,
			hidden: 0,
		};
		if (row.kind === 'more') return { ...facts, hidden: this.hidden(row) };
		if (row.kind === 'branch') return { ...facts, children: this.sizeOf(row.entryId) };
		const run = this.runs.runOf(row.entryId);
		const place = this.runs.placeInRun(row.entryId);
		const group = groupAt(run, place);
		if (group.start === place) {
			facts.branches = group.branches;
			facts.children = group.end - group.start - 1;
			facts.continued = group.kind === 'turn' && !isUserMessage(this.entry(row.entryId));
			facts.place = this.placeOf(run, place, group.end - 1);
		} else {
			const { steps, places } = this.stepsOf(run, group);
			const at = places.get(row.entryId);
			const results = at?.result === -1 ? (steps[at.step]?.results ?? []) : [];
			facts.children = results.length;
			facts.place = this.placeOf(run, place, place);
			if (this.leafId !== null && results.includes(this.leafId)) facts.place = 'holdsCurrent';
		}
		const isOnPath = facts.place !== 'ahead' && facts.place !== 'otherBranch';
		facts.keepable = isOnPath && this.hasContextBefore(row.entryId);
		return facts;
	}

	/** Shows a further page of the list that a "more" row belongs to. @returns the row above that list */
	showMore(row: Row): Row | undefined {
		const parent = this.parentOf(row);
		const list = this.list(parent?.id);
		this.pages.set(
			parent?.id ?? '',
			showMore(this.page(parent?.id, list), row.end ?? 'later', list.length),
		);
		return parent;
	}

	/** Makes sure that a row is among the rows given for its parents. @returns the rows whose list changed */
	ensureShown(row: Row): (Row | undefined)[] {
		const changed: (Row | undefined)[] = [];
		for (let at: Row | undefined = row; at;) {
			const parent: Row | undefined = this.parentOf(at);
			const list = this.list(parent?.id);
			const page = this.page(parent?.id, list);
			const index = this.indexOf(at, parent);
			const wider = revealIn(page, index, list.length);
			if (wider !== page) {
				this.pages.set(parent?.id ?? '', wider);
				changed.unshift(parent);
			}
			at = parent;
		}
		return changed;
	}

	/**
	 * Takes over an entry just added to the tree, which is now the leaf.
	 * @returns the one row to refresh, or undefined where rows were added or moved at the top level
	 */
	append(entry: SessionEntry): Row | undefined {
		if (this.leafId !== entry.parentId || !this.runs.extendTop(entry)) {
			this.moveLeaf(entry.id, true);
			return undefined;
		}
		this.leafId = entry.id;
		const run = this.runs.listedTop();
		const last = run?.items.at(-1);
		if (!run || !last || last.kind === 'branch') return undefined;
		const headId = run.ids[last.start] as string;
		if (headId !== entry.id) return this.intern(last.kind, headId);
		const list = this.runList(run);
		this.pages.set('', follow(this.page(undefined, list), list.length));
		return undefined;
	}

	/** Takes over a new leaf: at forks the runs go on towards it. */
	moveLeaf(leafId: string | null, anew = false): void {
		if (leafId === this.leafId && !anew) return;
		this.leafId = leafId;
		// A page has been asked for of a complete list alone.
		if (this.pages.has('')) this.lengthBeforeMove ??= this.runs.listedTop()?.items.length ?? 0;
		this.runs = new OutlineRuns(this.tree, leafId, this.runs.weights);
		this.steps.clear();
	}

	/** The steps of `prepare`, each of them short. */
	private *work(row: Row | undefined): Generator<undefined, void> {
		const { runs } = this;
		yield* runs.listTop();
		if (runs.weights.inUse) while (runs.weights.advance()) yield;
		if (row?.kind === 'more') {
			const parent = this.parentOf(row);
			if (parent) yield* this.work(parent);
		} else if (row?.kind === 'branch') {
			const forkId = this.tree.parentOf(row.entryId);
			if (forkId !== null) yield* runs.listRunOf(forkId);
			if (runs.leavesRun(row.entryId)) yield* runs.listRun(row.entryId);
		} else if (row) {
			yield* runs.listRunOf(row.entryId);
			const run = runs.runOf(row.entryId);
			const group = groupAt(run, runs.placeInRun(row.entryId));
			if (group.kind === 'turn') while (this.pairNext(run, group)) yield;
		}
	}

	private hasContextBefore(entryId: string): boolean {
		const { leafId, tree } = this;
		if (this.contextStart?.leafId !== leafId)
			this.contextStart = { leafId, place: contextStartPlace(tree, leafId) };
		let at = tree.parentOf(entryId);
		for (
			;
			at !== null && (tree.placeOf(at) ?? -1) >= this.contextStart.place;
			at = tree.parentOf(at)
		)
			if (MESSAGES.has(tree.typeOf(at) ?? '')) return true;
		return false;
	}

	private placeOf(run: Run, start: number, last: number): RowPlace {
		const top = this.runs.top();
		if (run !== top) return 'otherBranch';
		const leaf = this.leafId === null ? -1 : this.runs.placeInRun(this.leafId);
		if (leaf === start) return 'current';
		if (leaf < start) return 'ahead';
		return leaf <= last ? 'holdsCurrent' : 'onPath';
	}

	private list(rowId: string | undefined): RowList {
		if (rowId === undefined) return this.runList(this.runs.top());
		const row = this.rows.get(rowId);
		if (row?.kind === 'branch')
			// A view may still ask about a branch that has just become the way to the leaf.
			return this.runs.leavesRun(row.entryId) ? this.runList(this.runs.run(row.entryId)) : EMPTY;
		if (row?.kind !== 'turn' && row?.kind !== 'step') return EMPTY;
		const run = this.runs.runOf(row.entryId);
		const group = groupAt(run, this.runs.placeInRun(row.entryId));
		const isHead = run.ids[group.start] === row.entryId;
		if (group.kind !== 'turn' || isHead !== (row.kind === 'turn')) return EMPTY;
		const { steps, places } = this.stepsOf(run, group);
		if (row.kind === 'turn')
			return {
				length: steps.length,
				at: (index) => this.intern('step', steps[index]?.id ?? ''),
			};
		const results = steps[places.get(row.entryId)?.step ?? -1]?.results ?? [];
		// A result's own row has the same step, but nothing below it.
		if (places.get(row.entryId)?.result !== -1) return EMPTY;
		return { length: results.length, at: (index) => this.intern('step', results[index] ?? '') };
	}

	private runList(run: Run | undefined): RowList {
		if (!run) return EMPTY;
		return {
			length: run.items.length,
			at: (index) => {
				const item = run.items[index] as RunItem;
				return item.kind === 'branch'
					? this.intern('branch', item.headId)
					: this.intern(item.kind, run.ids[item.start] as string);
			},
		};
	}

	/** The place of a row in the list below `parent`. */
	private indexOf(row: Row, parent: Row | undefined): number {
		if (row.kind === 'branch') {
			const forkId = this.tree.parentOf(row.entryId);
			const run = forkId === null ? this.runs.top() : this.runs.runOf(forkId);
			const from = forkId === null ? 0 : (run?.itemOf[this.runs.placeInRun(forkId)] ?? 0);
			return (
				run?.items.findIndex(
					(item, index) => index >= from && item.kind === 'branch' && item.headId === row.entryId,
				) ?? 0
			);
		}
		const run = this.runs.runOf(row.entryId);
		const place = this.runs.placeInRun(row.entryId);
		if (!parent || parent.kind === 'branch') return run.itemOf[place] ?? 0;
		const at = this.stepsOf(run, groupAt(run, place)).places.get(row.entryId);
		return (parent.kind === 'turn' ? at?.step : at?.result) ?? 0;
	}

	/** The row whose children are this run's rows; undefined for the top level. */
	private container(run: Run): Row | undefined {
		return run === this.runs.top() ? undefined : this.intern('branch', run.headId);
	}

	private stepsOf(run: Run, group: RunGroup): TurnSteps {
		while (this.pairNext(run, group));
		return this.knownSteps(run, group);
	}

	/** Pairs the next entry of a turn. @returns false where all are */
	private pairNext(run: Run, group: RunGroup): boolean {
		const steps = this.knownSteps(run, group);
		const next = group.start + 1 + steps.places.size;
		if (next >= group.end) return false;
		steps.add(this.entry(run.ids[next] as string));
		return true;
	}

	/** The steps of a turn as far as they are paired. */
	private knownSteps(run: Run, group: RunGroup): TurnSteps {
		const headId = run.ids[group.start] as string;
		let steps = this.steps.get(headId);
		if (!steps) this.steps.set(headId, (steps = new TurnSteps()));
		return steps;
	}

	private page(rowId: string | undefined, list: RowList): Page {
		const key = rowId ?? '';
		let page = this.pages.get(key);
		if (!page) {
			page = pageOf(list.length, rowId === undefined ? 'newest' : 'oldest');
			this.pages.set(key, page);
		} else if (rowId === undefined && this.lengthBeforeMove !== undefined) {
			page = carryOver(page, this.lengthBeforeMove, list.length);
			this.lengthBeforeMove = undefined;
			this.pages.set(key, page);
		}
		return page;
	}

	private sizeOf(id: string): number {
		return this.runs.weights.size(this.tree.placeOf(id) ?? -1);
	}

	private hidden(row: Row): number {
		const parentId = this.parentOf(row)?.id;
		const list = this.list(parentId);
		const { start, end } = this.page(parentId, list);
		return row.end === 'earlier' ? start : Math.max(0, list.length - end);
	}

	private moreRow(parentId: string | undefined, end: 'earlier' | 'later'): Row {
		const id = `more:${end}|${parentId ?? ''}`;
		return this.known({ id, kind: 'more', entryId: '', end });
	}

	private intern(kind: RowKind, entryId: string): Row {
		return this.known({ id: `${kind}:${entryId}`, kind, entryId });
	}

	private known(row: Row): Row {
		const known = this.rows.get(row.id);
		if (known) return known;
		this.rows.set(row.id, row);
		return row;
	}

	private entry(id: string): SessionEntry {
		return this.tree.get(id) as SessionEntry;
	}
}

/** Types of entries that are messages of a context. */
const MESSAGES = new Set(['message', 'custom_message', 'branch_summary']);

const EMPTY: RowList = {
	length: 0,
	at: () => {
		throw new Error('An empty list has no rows.');
	},
};

function groupAt(run: Run, place: number): RunGroup {
	return run.items[run.itemOf[place] ?? 0] as RunGroup;
}
