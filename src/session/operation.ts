/** The one thing that a session is doing: prompts, compaction and navigation never interleave. */
import { UserError } from '../util/errors.ts';
import type { Activity, TurnPhase } from './agent-events.ts';
import type { AgentSetup } from './agent-setup.ts';

export interface Operation {
	activity: Exclude<Activity, 'idle'>;
	/** What a turn is doing. */
	phase: TurnPhase;
	/** What the agent works with in this turn; absent before it is known. */
	setup?: AgentSetup;
	controller: AbortController;
	/** A person's command: it counts as streaming, but nothing interrupts it except the person. */
	isCommand: boolean;
	/** Resolves once the operation has settled, whatever its outcome. */
	settled: Promise<void>;
	settle: () => void;
	/** A turn that was cut short while its answer came: only such a one is taken up again. */
	interrupted: boolean;
	/** Lets other windows work on the session again. */
	release: () => Promise<void>;
}

const DOING: Record<Operation['activity'], string> = {
	streaming: 'an answer is coming in',
	compacting: 'a compaction is running',
	navigating: 'the session is moving to another entry',
	pruning: 'tool outputs are being pruned or restored',
};

/** What a person is told who wants something else meanwhile. */
export function busyError({ activity, isCommand }: Operation, what: string): UserError {
	const now = isCommand ? 'a command is running' : DOING[activity];
	return new UserError('busy', `Cannot ${what} now: ${now}.`, {
		kept: 'Nothing was changed.',
		hint: 'Stop it or wait for it, then try again.',
	});
}

/** Fires with the operation's own signal, or with the caller's. */
export function anySignal(operation: Operation, other: AbortSignal | undefined): AbortSignal {
	const own = operation.controller.signal;
	return other ? AbortSignal.any([own, other]) : own;
}
