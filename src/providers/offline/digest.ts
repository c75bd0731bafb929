/** Owns turning the walked turns into an outline: requests with outcomes, rules, decisions, open work. */
import { decisionOf } from './answers.ts';
import { isCheck } from './commands.ts';
import { insightsIn } from './decisions.ts';
import { isErrand } from './errands.ts';
import { isFinished, wordsOfTurn } from './finished.ts';
import type { Focus } from './focus.ts';
import { closingQuestion, soundsUnfinished, stepsIn } from './next-steps.ts';
import { milestoneIn, outcomeOf, tellingLines } from './outcomes.ts';
import { emptyOutline, type Outline, type TurnFact } from './outline.ts';
import type { Pacer } from './pacer.ts';
import { isShortReply } from './requests.ts';
import { applyRevisions, revisionsIn } from './revisions.ts';
import { rulesIn } from './rules.ts';
import { LABELS } from './sections.ts';
import { clip, sameKey } from './text.ts';
import type { Turn, Walk } from './turns.ts';
import { heaviest, weightiestTurns, weightOf } from './weight.ts';

/** A turn with more tool calls than this is told in several lines. */
const LONG_TURN_CALLS = 14;
const MOST_MILESTONES = 8;
const MOST_COLLECTED = 400;
const MOST_LISTS = 24;
/** Comparing a request with all rules before it takes as long as reading this many characters. */
const REVISION_WORK = 40_000;
/** The next request shows that the outcome before it did not hold. */
const REJECTION =
	/\b(?:undid|undo|revert(?:ed)?|try again|not it\b|that['’]?s not|wrong|still (?:looks?|fails?|broken|the same|not|doesn|crash|throws?)|(?:doesn|didn)['’]?t (?:work|help|fix)|you (?:broke|fucked)|nothing changed)/i;

/** What the messages say, apart from earlier summaries. `outline.inProgress` holds the turn left open. */
export async function digest(walk: Walk, focus: Focus, pacer: Pacer): Promise<Outline> {
	const outline = emptyOutline();
	const lastTurn = walk.turns.length;
	let question = '';
	let before = '';
	for (const [index, turn] of walk.turns.entries()) {
		const isLast = index === lastTurn - 1;
		const errand = isErrand(turn);
		const compared = addRequest(outline, turn, focus, errand);
		const answered = turn.request && decisionOf(turn.request, before);
		if (answered) outline.decisions.push(answered);
		before = turn.statements.at(-1) ?? '';
		const read = addStatements(outline, turn, focus, errand);
		const open = isLast && isOpen(turn, walk);
		const fact = factOf(turn, question, open);
		if (errand) fact.small = true;
		if (fact.request) outline.latestRequest = fact.request;
		const done = open ? [] : [wordsOfTurn(fact)];
		outline.doneWords.push(...done);
		outline.nextSteps = outline.nextSteps.filter((step) => !isFinished(step, done));
		// Nothing fails any more: what an earlier turn left failing has been dealt with.
		if (isLast && walk.failures.open(lastTurn).blocked.length === 0)
			outline.nextSteps = outline.nextSteps.filter((step) => !/\bfail(?:s|ing|ed)?\b/i.test(step));
		// A list of what remains counts only where the turn ended with it; earlier ones were worked off.
		outline.nextSteps.push(...stepsIn(turn.statements.at(-1) ?? ''));
		const rejected = REJECTION.test(walk.turns[index + 1]?.request?.text ?? '');
		if (open) outline.inProgress.push(fact);
		else if (fact.request || fact.outcome) {
			if (turn.actions.calls > LONG_TURN_CALLS) outline.done.push(...milestones(turn, fact));
			if (rejected && fact.outcome)
				fact.outcome = `${clip(fact.outcome, 160)} (not accepted by the user)`;
			outline.done.push(fact);
		}
		if (outline.done.length > MOST_COLLECTED)
			outline.done = weightiestTurns(outline.done, MOST_COLLECTED / 2);
		question = closingQuestion(turn.statements.at(-1) ?? '');
		if (isLast && question && turn.closed) outline.nextSteps.push(`${LABELS.waiting} ${question}`);
		await pacer.worked(read + compared);
	}
	outline.fixed = walk.failures.fixed();
	outline.checks = walk.failures.checks;
	outline.changedFiles = walk.tools.changedFiles;
	outline.readFiles = walk.tools.readFiles;
	outline.notes = walk.notes;
	return outline;
}

/** Returns the work that it was, in characters. */
function addRequest(outline: Outline, turn: Turn, focus: Focus, errand: boolean): number {
	if (!turn.request) return 0;
	const { text, sentences, lists } = turn.request;
	focus.collect(sentences);
	if (outline.goals.length === 0 && !isShortReply(text)) outline.goals.push(text);
	if (errand) return 0;
	const revisions = revisionsIn(sentences);
	applyRevisions(outline, revisions);
	outline.revisions.push(...revisions);
	const rules = rulesIn(sentences);
	outline.constraints.push(...rules.constraints);
	outline.decisions.push(...rules.decisions);
	outline.lists = [...outline.lists, ...lists].slice(-MOST_LISTS);
	return revisions.length > 0 ? REVISION_WORK : 0;
}

function addStatements(outline: Outline, turn: Turn, focus: Focus, errand: boolean): number {
	let read = 0;
	const decisions: string[] = [];
	for (const text of turn.statements) {
		read += text.length * 3;
		if (focus.text) focus.collect(tellingLines(text));
		if (errand) continue;
		const insights = insightsIn(text);
		decisions.push(...insights.decisions);
		outline.findings.push(...insights.findings);
	}
	outline.decisions.push(...decisions.slice(-6));
	// A session of thousands of rules must not make comparing them slow.
	for (const kind of ['constraints', 'decisions', 'findings'] as const)
		if (outline[kind].length > MOST_COLLECTED)
			outline[kind] = heaviest(outline[kind], MOST_COLLECTED / 2, weightOf);
	return read;
}

/** True where the last turn's work was not finished when the messages end. */
function isOpen(turn: Turn, walk: Walk): boolean {
	if (!turn.closed)
		return turn.request !== undefined || turn.actions.calls > 0 || turn.statements.length > 0;
	const failing =
		walk.failures.open(walk.turns.length).blocked.length > 0 && turn.actions.calls > 0;
	const last = turn.statements.at(-1) ?? '';
	return (
		soundsUnfinished(last) ||
		(failing && /\b(?:still|fail|error|mismatch|let me|not yet)/i.test(last))
	);
}

function actionsOf(turn: Turn): string {
	const files = [...turn.actions.changed].slice(-4).map((path) => `\`${path}\``);
	const unique = [...new Set(turn.actions.commands)];
	const checks = unique.filter(isCheck).slice(-5);
	const commands = (checks.length > 0 ? checks : unique.slice(-2)).map(
		(command) => `\`${clip(command.replace(/`/g, "'"), 60)}\``,
	);
	return [
		files.length > 0 ? `changed ${files.join(', ')}` : '',
		commands.length > 0 ? `ran ${commands.join(', ')}` : '',
	]
		.filter(Boolean)
		.join('; ');
}

function factOf(turn: Turn, question: string, open: boolean): TurnFact {
	let request = turn.request?.text ?? '';
	if (request && question && isShortReply(request))
		request = `${request} (answer to: ${clip(question, 140)})`;
	const last = turn.statements.at(-1) ?? '';
	if (turn.closed && !open) {
		const outcome = outcomeOf(last);
		return {
			request,
			outcome:
				outcome.length >= 15 ? outcome : [outcome, actionsOf(turn)].filter(Boolean).join('; '),
		};
	}
	const milestone = turn.statements.map(milestoneIn).findLast(Boolean) ?? '';
	const said = last ? outcomeOf(last, 300) : '';
	const parts = [...new Set([milestone, actionsOf(turn), said])].filter(Boolean);
	const state = turn.interrupted && request + parts.join('') !== '' ? '(interrupted) ' : '';
	return { request, outcome: clip((state + parts.join('; ')).trim(), open ? 700 : 260) };
}

/** What a long turn achieved on its way, spread over the turn. */
function milestones(turn: Turn, fact: TurnFact): TurnFact[] {
	const said = turn.statements.slice(0, -1).map(milestoneIn).filter(Boolean);
	const unique = [...new Map(said.map((text) => [sameKey(text), text])).values()];
	const step = Math.max(1, unique.length / MOST_MILESTONES);
	const picked = Array.from(
		{ length: Math.min(unique.length, MOST_MILESTONES) },
		(_, i) => unique[Math.floor(i * step)]!,
	);
	return picked
		.filter((text) => text !== fact.outcome)
		.map((outcome) => ({ request: '', outcome }));
}

/** The milestones of an open turn, for a summary of the turn itself. */
export function openTurnMilestones(walk: Walk): TurnFact[] {
	const turn = walk.turns.at(-1);
	// Its later part says nothing of these again, however short the turn has been so far.
	return turn ? milestones(turn, { request: '', outcome: '' }) : [];
}
