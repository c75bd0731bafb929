/** Prompts that wait while the session is at work: seen, edited, taken back, never dropped. */

export interface QueuedPrompt {
	id: string;
	text: string;
	/** A steering prompt goes to the model with its next request, a follow-up when the turn has ended. */
	kind: 'steer' | 'followUp';
}

export class PromptQueue {
	private waiting: readonly QueuedPrompt[] = [];
	private lastId = 0;
	private readonly changed: (items: readonly QueuedPrompt[]) => void;

	/** @param changed told what waits, after each change */
	constructor(changed: (items: readonly QueuedPrompt[]) => void) {
		this.changed = changed;
	}

	/** What waits, the oldest first. */
	get items(): readonly QueuedPrompt[] {
		return this.waiting;
	}

	add(text: string, kind: QueuedPrompt['kind']): void {
		this.set([...this.waiting, { id: `q${++this.lastId}`, text, kind }]);
	}

	/**
	 * Changes a prompt that still waits.
	 * @returns false where it has been sent or removed meanwhile: nothing is changed then
	 */
	edit(id: string, change: Partial<Omit<QueuedPrompt, 'id'>>): boolean {
		if (!this.waiting.some((item) => item.id === id)) return false;
		this.set(this.waiting.map((item) => (item.id === id ? { ...item, ...change } : item)));
		return true;
	}

	/** Takes a prompt out. @returns it, or undefined where it does not wait any more */
	remove(id: string): QueuedPrompt | undefined {
		const item = this.waiting.find((each) => each.id === id);
		if (item) this.set(this.waiting.filter((each) => each !== item));
		return item;
	}

	/** Takes the oldest one out. */
	next(): QueuedPrompt | undefined {
		const [first] = this.waiting;
		return first && this.remove(first.id);
	}

	/** The oldest steering prompt; it still waits. */
	get steering(): QueuedPrompt | undefined {
		return this.waiting.find(({ kind }) => kind === 'steer');
	}

	/** Puts one back that could not be sent, before all others. */
	putBack(item: QueuedPrompt): void {
		this.set([item, ...this.waiting]);
	}

	private set(items: readonly QueuedPrompt[]): void {
		this.waiting = items;
		this.changed(items);
	}
}
