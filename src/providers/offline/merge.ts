/** Owns joining what an earlier summary said with what the messages since then say. */
import { isFinished } from './finished.ts';
import { dedupeTexts, emptyOutline, type Outline, type TurnFact } from './outline.ts';
import { isIntent } from './outcomes.ts';
import { applyRevisions } from './revisions.ts';
import { clip, sameKey } from './text.ts';
import { heaviest, weightiestTurns, weightOf } from './weight.ts';

/** Bounds on what is carried from summary to summary; rendering fits the rest to the budget. */
const MOST = {
	goals: 5,
	constraints: 70,
	decisions: 50,
	done: 120,
	inProgress: 6,
	nextSteps: 16,
	lists: 8,
	notes: 40,
	findings: 20,
	withdrawn: 6,
	fixed: 12,
};
/** Joins repeated reports of one turn; a repeated short request ("try again") is a turn of its own. */
function dedupeTurns(turns: readonly TurnFact[]): TurnFact[] {
	const kept = new Map<string, TurnFact>();
	for (const turn of turns)
		kept.set(`${sameKey(turn.request)}|${sameKey(turn.outcome).slice(0, 80)}`, turn);
	return [...kept.values()];
}

/** How far an open turn had got stays told where it says more than which files and commands it used. */
function keepState(before: Outline, open: TurnFact): void {
	const outcome = open.outcome.replace(/^\(interrupted\)\s*/, '');
	if (outcome && !/^(?:changed|ran) `/.test(outcome))
		before.done.push({ request: '', outcome: clip(outcome, 260) });
}

/** The turn that an earlier summary left open goes on in the first new messages that no request begins. */
function continueOpenTurn(before: Outline, now: Outline): void {
	const first = now.done[0];
	const open = before.inProgress.at(-1);
	if (open && first && first.request === '') {
		const end = now.done.findIndex((turn) => turn.request !== '');
		const last = now.done[(end < 0 ? now.done.length : end) - 1]!;
		before.inProgress.pop();
		last.request = open.request;
		keepState(before, open);
	} else if (open && now.done.length === 0 && now.inProgress[0]?.request === '') {
		before.inProgress.pop();
		const state = now.inProgress[0];
		state.request = open.request;
		keepState(before, open);
	}
}

/**
 * One outline out of two; `before` is the older. Nothing is there twice, what was done since leaves the
 * open lists, and every list is bounded. Failures are joined by the failure log, not here.
 */
export function mergeOutlines(before: Outline, now: Outline): Outline {
	continueOpenTurn(before, now);
	applyRevisions(before, now.revisions);
	const merged = emptyOutline();
	const stillOpen = before.inProgress.filter((turn) => !isFinished(turn.request, now.doneWords));

	merged.goals = dedupeTexts([
		...before.goals,
		...(before.goals.length > 0 ? [] : now.goals),
	]).slice(0, MOST.goals);
	merged.latestRequest = now.latestRequest || before.latestRequest;
	const joined = (kind: 'constraints' | 'decisions' | 'findings'): string[] =>
		heaviest(dedupeTexts([...before[kind], ...now[kind]]), MOST[kind], weightOf);
	merged.constraints = joined('constraints');
	merged.decisions = joined('decisions');
	merged.findings = joined('findings');
	merged.withdrawn = dedupeTexts([...before.withdrawn, ...now.withdrawn]).slice(-MOST.withdrawn);
	merged.inProgress = dedupeTurns([...stillOpen, ...now.inProgress]).slice(-MOST.inProgress);
	const leftOpen = dedupeTurns([...stillOpen, ...now.inProgress]).slice(0, -MOST.inProgress);
	merged.done = weightiestTurns(
		dedupeTurns([...before.done, ...leftOpen, ...now.done]).filter(
			({ request, outcome }) => request !== '' || !isIntent(outcome),
		),
		MOST.done,
	);
	merged.blocked = now.blocked;
	merged.stale = now.stale;
	merged.nextSteps = dedupeTexts([
		...before.nextSteps.filter((step) => !isFinished(step, now.doneWords)),
		...now.nextSteps,
	]).slice(-MOST.nextSteps);
	merged.lists = [
		...new Map(
			[...before.lists, ...now.lists].map((list) => [
				sameKey(list.entries.join()).slice(0, 60),
				list,
			]),
		).values(),
	].slice(-MOST.lists);
	merged.focusNotes = now.focusNotes;
	merged.notes = dedupeTexts([...before.notes, ...now.notes]).slice(-MOST.notes);
	merged.fixed = dedupeTexts([...before.fixed, ...now.fixed]).slice(-MOST.fixed);
	merged.checks = new Map(
		[...before.checks].filter(([command]) => !now.checks.has(command)).concat([...now.checks]),
	);
	merged.changedFiles = new Map(before.changedFiles);
	for (const [path, edits] of now.changedFiles) {
		const earlier = merged.changedFiles.get(path) ?? 0;
		merged.changedFiles.delete(path);
		merged.changedFiles.set(path, earlier + edits);
	}
	merged.readFiles = new Set([...before.readFiles, ...now.readFiles]);
	return merged;
}

/** Adds what a left branch's summary says, marked as such: its rules hold, its progress is not this path's. */
export function addBranch(outline: Outline, branch: Outline): void {
	outline.constraints.push(...branch.constraints);
	outline.lists.push(...branch.lists);
	outline.decisions.push(...branch.decisions.map((text) => `On another branch: ${text}`));
	const say = (what: string, texts: readonly string[]): void => {
		for (const text of texts)
			if (text) outline.notes.push(`Other branch, ${what}: ${clip(text, 240)}`);
	};
	say('goal', branch.goals.slice(0, 1));
	say(
		'done',
		branch.done.slice(-6).map((turn) => [turn.request, turn.outcome].filter(Boolean).join(': ')),
	);
	say(
		'left open',
		branch.inProgress.map((turn) => [turn.request, turn.outcome].filter(Boolean).join(': ')),
	);
	say(
		'blocked',
		branch.blocked.map((failure) =>
			failure.command ? `\`${failure.command}\` failed: ${failure.text}` : failure.text,
		),
	);
	say('next', branch.nextSteps.slice(-4));
	say('note', [...branch.findings.slice(-3), ...branch.notes.slice(-4)]);
}
