// What the helper extension's `activate` returns.
import type { HookEvent, HookEvents, HookHandler } from '../../../src/extensibility/hooks/types.ts';

/** One call of a hook: of which event, and what it was told. */
export type HookCall = { [E in HookEvent]: { event: E; payload: HookEvents[E] } }[HookEvent];

export interface HookingExtension {
	/** Of Espalier's API. */
	version: number;
	/** The calls so far, the oldest first. */
	calls: HookCall[];
	/** Registers all five hooks. */
	register(): void;
	/** What the hooks answer from now on; nothing where absent. */
	answerWith(answers: { [E in HookEvent]?: HookHandler<E> }): void;
	/** Takes the hooks back, and forgets calls and answers. */
	unregister(): void;
}
