/** The one thing that a session is doing: prompts, compaction and navigation never interleave. */
import type { Activity, TurnPhase } from './agent-events.ts';

export interface Operation {
	activity: Exclude<Activity, 'idle'>;
	/** What a turn is doing. */
	phase: TurnPhase;
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

/** Fires with the operation's own signal, or with the caller's. */
export function anySignal(operation: Operation, other: AbortSignal | undefined): AbortSignal {
	const own = operation.controller.signal;
	return other ? AbortSignal.any([own, other]) : own;
}
