/** The port to what is pruned in sessions whose files must stay as they are. */
import type { Pruned } from './pruned-message.ts';

/** What is pruned in a session, by entry. */
export type Prunes = ReadonlyMap<string, Pruned>;

export interface PruneOverlay {
	/**
	 * What is pruned in a session; empty where nothing was saved.
	 * @param location the session's file: a copy of it with the same id is another session
	 * @throws UserError where what was saved is damaged or cannot be read
	 */
	load(sessionId: string, location: string): Promise<Prunes>;
	/**
	 * Replaces what is saved of a session. What is damaged there is set aside, not lost.
	 * @throws UserError where it cannot be written: what was saved before is still there
	 */
	save(sessionId: string, location: string, prunes: Prunes): Promise<void>;
}

/** Prunes that last as long as the window or the command: where no place for them was given. */
export class MemoryPruneOverlay implements PruneOverlay {
	private readonly saved = new Map<string, Prunes>();

	load(sessionId: string, location: string): Promise<Prunes> {
		return Promise.resolve(this.saved.get(keyOf(sessionId, location)) ?? new Map());
	}

	save(sessionId: string, location: string, prunes: Prunes): Promise<void> {
		this.saved.set(keyOf(sessionId, location), new Map(prunes));
		return Promise.resolve();
	}
}

function keyOf(sessionId: string, location: string): string {
	return JSON.stringify([sessionId, location]);
}
