/** A typed event source for the core, which knows no vscode.EventEmitter. */

export type Listener<T> = (event: T) => void;
export type Unsubscribe = () => void;

export class Emitter<T> {
	private readonly listeners = new Set<Listener<T>>();
	private readonly onListenerError: (error: unknown) => void;

	/** @param onListenerError receives what a listener throws, so that one listener never stops the rest. */
	constructor(onListenerError: (error: unknown) => void = () => {}) {
		this.onListenerError = onListenerError;
	}

	/** Registers a listener; the returned function removes it. */
	readonly on = (listener: Listener<T>): Unsubscribe => {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	};

	/** Calls every listener in registration order. */
	emit(event: T): void {
		for (const listener of [...this.listeners]) {
			try {
				listener(event);
			} catch (error) {
				this.onListenerError(error);
			}
		}
	}
}
